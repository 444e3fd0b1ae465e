// When a context file changes, the watcher drops the cached length of the context message. A request for the context
// would also drop the length, after comparing the files. These tests make no such request, so only the watcher can drop
// the length.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildContextMessage } from '../../src/session/context.ts';
import type { Session } from '../../src/session/session.ts';
import { type SessionRig, withSessions } from '../support/session-rig.ts';
import { until } from '../support/until.ts';

interface Watched {
  readonly session: Session;
  /** Every path that the watcher reported, or `everything` for an overflow. */
  readonly told: Set<string>;
}

/** Opens a session with one context path. The session's watcher is live and has reported all earlier changes. */
async function watched(rig: SessionRig, path: string): Promise<Watched> {
  rig.write('notes.md', 'one');
  rig.write('docs/a.md', 'a');
  const session = await rig.open();
  const { context } = session.parts.conversation;
  context.add([path]);
  const told = new Set<string>();
  const note = context.invalidate.bind(context);
  context.invalidate = (changed) => {
    for (const each of changed ?? ['everything']) told.add(each);
    note(changed);
  };
  await session.watcher?.ready();
  rig.write('sentinel.txt', 'x');
  await until('the sentinel file is reported', () => told.has('sentinel.txt'));
  await until('a length is cached', async () => {
    await buildContextMessage(session, {});
    return context.messageLength !== undefined;
  });
  told.clear();
  return { session, told };
}

const changes: readonly (readonly [string, string, (rig: SessionRig) => void])[] = [
  ['a context file is written', 'notes.md', (rig) => rig.write('notes.md', 'two')],
  ['a context file is deleted', 'notes.md', (rig) => rmSync(join(rig.work, 'notes.md'))],
  ['a new file matches a glob', 'docs/*.md', (rig) => rig.write('docs/b.md', 'b')],
  ['a context file in a directory is written', 'docs/a.md', (rig) => rig.write('docs/a.md', 'z')],
];

for (const [name, path, change] of changes) {
  test(`if ${name}, the cached length of the context message is dropped without a request (C25)`, () =>
    withSessions(async (rig) => {
      const { context } = (await watched(rig, path)).session.parts.conversation;
      change(rig);
      await until('the cached length is dropped', () => context.messageLength === undefined);
    }));
}

test('if files outside the context change, the length of the context message stays cached (C25)', () =>
  withSessions(async (rig) => {
    const { session, told } = await watched(rig, 'notes.md');
    rig.write('other.txt', 'x');
    await until('the other file is reported', () => told.has('other.txt'));
    const isSure = !told.has('everything') && !told.has('notes.md');
    if (isSure) assert.ok(session.parts.conversation.context.messageLength !== undefined);
    else console.log('skipped: the watcher told of more than what was written');
  }));

test.run();
