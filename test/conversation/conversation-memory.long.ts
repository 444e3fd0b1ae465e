// Measures the memory of a history of 10,000 entries of 2 KB with 1,000 checkpoints. Also measures the time that an
// append takes in a short and in a long history.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Conversation } from '../../src/conversation/conversation.ts';
import { toDocument } from '../../src/conversation/document/conversation-json.ts';
import { type LogRecord, type RecordLog, SessionLog } from '../../src/conversation/log/session-log.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** A log that keeps no record, so that only the conversation is measured. */
class ForgetfulLog implements RecordLog {
  length = 0;
  append(_record: LogRecord): number {
    this.length += 1;
    return this.length;
  }
}

const entries = 10_000;
// Copies the entry through JSON. Without the copy, the texts would be slices of one shared text, unlike data from the
// wire.
function entryOf(n: number): { user: object; assistant: object } {
  const text = `${n} `.padEnd(1000, 'lorem ipsum ');
  const entry = { user: { content: text }, assistant: { content: text.toUpperCase() } };
  return JSON.parse(JSON.stringify(entry)) as typeof entry;
}

function percentile(times: number[], share: number): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;
}

test('1,000 checkpoints of a history of 10,000 entries take about as much memory as one history (C5, C12)', () => {
  const before = heapBytes();
  let conversation: Conversation | undefined = new Conversation('c', new ForgetfulLog());
  const refs: number[] = [];
  for (let n = 0; n < entries; n += 1) {
    conversation.append(entryOf(n));
    if (n % 10 === 9) refs.push(conversation.head);
  }
  const { state: last } = conversation;
  const states = refs.map((ref) => conversation?.at(ref));
  const jsonLength = JSON.stringify(toDocument(last)).length;
  const many = heapBytes() - before;
  for (const [index, state] of states.entries()) assert.is(state?.history.length, (index + 1) * 10);
  states.length = 0;
  conversation = undefined;
  const one = heapBytes() - before;
  assert.is(last.history.length, entries);
  console.log(
    `note: ${refs.length} checkpoints ${(many / 1e6).toFixed(1)} MB, one ${(one / 1e6).toFixed(1)} MB, ratio ${(many / one).toFixed(3)}; document ${(jsonLength / 1e6).toFixed(1)} MB`,
  );
  assert.ok(many / one < 1.3);
});

for (const durability of ['process', 'power'] as const) {
  test(`appending an entry costs the same with 10 entries as with 10,000 (${durability})`, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'conversation-'));
    try {
      const file = join(directory, 'log');
      const log = await SessionLog.open(file, { durability });
      const conversation = new Conversation('c', log);
      const times: number[] = [];
      const count = durability === 'power' ? 2000 : entries + 2000;
      for (let n = 0; n < count; n += 1) {
        const entry = entryOf(n);
        const started = performance.now();
        conversation.append(entry);
        times.push(performance.now() - started);
      }
      const [first, last] = [times.slice(500, 1500), times.slice(-1000)];
      console.log(
        `note: append (${durability}) p50 ${percentile(first, 0.5).toFixed(4)} ms at ~1,000 entries, ${percentile(last, 0.5).toFixed(4)} ms at the end, p99 ${percentile(times, 0.99).toFixed(3)} ms; log ${statSync(file).size} bytes`,
      );
      if (durability === 'process') {
        assert.ok(percentile(last, 0.5) < 0.3);
        const started = performance.now();
        const again = new Conversation('c', log);
        for await (const { position, record } of log.replay()) again.replay(position, record);
        console.log(`note: replay of ${log.length} records ${(performance.now() - started).toFixed(0)} ms`);
        assert.is(again.head, conversation.head);
        assert.is(again.state.history.last?.id, conversation.state.history.last?.id);
      }
      log.close();
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
}

test('importing 10,000 entries never blocks the event loop for a second', async () => {
  const history = Array.from({ length: entries }, (_, n) => ({ id: `e${n}`, ...entryOf(n) }));
  const directory = mkdtempSync(join(tmpdir(), 'conversation-'));
  try {
    const log = await SessionLog.open(join(directory, 'log'), { durability: 'process' });
    const conversation = new Conversation('c', log);
    let [last, longest] = [performance.now(), 0];
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    await conversation.import({ conversation_id: 'c', history });
    clearInterval(timer);
    console.log(
      `note: import of ${log.length} records, longest pause of the event loop ${longest.toFixed(0)} ms`,
    );
    assert.is(conversation.state.history.length, entries);
    assert.ok(longest < 1000, 'a bound against a defect; the figure that counts is the note above');
    log.close();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test.run();
