import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  compare,
  compareTexts,
  type DiffTrees,
  nameStatus,
  statText,
  unifiedText,
} from '../../../src/git/diff/tree-diff.ts';
import { TreeDiffer } from '../../../src/git/diff/tree-differ.ts';
import { emptyTree } from '../../../src/git/objects/tree-format.ts';
import { git, inTemporary } from '../../support/git-oracle.ts';
import { checkPropertyAsync } from '../../support/property.ts';
import { kindOf } from '../../support/stores/store-rig.ts';

type Files = readonly (readonly [name: string, content: string])[];

/** Makes trees in a repository, and compares them with a running differ. */
async function withDiffer(
  body: (rig: { tree: (files: Files) => string; differ: TreeDiffer; gitDir: string }) => Promise<void>,
): Promise<void> {
  await inTemporary(async (work) => {
    git(work, 'init', '-q', '--template=');
    const gitDir = join(work, '.git');
    const differ = new TreeDiffer(gitDir);
    const tree = (files: Files): string => {
      git(work, 'rm', '-r', '-q', '--cached', '--ignore-unmatch', '.');
      rmSync(join(work, 'in'), { recursive: true, force: true });
      for (const [name, content] of files) {
        const file = join(work, 'in', name);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, content);
      }
      git(work, 'add', '-A');
      return git(work, 'write-tree').trim();
    };
    try {
      await body({ tree, differ, gitDir });
    } finally {
      await differ.close();
    }
  });
}

const long = Array.from({ length: 30 }, (_, index) => `line ${index}\n`).join('');

// A directory and a file never have the same name, because their names begin with different letters.
const someFiles = fc
  .dictionary(
    fc.constantFrom('a', 'b', 'd/c', 'd/e/f', 'end 00\n', ' :x', 'tab\there', '-', 'd/\u00e9'),
    fc.constantFrom(
      '',
      'x\n',
      'y\n',
      'x\ny\n',
      long,
      `${long}more\n`,
      `less\n${long}`,
      '\0\x01',
      'no newline',
    ),
  )
  .map((files): Files => Object.entries(files));

test('in every format, a TreeDiffer that keeps running gives the same output as a new git process (Q30, Q32)', () =>
  withDiffer(async ({ tree, differ, gitDir }) => {
    const property = async ([one, two]: [Files, Files]): Promise<void> => {
      const once: DiffTrees = { gitDir, from: tree(one), to: tree(two) };
      const stays: DiffTrees = { ...once, differ };
      assert.equal(await compare(stays), await compare(once));
      assert.equal(await nameStatus(stays), await nameStatus(once));
      assert.is((await statText(stays)).toString('latin1'), (await statText(once)).toString('latin1'));
      assert.is((await unifiedText(stays)).toString('latin1'), (await unifiedText(once)).toString('latin1'));
    };
    await checkPropertyAsync(fc.tuple(someFiles, someFiles), property, 40);
  }));

test('a TreeDiffer starts a new git process after many comparisons, and after a kill of its process', () =>
  withDiffer(async ({ tree, differ, gitDir }) => {
    const trees = { gitDir, from: emptyTree, to: tree([['a', 'a\n']]), differ };
    const pids = new Set<number>();
    for (let i = 0; i < 40; i += 1) {
      assert.is((await nameStatus(trees)).length, 1);
      for (const pid of differ.pids) pids.add(pid);
    }
    assert.is(pids.size, 2);
    for (const pid of differ.pids) process.kill(pid, 'SIGKILL');
    assert.is((await nameStatus(trees)).length, 1);
    assert.is((await nameStatus(trees)).length, 1);
    assert.not.ok(differ.pids.some((pid) => pids.has(pid)));
  }));

test('each of several parallel comparisons gets its own git process', () =>
  withDiffer(async ({ tree, differ, gitDir }) => {
    const [from, to] = [tree([['a', 'a\n']]), tree([['b', 'b\n']])];
    const pairs = [
      [from, to],
      [to, from],
      [from, emptyTree],
      [emptyTree, to],
    ] as const;
    const found = await Promise.all(
      pairs.map(async ([one, two]) => nameStatus({ gitDir, from: one, to: two, differ })),
    );
    for (const [index, [one, two]] of pairs.entries())
      assert.equal(found[index], await nameStatus({ gitDir, from: one, to: two }));
  }));

test('a TreeDiffer reports a missing object; after this report or a cancel, the next comparison works', () =>
  withDiffer(async ({ tree, differ, gitDir }) => {
    const trees = { gitDir, from: emptyTree, to: tree([['d/a', 'a\n']]), differ };
    assert.is((await compare(trees)).items.length, 1);
    const missing = 'd'.repeat(40);
    assert.is(await kindOf(nameStatus({ ...trees, to: missing })), 'DataCorrupt');
    assert.is((await compare(trees)).items.length, 1);
    const cancel = new AbortController();
    const cancelled = compare(trees, { signal: cancel.signal }).catch((error: unknown) => error);
    cancel.abort(new Error('no longer wanted'));
    assert.match(String(await cancelled), /no longer wanted/);
    assert.is((await compare(trees)).items.length, 1);
  }));

test('a renewed TreeDiffer does not find removed objects; a closed TreeDiffer starts a new git process for each comparison', () =>
  withDiffer(async ({ tree, differ, gitDir }) => {
    const to = tree([['a', 'only here\n']]);
    const trees = { gitDir, from: emptyTree, to, differ };
    assert.is((await compare(trees)).counts[0]?.added, 1);
    rmSync(join(gitDir, 'objects', to.slice(0, 2)), { recursive: true });
    await differ.renew();
    assert.equal(differ.pids, []);
    assert.is(await kindOf(compare(trees)), 'DataCorrupt');
    tree([['a', 'only here\n']]);
    await differ.close();
    assert.is((await compare(trees)).counts[0]?.added, 1);
    assert.equal(differ.pids, []);
  }));

test('a TreeDiffer can stop after the beginning of a long text, and still makes the next comparison', () =>
  withDiffer(async ({ tree, differ, gitDir }) => {
    const to = tree([['in.txt', 'line\n'.repeat(400_000)]]);
    const trees: DiffTrees = { gitDir, from: emptyTree, to, differ };
    const whole = await unifiedText(trees);
    for (const textBytesMax of [1, 100_000, whole.length - 1]) {
      const cut = await unifiedText(trees, { textBytesMax });
      assert.ok(cut.equals(whole.subarray(0, textBytesMax)), String(textBytesMax));
    }
    for (const textBytesMax of [whole.length, whole.length + 1])
      assert.ok((await unifiedText(trees, { textBytesMax })).equals(whole), String(textBytesMax));
    assert.is((await nameStatus(trees)).length, 1);
  }));

test('if the limit cuts the records before a text, another git process gives all records', () =>
  withDiffer(async ({ tree, differ, gitDir }) => {
    const files = Array.from({ length: 20 }, (_, at): [string, string] => [`file${at}`, `line ${at}\n`]);
    const trees: DiffTrees = { gitDir, from: emptyTree, to: tree(files), differ };
    const whole = { ...(await compare(trees)), text: await unifiedText(trees) };
    assert.is(whole.items.length, 20);
    for (const recordsBytesMax of [0, 10, 1000, 2000, 1 << 20]) {
      const { text, ...records } = await compareTexts(trees, { textBytesMax: 9 }, recordsBytesMax);
      assert.equal(records, { items: whole.items, counts: whole.counts }, String(recordsBytesMax));
      assert.ok(text.length >= 9 && text.equals(whole.text.subarray(0, text.length)));
    }
  }));

test.run();
