// Columns of known files: how a scan compares a directory with its columns.
import { lstatSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Stamp, stampOf } from '../../src/base/file-stamp.ts';
import type { BlobId } from '../../src/base/ids.ts';
import type { IgnoreScope, RuleChain } from '../../src/capture/ignore-rules.ts';
import { ColumnsBuilder, KnownColumns, type KnownDirectory } from '../../src/capture/known-rows.ts';
import type { Inherited } from '../../src/capture/listing.ts';
import { rootPath } from '../../src/tree/tree-path.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const test = suite('known rows');

const scope = {} as IgnoreScope;
const chain: RuleChain = { key: 'rules', hasRules: false };

/** Returns a directory in columns that contains one file. Both have the stamp of `file`. */
function known(file: Stamp, isSettled: boolean): KnownDirectory {
  const builder = new ColumnsBuilder(file.dev);
  const rules = { rulesAbove: chain.key, rules: chain.key };
  const row = { name: 'file', kind: 'file', stamp: file, blob: 'content' as BlobId } as const;
  builder.add({ path: rootPath, stamp: file, isSettled, isWhole: true, ...rules }, [row]);
  return new KnownColumns(builder.take(), { device: file.dev, reachedMs: 0 }).directory(0, scope);
}

test('a known stamp equals the stats of the same file, and differs if any field differs', () => {
  const directory = temporaryDirectory();
  const isSame = (stamp: Stamp, file: string): readonly boolean[] => {
    const columns = known(stamp, true);
    return [columns.isSame(0, lstatSync(file)), columns.hasStamp(lstatSync(file))];
  };
  // Each file has its own fraction of a microsecond.
  for (const name of Array.from({ length: 50 }, (_, at) => `file${at}`)) {
    const file = join(directory, name);
    writeFileSync(file, name);
    const stamp = stampOf(lstatSync(file, { bigint: true }));
    assert.equal(isSame(stamp, file), [true, true]);
    const others: Record<keyof Stamp, Stamp> = {
      ctimeNs: { ...stamp, ctimeNs: stamp.ctimeNs - 2000n },
      mtimeNs: { ...stamp, mtimeNs: stamp.mtimeNs + 2000n },
      size: { ...stamp, size: stamp.size + 1 },
      ino: { ...stamp, ino: stamp.ino + 1 },
      dev: { ...stamp, dev: stamp.dev + 1 },
      mode: { ...stamp, mode: stamp.mode ^ 0o100 },
    };
    for (const [field, other] of Object.entries(others))
      assert.equal(isSame(other, file), [false, false], field);
  }
});

test('a scan completes the object of an unchanged directory, unless an earlier scan needs the object', () => {
  const stamp = { mtimeNs: 1n, ctimeNs: 1n, size: 1, ino: 1, dev: 1, mode: 0 };
  const inherited: Inherited = {
    path: rootPath,
    mode: 'rules',
    scope,
    chain,
    previous: undefined,
    alsoInclude: undefined,
  };
  const first = known(stamp, true);
  const completed = first.unchanged(inherited, chain, true);
  assert.is(completed, first);
  assert.is(completed.inherited, inherited);
  assert.ok(completed.isUnchanged);
  const later = { ...inherited, previous: { entries: new Map() } };
  const next = completed.unchanged(later, chain, true);
  assert.is.not(next, completed);
  assert.equal([completed.inherited, next.inherited], [inherited, later]);
  // The scan looks up in the earlier listing whether the stamp of the directory proved its names.
  const young = known(stamp, false);
  const settled = young.unchanged(inherited, chain, true);
  assert.equal([young.isSettled, young.isUnchanged], [false, false]);
  assert.equal([settled.isSettled, settled.isUnchanged], [true, true]);
});

test.run();
