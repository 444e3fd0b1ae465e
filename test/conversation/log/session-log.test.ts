import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../../src/base/errors.ts';
import { installFault } from '../../../src/base/seam.ts';
import {
  encodeRecord,
  type LogRecord,
  logHeader,
  SessionLog,
} from '../../../src/conversation/log/session-log.ts';

const test = suite<{ directory: string; file: string }>('session-log');
test.before.each((context) => {
  context.directory = mkdtempSync(join(tmpdir(), 'session-log-'));
  context.file = join(context.directory, 'log');
});
test.after.each((context) => {
  installFault(undefined);
  rmSync(context.directory, { recursive: true, force: true });
});

interface Numbered extends LogRecord {
  readonly n: number;
  readonly text: string;
}
const numbered = (n: number): Numbered => ({ kind: 'operation', n, text: `é "${'x'.repeat(n)}"\n` });

async function readAll(log: SessionLog): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for await (const { position, record } of log.replay()) {
    records.push(record);
    assert.is(position, records.length);
  }
  return records;
}

const process = { durability: 'process' } as const;
const isKind = (kind: string) => (error: unknown) => error instanceof CheckpointdError && error.kind === kind;

async function rejectsWith(promise: Promise<unknown>, kind: string): Promise<void> {
  const error: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(isKind(kind)(error), `expected ${kind}, got ${String(error)}`);
}

for (const durability of ['process', 'power'] as const) {
  test(`a log that is opened again returns all its records (${durability}) (C8)`, async ({ file }) => {
    const log = await SessionLog.open(file, { durability });
    assert.is(log.length, 0);
    for (let n = 1; n <= 40; n += 1) assert.is(log.append(numbered(n)), n);
    log.close();
    const again = await SessionLog.open(file, { durability });
    assert.is(again.length, 40);
    assert.equal(
      await readAll(again),
      Array.from({ length: 40 }, (_, i) => numbered(i + 1)),
    );
    assert.is(again.append(numbered(41)), 41);
    assert.is((await readAll(again)).length, 41);
    again.close();
  });
}

test('a log that was cut at any byte opens with the complete records before the cut, and accepts new records (C8)', async ({
  file,
}) => {
  const log = await SessionLog.open(file, process);
  const ends = [logHeader.length];
  for (let n = 1; n <= 5; n += 1) {
    log.append(numbered(n));
    ends.push((ends.at(-1) ?? 0) + encodeRecord(numbered(n)).length);
  }
  log.close();
  const whole = readFileSync(file);
  assert.is(whole.length, ends.at(-1));
  for (let cut = 0; cut <= whole.length; cut += 1) {
    writeFileSync(file, whole.subarray(0, cut));
    const reopened = await SessionLog.open(file, process);
    const count = ends.filter((end) => end <= cut).length - 1;
    assert.is(reopened.length, Math.max(0, count), `cut at ${cut}`);
    assert.is(reopened.append(numbered(9)), Math.max(0, count) + 1);
    reopened.close();
    const after = await SessionLog.open(file, process);
    assert.is(after.cutBytes, 0);
    assert.equal((await readAll(after)).at(-1), numbered(9));
    assert.is(after.length, Math.max(0, count) + 1);
    after.close();
  }
});

test('opening a log removes garbage or zeros that a power cut left at the end of the log (C8)', async ({
  file,
}) => {
  const log = await SessionLog.open(file, process);
  log.append(numbered(1));
  log.close();
  for (const noise of [Buffer.alloc(5000), Buffer.from('9999999999 01234567 {'), Buffer.from('\n\n\n')]) {
    appendFileSync(file, noise);
    const reopened = await SessionLog.open(file, process);
    assert.is(reopened.cutBytes, noise.length);
    assert.is(reopened.length, 1);
    reopened.close();
  }
});

test('if the last record was complete and is now damaged, it is saved beside the log and reported (C8)', async ({
  file,
}) => {
  const log = await SessionLog.open(file, process);
  log.append(numbered(1));
  log.append(numbered(2));
  log.close();
  const bytes = readFileSync(file);
  const last = bytes.subarray(bytes.lastIndexOf(0x0a, bytes.length - 2) + 1);
  last[last.length - 5] = (last[last.length - 5] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  const reopened = await SessionLog.open(file, process);
  assert.is(reopened.length, 1);
  assert.is(reopened.cutBytes, last.length);
  assert.equal(readFileSync(reopened.keptTail ?? ''), last);
  reopened.close();
});

test('a kill of the process does not lose a record whose write was acknowledged (C8)', async ({ file }) => {
  const module = new URL('../../../src/conversation/log/session-log.js', import.meta.url).href;
  const script = `
    const { SessionLog } = await import(${JSON.stringify(module)});
    const log = await SessionLog.open(${JSON.stringify(file)}, { durability: 'process' });
    for (;;) {
      const n = log.append({ kind: 'operation', text: 'x'.repeat(5000) });
      process.stdout.write(n + '\\n');
      if (n % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }`;
  for (let round = 1; round <= 3; round += 1) {
    const child = spawn(globalThis.process.execPath, ['--input-type=module', '-e', script]);
    let output = '';
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.length > 1000 * round) child.kill('SIGKILL');
    });
    await once(child, 'close');
    const answered = Number(output.slice(0, output.lastIndexOf('\n')).split('\n').at(-1));
    assert.ok(answered > 100, errors);
    const log = await SessionLog.open(file, process);
    assert.ok(log.length >= answered, `${log.length} records, ${answered} answered`);
    assert.is((await readAll(log)).length, log.length);
    log.close();
  }
});

test('if one bit of a log is flipped, and complete records follow, the log is reported as damaged and stays unchanged', async ({
  file,
}) => {
  const log = await SessionLog.open(file, process);
  for (let n = 1; n <= 3; n += 1) log.append(numbered(n));
  log.close();
  const whole = readFileSync(file);
  const secondStart = logHeader.length + encodeRecord(numbered(1)).length;
  for (const at of [logHeader.length + 3, logHeader.length + 30, secondStart + 12, secondStart + 25]) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    writeFileSync(file, damaged);
    await rejectsWith(SessionLog.open(file, process), 'StoreCorrupt');
    assert.equal(readFileSync(file), damaged);
  }
});

test('a log of a later format, or a file that is no log, is refused and stays unchanged', async ({
  file,
}) => {
  for (const [text, kind] of [
    ['checkpointd session log 2\nwhatever', 'StoreVersion'],
    ['#!/bin/sh\necho this is no log at all\n', 'StoreCorrupt'],
    ['short', 'StoreCorrupt'],
  ] as const) {
    writeFileSync(file, text);
    await rejectsWith(SessionLog.open(file, process), kind);
    assert.is(readFileSync(file, 'utf8'), text);
  }
});

test('if a write to the log fails half-way, the log stays as before, and the next write succeeds', async ({
  file,
}) => {
  const log = await SessionLog.open(file, { durability: 'power' });
  log.append(numbered(1));
  const before = readFileSync(file);
  for (const failing of ['write', 'fsync']) {
    let armed = true;
    installFault((call) => {
      if (call !== failing || !armed) return;
      armed = false;
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    });
    assert.throws(() => log.append(numbered(2)), isKind('NoSpace'));
    assert.equal(readFileSync(file), before);
    assert.is(log.length, 1);
  }
  installFault(undefined);
  assert.is(log.append(numbered(2)), 2);
  log.close();
  const again = await SessionLog.open(file, process);
  assert.equal(await readAll(again), [numbered(1), numbered(2)]);
  again.close();
});

test('if a failed write cannot be undone, the log refuses further writes until it is opened again', async ({
  file,
}) => {
  const log = await SessionLog.open(file, process);
  log.append(numbered(1));
  installFault((call) => {
    if (call === 'write' || call === 'ftruncate') throw Object.assign(new Error('I/O'), { code: 'EIO' });
  });
  assert.throws(() => log.append(numbered(2)), isKind('StoreUnavailable'));
  installFault(undefined);
  assert.throws(() => log.append(numbered(2)), isKind('StoreUnavailable'));
  log.close();
  const again = await SessionLog.open(file, process);
  assert.is(again.append(numbered(2)), 2);
  again.close();
});

test('the log can return records that are too large for one read of the file', async ({ file }) => {
  const log = await SessionLog.open(file, process);
  const big = { kind: 'ledger', text: 'é'.repeat(1_500_000) };
  log.append(big);
  log.append(numbered(1));
  assert.equal(await readAll(log), [big, numbered(1)]);
  log.close();
  truncateSync(file, readFileSync(file).length - 1);
  const again = await SessionLog.open(file, process);
  assert.is(again.length, 1);
  again.close();
});

test('if a backup has a hard link to a log, the log gets its own file, and the backup does not change', async ({
  file,
}) => {
  const first = await SessionLog.open(file, process);
  first.append(numbered(1));
  first.close();
  linkSync(file, `${file}.backup`);
  const before = readFileSync(file);
  const [ours, theirs] = [
    await SessionLog.open(file, process),
    await SessionLog.open(`${file}.backup`, process),
  ];
  ours.append(numbered(2));
  assert.equal(readFileSync(`${file}.backup`), before);
  theirs.append(numbered(3));
  assert.equal(
    [await readAll(ours), await readAll(theirs)],
    [
      [numbered(1), numbered(2)],
      [numbered(1), numbered(3)],
    ],
  );
  ours.close();
  theirs.close();
});

test.run();
