// Changes fields and checksum of a record on the disk, as if another machine, process or boot had written the record.
import { readFileSync, writeFileSync } from 'node:fs';
import { withSum } from '../../../src/base/check-sum.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Rewrites the JSON record of this file with some fields changed. */
export function rewriteRecord(file: string, change: (record: Fields) => Fields): void {
  const { sum: _, ...record } = JSON.parse(readFileSync(file, 'utf8')) as Fields;
  writeFileSync(file, `${JSON.stringify(withSum({ ...record, ...change(record) }))}\n`);
}
