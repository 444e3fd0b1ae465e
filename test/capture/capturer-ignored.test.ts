// If the outer repository ignores the whole work tree, a capture applies only the work tree's own ignore rules. A
// warning says so.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { git, InProcessDaemon, write } from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';

/**
 * Makes a repository with a project at `home/project`. The repository ignores the project from the start, or after a
 * later step.
 */
function enclosed(rules: Record<string, string>): { home: string; project: string } {
  const home = temporaryDirectory('home');
  git(home, 'init', '-q');
  write(home, {
    ...rules,
    'project/a.txt': 'a\n',
    'project/.gitignore': '*.log\n',
    'project/b.log': 'log\n',
  });
  return { home, project: join(home, 'project') };
}

async function pathsOf(daemon: InProcessDaemon, session: string, tag: string): Promise<string[]> {
  const { files } = await daemon.call('checkpoint/files', { session, tag });
  return files.map(({ path }) => path);
}

const ignoring: readonly (readonly [string, Record<string, string>])[] = [
  ['.gitignore of * in a home directory', { '.gitignore': '*\n' }],
  ['a rule for the directory', { '.gitignore': '/project/\n*.txt\n' }],
  ['info/exclude', { '.git/info/exclude': '*\n' }],
];

for (const [title, rules] of ignoring) {
  test(`a capture applies the work tree’s own ignore rules if the outer repository ignores the work tree: ${title}`, async () => {
    const { home, project } = enclosed(rules);
    const daemon = new InProcessDaemon();
    const { session, checkpoints, warnings } = await daemon.open(project, { conversationId: 'c' });
    assert.is(checkpoints.enabled, true);
    assert.is(warnings?.length, 1);
    assert.match(warnings?.[0] ?? '', /ignores this whole directory/);
    assert.ok(warnings?.[0]?.includes(home));
    assert.equal(await pathsOf(daemon, session, '0'), ['.gitignore', 'a.txt']);
    write(project, { 'a.txt': 'changed\n', 'later.txt': 'later\n' });
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
    const { deleted, skipped } = await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
    assert.is(readFileSync(join(project, 'a.txt'), 'utf8'), 'a\n');
    assert.equal(deleted, [{ path: 'later.txt' }], 'it was not hidden by a rule that does not count');
    assert.equal(skipped, []);
    await daemon.close();
  });
}

test('each capture applies the ignore rules of the outer repository, unless these rules ignore the whole work tree', async () => {
  const { home, project } = enclosed({ '.gitignore': '*.txt\n' });
  const daemon = new InProcessDaemon();
  const { session, warnings } = await daemon.open(project);
  assert.is(warnings, undefined);
  assert.equal(await pathsOf(daemon, session, '0'), ['.gitignore']);
  writeFileSync(join(home, '.gitignore'), '*.txt\n/project\n');
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  assert.equal(await pathsOf(daemon, session, '1'), ['.gitignore', 'a.txt']);
  writeFileSync(join(home, '.gitignore'), '*.md\n');
  write(project, { 'x.md': 'x\n', 'y.txt': 'y\n' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  assert.equal(await pathsOf(daemon, session, '2'), ['.gitignore', 'a.txt', 'y.txt']);
  await daemon.close();
});

test('if the outer repository tracks files of an ignored work tree, a capture includes these files', async () => {
  const { home, project } = enclosed({ '.gitignore': '*\n' });
  git(home, 'add', '-f', 'project/b.log');
  const daemon = new InProcessDaemon();
  const { session } = await daemon.open(project);
  assert.equal(await pathsOf(daemon, session, '0'), ['.gitignore', 'a.txt', 'b.log']);
  await daemon.close();
});

test('the daemon reports an empty first checkpoint only if the directory has files', async () => {
  const { project } = enclosed({ '.gitignore': '*\n!/project/\n' });
  rmSync(join(project, '.gitignore'));
  const daemon = new InProcessDaemon();
  const { warnings } = await daemon.open(project);
  assert.is(warnings?.length, 1);
  assert.match(warnings?.[0] ?? '', /base holds no file, although/);
  const empty = temporaryDirectory('empty');
  mkdirSync(join(empty, 'sub'));
  git(empty, 'init', '-q');
  rmSync(join(empty, 'sub'), { recursive: true });
  assert.is((await daemon.open(empty)).warnings, undefined);
  await daemon.close();
});

test.run();
