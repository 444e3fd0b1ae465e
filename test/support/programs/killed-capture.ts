// A program that makes the first capture of a store, and kills itself at its N-th call on files or processes. If the
// program makes fewer than N calls, it prints their number.
//
// killed-capture.js STRATEGY DIRECTORY N
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installFault } from '../../../src/base/seam.ts';
import { localDriver, shadowDriver } from '../../../src/store/strategies.ts';
import type { Directory, FileNode } from '../../../src/tree/tree.ts';
import { record, storeOptions } from '../git-oracle.ts';
import { inReusedMemory } from '../trees/snapshots.ts';

const [, , strategy, directory = '', last] = process.argv;
const driver = strategy === 'local' ? localDriver : shadowDriver;
const store = await driver.open(storeOptions(directory, { gitDirectory: join(directory, 'work', '.git') }));
let calls = 0;
installFault(() => {
  calls += 1;
  if (calls === Number(last)) process.kill(process.pid, 'SIGKILL');
});
const writer = store.writer();
const root: Directory = { entries: new Map() };
for (let i = 0; i < 400; i += 1) {
  const entries = new Map<string, Directory | FileNode>();
  const bytes = Buffer.from(`content ${i}\n`.repeat(200));
  const hash = store.hash(bytes.length);
  hash.update(bytes);
  const blob = hash.digest();
  const file = join(store.spoolDirectory, `large-${i}`);
  if (i % 80 === 79) writeFileSync(file, bytes);
  const spool = { kind: 'spool', file, size: bytes.length } as const;
  await writer.addBlob(blob, i % 80 === 79 ? spool : inReusedMemory(bytes));
  entries.set('f', { mode: '100644', blob });
  root.entries.set(`d${i}`, { entries });
}
await store.publish({ record: record(1, await writer.seal(root)) });
installFault(undefined);
await store.close();
console.log(calls);
