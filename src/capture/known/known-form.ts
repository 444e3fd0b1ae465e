// The file of what is known: a line with its form and its sum, a line of JSON, columns. Written under a temporary name
// and renamed, never synced: one that is not what was written is none.
import { createHash, randomBytes } from 'node:crypto';
import { endianness } from 'node:os';
import { systemCode } from '../../base/errors.ts';
import { constants, files, filesAsync } from '../../base/files.ts';
import type { Slices } from '../../base/slices.ts';
import type { ColumnSizes } from './known-columns.ts';

/** Everything but the columns. */
export interface KnownHeader {
  readonly root: string;
  readonly settings: string;
  readonly device: number;
  readonly boot: string | null;
  /** What the clock of the file system had reached when the files were looked at. */
  readonly reachedMs: number;
  readonly sizes: ColumnSizes;
  readonly keys: readonly string[];
}

export interface KnownContent {
  readonly header: KnownHeader;
  readonly columns: Uint8Array;
}

/** A later form has another first line, and is no form that this version knows. */
const firstLine = `checkpointd known files 1 ${endianness()} `;
const sumLength = 40;
const sumPart = 1 << 20;
/** Whatever stands there instead, nothing waits for it and no link is followed. */
const readPlainly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** What was written; `damaged` where it is not that, undefined where nothing can be read. */
export async function readKnown(file: string, slices: Slices): Promise<KnownContent | 'damaged' | undefined> {
  try {
    const handle = await filesAsync.open(file, readPlainly);
    try {
      if (!(await handle.stat()).isFile()) return 'damaged';
      return await parse(await handle.readFile(), slices);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

/** @throws system errors; then what was there before is there still */
export async function writeKnown(
  file: string,
  header: KnownHeader,
  columns: readonly Uint8Array[],
  slices: Slices,
): Promise<void> {
  const content = [Buffer.from(`${JSON.stringify(header)}\n`), ...columns];
  const first = Buffer.from(`${firstLine}${await sumOf(content, slices)}\n`);
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await filesAsync.open(temporary, 'wx', 0o600);
    try {
      for (const part of [first, ...content]) await handle.writeFile(part);
    } finally {
      await handle.close();
    }
    files.renameSync(temporary, file);
  } catch (error) {
    files.rmSync(temporary, { force: true });
    throw error;
  }
}

async function parse(bytes: Buffer, slices: Slices): Promise<KnownContent | 'damaged'> {
  const start = firstLine.length + sumLength + 1;
  const first = bytes.subarray(0, start).toString('latin1');
  if (!first.startsWith(firstLine) || !first.endsWith('\n')) return 'damaged';
  const content = bytes.subarray(start);
  if (first.slice(firstLine.length, -1) !== (await sumOf([content], slices))) return 'damaged';
  // What has this sum is what was written.
  const end = content.indexOf('\n');
  const header = JSON.parse(content.subarray(0, end).toString('utf8')) as KnownHeader;
  return { header, columns: content.subarray(end + 1) };
}

/** A large tree's takes longer than a turn of the event loop may. */
async function sumOf(parts: readonly Uint8Array[], slices: Slices): Promise<string> {
  const sum = createHash('sha1');
  for (const part of parts) {
    for (let at = 0; at < part.length; at += sumPart) {
      if (slices.isDue()) await slices.pause();
      sum.update(part.subarray(at, at + sumPart));
    }
  }
  return sum.digest('hex');
}
