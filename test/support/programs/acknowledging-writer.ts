// A program that writes ten files of a directory over and over. The program always writes a whole file: in place by one
// call, or as a new file that is renamed over the old file. The content of a file is one number, repeated. After each
// write, the program puts the number into a table. From the table the test learns which writes are complete.
//
// acknowledging-writer.js DIRECTORY TABLE WRITES SEED
import { closeSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const [directory = '', tableFile = '', writes = '0', seed = '1'] = process.argv.slice(2);
let state = Number(seed);
/** Returns a random number below the limit. The seed determines everything except the timing. */
function below(limit: number): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
  return (state >>> 8) % limit;
}

const table = Buffer.alloc(80);
const tableFd = openSync(tableFile, 'r+');
/**
 * Returns the size of a file: seven sizes from 8 bytes to 32 KiB, and three larger ones up to 4 MiB. A reader may find
 * a larger file half-written.
 */
const sizeOf = (file: number): number => (file < 7 ? 8 << (2 * file) : 1 << (16 + 2 * (file - 6)));
const contentOf = (file: number, count: number): Buffer =>
  Buffer.alloc(sizeOf(file), Buffer.from(BigUint64Array.of(BigInt(count)).buffer));

for (let count = 1; count <= Number(writes); count += 1) {
  const file = below(12) === 0 ? 7 + below(3) : below(7);
  const path = join(directory, `f${file}`);
  if (below(3) === 0) {
    writeFileSync(`${path}.new`, contentOf(file, count));
    renameSync(`${path}.new`, path);
  } else {
    const fd = openSync(path, 'r+');
    writeSync(fd, contentOf(file, count), 0, undefined, 0);
    closeSync(fd);
  }
  table.writeBigUInt64LE(BigInt(count), file * 8);
  writeSync(tableFd, table, 0, 80, 0);
  // A capture repeats until nothing changes, so a capture can end only in these pauses.
  if (below(2) === 0) await pause(below(30));
}
