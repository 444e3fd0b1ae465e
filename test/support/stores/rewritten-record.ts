// Changes fields of a record of ours on the disk as a version of ours would, checksum and all: what another machine,
// another process or another start of the machine would have written.
import { readFileSync, writeFileSync } from 'node:fs';
import { withSum } from '../../../src/base/check-sum.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Writes the JSON record of this file again with some fields changed. */
export function rewriteRecord(file: string, change: (record: Fields) => Fields): void {
  const { sum: _, ...record } = JSON.parse(readFileSync(file, 'utf8')) as Fields;
  writeFileSync(file, `${JSON.stringify(withSum({ ...record, ...change(record) }))}\n`);
}
