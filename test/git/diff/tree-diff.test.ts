import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  compare,
  compareTexts,
  type DiffOptions,
  type DiffTrees,
  nameStatus,
  statText,
  unifiedText,
} from '../../../src/git/diff/tree-diff.ts';
import { emptyTree } from '../../../src/git/objects/tree-format.ts';
import { git, gitBytes, inTemporary, path } from '../../support/git-oracle.ts';

async function withTrees(body: (trees: DiffTrees, work: string) => Promise<void>): Promise<void> {
  await inTemporary(async (work) => {
    git(work, 'init', '-q', '--template=');
    const snap = (): string => {
      git(work, 'add', '-A');
      return git(work, 'write-tree').trim();
    };
    const long = Array.from({ length: 30 }, (_, index) => `line ${index}\n`).join('');
    mkdirSync(join(work, 'd'));
    for (const [name, content] of Object.entries({
      kept: 'k\n',
      gone: 'g\n',
      old: long,
      'd/x': '1\n2\n',
      '*': 's\n',
      typed: 't',
    })) {
      writeFileSync(join(work, name), content);
    }
    writeFileSync(Buffer.from(`${work}/\xff\n`, 'latin1'), 'odd\n');
    writeFileSync(join(work, 'binary'), Buffer.from([0, 1, 2]));
    const from = snap();
    rmSync(join(work, 'gone'));
    rmSync(join(work, 'typed'));
    symlinkSync('kept', join(work, 'typed'));
    renameSync(join(work, 'old'), join(work, 'd/new'));
    writeFileSync(join(work, 'd/x'), '1\n3\n');
    writeFileSync(join(work, '*'), 'S\n');
    writeFileSync(join(work, 'added'), 'a\n');
    writeFileSync(Buffer.from(`${work}/\xff\n`, 'latin1'), 'odder\n');
    writeFileSync(join(work, 'binary'), Buffer.from([0, 1, 3]));
    await body({ gitDir: join(work, '.git'), from, to: snap() }, work);
  });
}

test('our diff gives the same names, statuses and renames as git, even for names of any bytes (Q30)', () =>
  withTrees(async (trees) => {
    const shape = (await nameStatus(trees)).map(({ status, from, path, score }) => [
      status,
      from,
      path,
      score,
    ]);
    assert.equal(
      shape.sort((a, b) => (String(a) < String(b) ? -1 : 1)),
      [
        ['A', undefined, 'added', undefined],
        ['D', undefined, 'gone', undefined],
        ['M', undefined, '*', undefined],
        ['M', undefined, 'binary', undefined],
        ['M', undefined, 'd/x', undefined],
        ['M', undefined, '\xff\n', undefined],
        ['R', 'old', 'd/new', 100],
        ['T', undefined, 'typed', undefined],
      ],
    );
    const only = await nameStatus(trees, { paths: [path('d'), path('*'), path('nope')] });
    assert.equal(
      only.map(({ status, path }) => `${status} ${path}`),
      ['M *', 'A d/new', 'M d/x'],
    );
    const odd = await nameStatus(trees, { paths: [path('\xff\n')] });
    assert.equal(
      odd.map(({ path }) => path),
      ['\xff\n'],
    );
  }));

test('the lines of a renamed file are counted under the new name; a binary file is only marked', () =>
  withTrees(async (trees) => {
    const { items, counts: list } = await compare(trees);
    assert.equal(items, await nameStatus(trees));
    const counts = new Map(list.map((count) => [String(count.path), count]));
    assert.equal(counts.get('d/x'), { path: path('d/x'), added: 1, removed: 1 });
    assert.equal(counts.get('binary'), { path: path('binary'), added: undefined, removed: undefined });
    assert.equal(counts.get('d/new'), { path: path('d/new'), from: path('old'), added: 0, removed: 0 });
    assert.is(counts.size, 8);
  }));

test('our diff texts equal the texts of git diff, whatever the settings of the repository', () =>
  withTrees(async (trees, work) => {
    const plain = ['-c', 'core.quotePath=false', '-c', 'core.abbrev=7', 'diff'];
    const unified = gitBytes(work, ...plain, trees.from, trees.to);
    const patch = gitBytes(work, ...plain, '--binary', trees.from, trees.to);
    const stat = gitBytes(work, ...plain, '--stat=80', trees.from, trees.to);
    git(work, 'config', 'diff.external', '/bin/false');
    git(work, 'config', 'color.ui', 'always');
    git(work, 'config', 'diff.noprefix', 'true');
    assert.is((await unifiedText(trees)).toString('latin1'), unified.toString('latin1'));
    assert.is((await unifiedText(trees, { binary: true })).toString('latin1'), patch.toString('latin1'));
    assert.is((await statText(trees)).toString('latin1'), stat.toString('latin1'));
    const all = await nameStatus({ ...trees, from: emptyTree, to: trees.from });
    assert.ok(all.every(({ status }) => status === 'A'));
    assert.is(all.length, 8);
  }));

test('one git process gives the same records and text as a process for each', () =>
  withTrees(async (trees) => {
    const separate = async (options: DiffOptions): Promise<object> => ({
      ...(await compare(trees, options)),
      text: (await unifiedText(trees, options)).toString('latin1'),
    });
    const together = async (options: DiffOptions): Promise<object> => {
      const { text, ...records } = await compareTexts(trees, options);
      return { ...records, text: text.toString('latin1') };
    };
    // Two portions of paths, with differences in both and in one of them.
    const far = [path('d'), ...Array.from({ length: 250 }, (_, at) => path(`none${at}`))];
    const all: DiffOptions[] = [{}, { binary: true }, { context: 0 }, { paths: [path('d'), path('*')] }];
    for (const options of [
      ...all,
      { paths: [...far, path('binary')] },
      { paths: far },
      { paths: [path('none')] },
    ])
      assert.equal(await together(options), await separate(options), JSON.stringify(options));
    assert.is((await compareTexts(trees)).items.length, 8);
    const none = await compareTexts({ ...trees, to: trees.from });
    assert.equal(none, { items: [], counts: [], text: Buffer.alloc(0) });
  }));

test.run();
