// Changes fields of a record on the disk, and makes its checksum valid again. The record then seems to come from
// another machine, process or boot.
import { readFileSync, writeFileSync } from 'node:fs';
import { withSum } from '../../../src/base/check-sum.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Changes some fields of the JSON record in this file. */
export function rewriteRecord(file: string, change: (record: Fields) => Fields): void {
  const { sum: _, ...record } = JSON.parse(readFileSync(file, 'utf8')) as Fields;
  writeFileSync(file, `${JSON.stringify(withSum({ ...record, ...change(record) }))}\n`);
}
