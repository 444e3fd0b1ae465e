// A program that changes a work tree at random, in bursts, until its standard input ends. With `files` the program
// changes only files in fixed directories. With `trees` the program also makes, removes, moves and replaces
// directories.
//
// busy-writer.js ROOT files|trees SEED
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { copyTree } from '../trees/copy-tree.ts';

const [root = '', kind = 'files', seed = '1'] = process.argv.slice(2);
let state = Number(seed);
/** Returns a random number below the limit. The seed determines everything except the timing. */
function below(limit: number): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
  return (state >>> 8) % limit;
}

const large = Buffer.alloc(1 << 20, 'x');
const directory = (): string => join(root, `d${below(20)}`);
const file = (): string => join(directory(), `f${below(8)}`);
let count = 0;

const onFiles: readonly (() => void)[] = [
  () => writeFileSync(file(), String(count)),
  () => appendFileSync(file(), 'more\n'),
  () => truncateSync(file(), below(3)),
  () => writeFileSync(file(), large.subarray(0, 1 + below(large.length))),
  () => {
    const to = file();
    writeFileSync(`${to}.new`, `replaced ${count}`);
    renameSync(`${to}.new`, to);
  },
  () => renameSync(file(), file()),
  () => rmSync(file(), { force: true }),
  () => chmodSync(file(), [0o644, 0o600, 0o755][below(3)] ?? 0o644),
  () => {
    const at = file();
    rmSync(at, { force: true });
    symlinkSync(`somewhere ${count}`, at);
  },
];

const onTrees: readonly (() => void)[] = [
  () => {
    const at = join(directory(), `deep${below(3)}/${below(3)}/${below(3)}`);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, 'f'), String(count));
  },
  () => {
    const at = directory();
    rmSync(at, { recursive: true, force: true });
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, 'f1'), String(count));
  },
  () => renameSync(directory(), join(root, `moved${below(5)}`)),
  () => renameSync(join(root, `moved${below(5)}`), directory()),
  () => copyTree(directory(), join(root, `copy${below(3)}`)),
  () => rmSync(join(root, `copy${below(3)}`), { recursive: true, force: true }),
  () => writeFileSync(join(root, '.gitignore'), ['', 'f3\n', 'deep1/\n', '/copy0\n'][below(4)] ?? ''),
  () => {
    const git = (...words: string[]): unknown => spawnSync('git', words, { cwd: root });
    if (below(2) === 0) {
      git('add', '-A');
      git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-q', '-m', String(count));
    } else git('checkout', '-q', '-f', 'HEAD~1');
  },
];

process.stdin.resume();
while (!process.stdin.readableEnded) {
  count += 1;
  const isTree = kind === 'trees' && below(4) === 0;
  const acts = isTree ? onTrees : onFiles;
  try {
    acts[below(acts.length)]?.();
  } catch (error) {
    // Another writer has meanwhile removed or made the file.
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
  // A capture repeats until nothing changes, so a capture can end only in these pauses.
  if (below(4) === 0) await pause(below(60));
}
console.log(`${count} changes, ${readdirSync(root).length} names`);
