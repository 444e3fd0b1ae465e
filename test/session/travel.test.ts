// A session may change while it is pushed. The pushed checkpoints, log and facts must be from the same moment.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LogRecord } from '../../src/conversation/log/session-log.ts';
import { lineSource } from '../../src/session/travel.ts';
import { type SessionRig, withSessions } from '../support/session-rig.ts';

const identity = { session: 'ses_x', writer: 'wr_x' };

async function createTurn(rig: SessionRig, session: string, message: string): Promise<void> {
  rig.write('a.txt', `${message}\n`);
  const entry = { user: { content: message }, assistant: { content: 'done' } };
  await rig.request('conversation/append', { session, entry });
  await rig.request('checkpoint/create', { session, kind: 'turn', message });
}

async function countOf(records: AsyncIterable<LogRecord>): Promise<number> {
  let count = 0;
  for await (const record of records) if (JSON.stringify(record).includes('"done"')) count += 1;
  return count;
}

test('a push sends checkpoints, head and log of one moment, even if checkpoints are made during the push', () =>
  withSessions(async (rig) => {
    const session = await rig.open();
    await createTurn(rig, session.id, 'first');
    const source = lineSource(session); // a push asks the remote only after this step
    await createTurn(rig, session.id, 'second');
    const { checkpoints, facts, log } = source(identity);
    assert.is(checkpoints.length, 3);
    assert.is(facts.head, checkpoints.at(-1)?.record.id);
    assert.is(facts.historyLength, 2);
    await createTurn(rig, session.id, 'third');
    assert.is(await countOf(log()), facts.historyLength, 'later records belong to the next push');
  }));

test('a session without checkpoints has nothing to push', () =>
  withSessions(async (rig) => {
    const session = await rig.open();
    await rig.request('checkpoint/clean', { session: session.id });
    assert.throws(() => lineSource(session), /were removed by checkpoint\/clean/);
  }));

test.run();
