// Calls the extension as pi does. A recorder takes the place of our hook.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isOurExtension, piExtension } from '../../../src/cli/enable/plugins.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { pluginRecorder } from './plugin-recorder.ts';

type Handler = (event: object, context: object) => Promise<unknown>;

async function extension(words: readonly string[], directory: string): Promise<Map<string, Handler>> {
  const file = join(directory, 'extension.mjs');
  writeFileSync(file, piExtension(words));
  const { default: load } = (await import(pathToFileURL(file).href)) as {
    default: (pi: { on: (name: string, handler: Handler) => void }) => void;
  };
  const handlers = new Map<string, Handler>();
  load({ on: (name, handler) => handlers.set(name, handler) });
  return handlers;
}

test("pi's events for prompt, tool and end reach our hook, and the hook's answer becomes a hidden message", async () => {
  const { directory, words, events } = pluginRecorder('pi');
  const handlers = await extension(words, directory);
  const context = { cwd: directory, sessionManager: { getSessionId: () => 'main' } };
  const call = (name: string, event: object): Promise<unknown> =>
    handlers.get(name)?.(event, context) ?? Promise.reject(new Error(name));
  await call('session_start', { reason: 'startup' });
  const answer = await call('before_agent_start', { prompt: 'tidy up' });
  await call('tool_result', {
    toolName: 'write',
    toolCallId: 'c1',
    input: { path: 'a.txt' },
    isError: false,
  });
  await call('session_shutdown', { reason: 'quit' });
  const base = { agent: 'pi', conversation: 'main', directory };
  assert.equal(events(), [
    { ...base, kind: 'start' },
    { ...base, kind: 'prompt', text: 'tidy up' },
    { ...base, kind: 'tool', tool: 'write', call: 'c1', files: ['a.txt'] },
    { ...base, kind: 'end' },
  ]);
  assert.equal(answer, {
    message: { customType: 'checkpointd', content: 'files went back', display: false },
  });
});

test('no handler of pi fails if our hook is missing or if the context has no session', async () => {
  const directory = temporaryDirectory('pi');
  const handlers = await extension([join(directory, 'not-there'), 'hook'], directory);
  const context = { cwd: directory, sessionManager: { getSessionId: () => 'main' } };
  for (const handler of handlers.values()) {
    assert.is(await handler({ prompt: 'x' }, context), undefined);
    assert.is(await handler({ prompt: 'x' }, {}), undefined);
  }
  assert.not.ok(existsSync(join(directory, 'events')));
});

test('our extension of pi is recognised by its first line', () => {
  assert.ok(isOurExtension(piExtension(['x'])));
  assert.not.ok(isOurExtension('export default () => undefined;'));
});

test.run();
