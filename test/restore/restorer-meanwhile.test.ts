// Tests that no edit is lost while a restore runs. No reader finds half a file, or a mode with too many rights.
import { lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Stamp, stampOf } from '../../src/base/file-stamp.ts';
import { installFault } from '../../src/base/seam.ts';
import type { KnownContent } from '../../src/restore/present-state.ts';
import { nameOf, type TreePath } from '../../src/tree/tree-path.ts';
import {
  build,
  file,
  MemoryContents,
  type ModelTree,
  manifest,
  model,
  planBetween,
  walk,
} from '../support/trees/model-tree.ts';
import { apply, inDirectory } from './restorer-rig.ts';

process.umask(0o022);

test('a file with strict permissions never has wider permissions while a restore writes it (F22)', () =>
  inDirectory(async (root) => {
    const present = model({ 'd/secret': file('b', 0o644), plain: file('x', 0o600) });
    const target: ModelTree = {
      ...model({
        'd/secret': file('a', 0o600),
        'n/key': file('k', 0o400),
        plain: 'x',
        run: file('r', 0o755),
      }),
      directories: new Map([['n', 0o700]]),
    };
    build(root, present);
    const plan = planBetween(present, target, 'hard');
    const seen = new Set<string>();
    const watch = setInterval(() => {
      for (const name of ['n', 'n/key']) {
        const stats = lstatSync(`${root}/${name}`, { throwIfNoEntry: false });
        if (stats) seen.add(`${name} ${(stats.mode & 0o077).toString(8)}`);
      }
    }, 0);
    await apply(root, plan, new MemoryContents(present, target));
    clearInterval(watch);
    assert.equal([...walk(root)], [...manifest(target)]);
    for (const each of seen) assert.match(each, / 0$/);
  }));

const edited = ['e', 'gone', 'd/in', 'fresh'];

for (const stampProves of [undefined, false, true])
  test(`a restore keeps and reports a file that was edited after ${stampProves === undefined ? 'the capture' : `a capture whose stamps prove ${stampProves ? 'the contents' : 'nothing'}`} (F76)`, () =>
    inDirectory(async (root) => {
      const present = model({ e: 'new', gone: 'g', 'd/in': 'i', m: 'm', away: 'a' });
      const target = model({ e: 'old', d: 'file now', m: 'n', fresh: 'f' });
      build(root, present);
      const plan = planBetween(present, target, 'hard');
      const known = new Map<string, KnownContent>();
      const displaced = plan.writes.flatMap(({ expected, displaces }) => [expected ?? [], displaces].flat());
      for (const { path, blob } of [...displaced, ...plan.deletes.map(({ expected }) => expected)])
        known.set(path, { stamp: stampAt(root, path), blob, stampProves: stampProves === true });
      for (const name of edited) writeFileSync(`${root}/${name}`, 'mine');
      const read = new Set<string>();
      installFault((call, at) => {
        if (call === 'open') read.add(nameOf(at as TreePath));
      });
      const options = stampProves === undefined ? {} : { known: (path: TreePath) => known.get(path) };
      const result = await apply(root, plan, new MemoryContents(present, target), options).finally(() =>
        installFault(undefined),
      );
      assert.equal(result.conflicts, ['d', 'e', 'fresh', 'gone']);
      assert.equal([result.restored, result.deleted], [['m'], ['away']]);
      for (const name of edited) assert.is(readFileSync(`${root}/${name}`, 'utf8'), 'mine');
      assert.ok(read.has('e') && read.has('gone'), 'a file with another stamp is read');
      for (const name of ['m', 'away']) assert.is(read.has(name), stampProves !== true, name);
    }));

function stampAt(root: string, name: string): Stamp {
  return stampOf(lstatSync(`${root}/${name}`, { bigint: true }));
}

test('an edit between the write of a temporary file and its rename is never lost (F76)', () =>
  inDirectory(async (root) => {
    const present = model({ e: 'new', gone: 'g', 'd/in': 'i' });
    const target = model({ e: 'old', d: 'file now', z: 'z' });
    build(root, present);
    const result = await apply(
      root,
      planBetween(present, target, 'hard'),
      new MemoryContents(present, target),
      {
        onProgress: ({ done }) => {
          if (done === 4)
            for (const name of ['e', 'gone', 'd/in', 'z']) writeFileSync(`${root}/${name}`, 'mine');
        },
      },
    );
    assert.equal(result.conflicts, ['d', 'e', 'gone', 'z']);
    for (const name of ['e', 'gone', 'd/in', 'z']) assert.is(readFileSync(`${root}/${name}`, 'utf8'), 'mine');
    assert.is([...walk(root).keys()].filter((name) => name.includes('.ckpt-')).length, 0);
  }));

test('during a restore, readers never find a file missing, empty or partial (F77)', () =>
  inDirectory(async (root) => {
    const size = 300_000;
    const names = Array.from({ length: 8 }, (_, i) => `f${i}`);
    const a = model(Object.fromEntries(names.map((name) => [name, 'a'.repeat(size)])));
    const b = model(Object.fromEntries(names.map((name) => [name, 'b'.repeat(size)])));
    build(root, a);
    const reader = `
      const fs = require('fs'); let reads = 0; const end = Date.now() + 20000;
      process.stdin.on('end', () => { console.log('reads ' + reads); process.exit(0); }).resume();
      const turn = () => { for (let i = 0; i < 8; i += 1) {
        const text = fs.readFileSync(process.argv[1] + '/f' + i, 'latin1'); reads += 1;
        if (text !== 'a'.repeat(${size}) && text !== 'b'.repeat(${size})) { console.log('BAD ' + text.length); process.exit(1); }
      } if (Date.now() < end) setImmediate(turn); }; turn(); console.log('ready');`;
    const { spawn } = await import('node:child_process');
    const child = spawn(process.execPath, ['-e', reader, root], { stdio: ['pipe', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
    const contents = new MemoryContents(a, b);
    for (let i = 0; i < 25; i += 1) {
      await apply(root, planBetween(a, b, 'hard'), contents);
      await apply(root, planBetween(b, a, 'hard'), contents);
    }
    child.stdin.end();
    assert.is(await ended, 0, output);
    assert.ok(Number(/reads (\d+)/.exec(output)?.[1]) > 50, output);
  }));

test.run();
