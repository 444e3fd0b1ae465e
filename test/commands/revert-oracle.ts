// Makes random histories of a work tree, and compares reverts of ranges with `git merge-tree`. Every line of every file
// is unique, because git's two ways to merge a text may pair repeated lines differently. The normal test runs a sample.
// The long test runs more.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import type { Random } from '../../scripts/torture/random.ts';
import type { RevertResult } from '../../src/protocol/types.ts';
import { git } from '../support/git-oracle.ts';
import { type InProcessDaemon, manifest, repository } from '../support/in-process-daemon.ts';

const names = ['a.txt', 'b.txt', 'c.txt', 'd/a.txt', 'd/e/f.txt', 'run.sh', 'link', 'data.bin', 'g'];

/** Edits a work tree at random: contents, modes, links, names, and files that become directories. */
class Editor {
  readonly #root: string;
  readonly #random: Random;
  #lines = 0;

  constructor(root: string, random: Random) {
    this.#root = root;
    this.#random = random;
  }

  edit(): void {
    for (let n = 1 + this.#random.below(4); n > 0; n -= 1) {
      const path = join(this.#root, this.#random.pick(names));
      if (isFile(path)) this.#change(path);
      else if (!isThere(path)) this.#make(path);
      else if (this.#random.chance(20)) rmSync(path, { recursive: true });
    }
  }

  #change(path: string): void {
    const act = this.#random.weighed<() => void>([
      [10, () => this.#changeLines(path)],
      [2, () => rmSync(path)],
      [3, () => this.#rename(path)],
      [2, () => chmodSync(path, (statSync(path).mode & 0o111) === 0 ? 0o755 : 0o644)],
      [1, () => this.#replace(path)],
    ]);
    act();
  }

  #changeLines(path: string): void {
    const lines = readFileSync(path, 'latin1').split('\n').slice(0, -1);
    const at = this.#random.below(lines.length);
    const count = this.#random.chance(70) ? 1 : 0;
    lines.splice(at, count, ...Array.from({ length: this.#random.below(3) }, () => this.#line()));
    writeFileSync(path, `${lines.join('\n')}\n`, 'latin1');
  }

  #rename(path: string): void {
    const to = join(this.#root, this.#random.pick(['moved.txt', 'd/moved.txt', 'n/moved.txt']));
    if (isThere(to) || !canMake(this.#root, to)) return;
    mkdirSync(dirname(to), { recursive: true });
    renameSync(path, to);
  }

  /** Replaces a file by a directory or a link. */
  #replace(path: string): void {
    rmSync(path);
    if (this.#random.chance(50)) symlinkSync(`to-${this.#lines}`, path);
    else this.#make(join(path, 'below.txt'));
  }

  #make(path: string): void {
    if (!canMake(this.#root, path)) return;
    mkdirSync(dirname(path), { recursive: true });
    if (path.endsWith('link')) return symlinkSync(this.#line(), path);
    const lines = Array.from({ length: 12 }, () => this.#line());
    if (path.endsWith('.bin')) lines.unshift('\0');
    writeFileSync(path, `${lines.join('\n')}\n`);
  }

  #line(): string {
    this.#lines += 1;
    return `line ${this.#lines} ${this.#random.below(1 << 30).toString(36)}`;
  }
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** False if a parent of the path is a file or a link. */
function canMake(root: string, path: string): boolean {
  for (let at = dirname(path); at.length > root.length; at = dirname(at)) {
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats !== undefined && !stats.isDirectory()) return false;
  }
  return true;
}

/** The counts of a run. With these counts, a test checks that some reverts had conflicts and others had none. */
export interface Tried {
  reverts: number;
  conflicts: number;
}

/** Makes a history and reverts some of its ranges. Undoes each revert before the next revert. */
export async function tryHistory(
  daemon: InProcessDaemon,
  random: Random,
  ranges: number,
  tried: Tried,
): Promise<void> {
  const root = repository({ 'a.txt': '' });
  const { session, shadowRepoPath = '' } = await daemon.open(root);
  const editor = new Editor(root, random);
  const turns: string[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    for (let n = turn === 0 ? 6 : 1; n > 0; n -= 1) editor.edit();
    const { checkpoint } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
    turns.push(checkpoint.id);
  }
  editor.edit();
  for (let n = 0; n < ranges; n += 1) {
    const from = random.below(turns.length);
    const to = from + 1 + random.below(turns.length - from);
    const before = manifest(root);
    const result = await daemon.call('checkpoint/revert', {
      session,
      from: turns[from] ?? '',
      ...(to < turns.length ? { to: turns[to] ?? '' } : {}),
      confirm: true,
    });
    compare(shadowRepoPath, result);
    tried.reverts += 1;
    tried.conflicts += result.conflicts.length > 0 ? 1 : 0;
    await daemon.call('checkpoint/undo', { session, confirm: true });
    assert.equal(manifest(root), before, 'a revert and its undo change nothing');
  }
  await newestTurn(daemon, session, root, turns.at(-1) ?? '');
  await daemon.call('session/close', { session });
  rmSync(root, { recursive: true });
}

/** Reverts the newest turn, and compares the files with the result of a hard restore. */
async function newestTurn(
  daemon: InProcessDaemon,
  session: string,
  root: string,
  newest: string,
): Promise<void> {
  await daemon.call('checkpoint/revert', { session, tag: newest, confirm: true });
  const reverted = manifest(root);
  await daemon.call('checkpoint/undo', { session, confirm: true });
  await daemon.call('checkpoint/restore', { session, tag: newest, mode: 'hard', confirm: true });
  assert.equal(
    reverted,
    manifest(root),
    'a revert of the newest turn equals a hard restore to its checkpoint',
  );
}

type Tree = ReadonlyMap<string, string>;

function treeOf(repository: string, tree: string): Tree {
  const lines = git(repository, 'ls-tree', '-r', '-z', tree).split('\0').filter(Boolean);
  return new Map(
    lines.map((line): [string, string] => [line.split('\t')[1] ?? '', line.split('\t')[0] ?? '']),
  );
}

/**
 * Compares a revert with git's merge of the same three trees. Git and a revert write their conflicts in different
 * forms.
 */
function compare(shadow: string, { from, to, safety, checkpoint, conflicts }: RevertResult): void {
  const ids = [to ?? safety, safety, from, checkpoint?.id];
  const refs = ids.map((id) => `refs/checkpointd/checkpoints/${id}^{tree}`);
  const [base = '', ours = '', theirs = '', reverted = ''] = git(shadow, 'rev-parse', ...refs).split('\n');
  const merged = mergeTrees(shadow, { base, ours, theirs });
  const mine = new Set(conflicts.map(({ path }) => path));
  const where = `trees ${base} ${ours} ${theirs}, conflicts ${[...merged.conflicts].join(' ')} and ${[...mine].join(' ')}`;
  assert.is(mine.size > 0, merged.conflicts.size > 0, where);
  // If a file and a directory need the same path, git moves the file to `name~commit`. A revert moves neither the file
  // nor the directory.
  const places = [...mine, ...[...merged.conflicts].map((path) => path.replace(/~[0-9a-f]{40}.*$/, ''))];
  const isAt = (path: string): boolean =>
    /~[0-9a-f]{40}/.test(path) ||
    places.some((each) => each === path || each.startsWith(`${path}/`) || path.startsWith(`${each}/`));
  const [result, present, wanted] = [reverted, ours, merged.tree].map((tree) =>
    treeOf(oracleOf(shadow), tree),
  );
  for (const path of new Set([result, present, wanted].flatMap((tree) => [...(tree?.keys() ?? [])]))) {
    if (mine.has(path)) assert.is(result?.get(path), present?.get(path), `${where}: ${path} stays`);
    else if (!isAt(path)) assert.is(result?.get(path), wanted?.get(path), `${where}: ${path}`);
  }
}

const oracleOf = (shadow: string): string => join(dirname(shadow), 'oracle.git');

/**
 * Merges trees with git in a new repository. This repository has the objects of the shadow repository, but not its
 * attributes.
 */
function mergeTrees(
  shadow: string,
  { base, ours, theirs }: { readonly base: string; readonly ours: string; readonly theirs: string },
): { readonly tree: string; readonly conflicts: ReadonlySet<string> } {
  const bare = oracleOf(shadow);
  if (!isThere(bare)) git('.', 'init', '-q', '--bare', bare);
  writeFileSync(join(bare, 'objects', 'info', 'alternates'), `${join(shadow, 'objects')}\n`);
  const commit = (tree: string, ...parents: string[]): string =>
    git(bare, 'commit-tree', '-m', 'm', ...parents.flatMap((each) => ['-p', each]), tree).trim();
  const root = commit(base);
  const settings = ['-c', 'merge.directoryRenames=false', '-c', 'merge.renames=true'];
  const options = ['--write-tree', '--name-only', '--no-messages', '-z'];
  const args = [...settings, 'merge-tree', ...options, commit(ours, root), commit(theirs, root)];
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: bare, env, encoding: 'utf8' });
  // Git exits with 1 when there are conflicts.
  if (status !== 0 && status !== 1) throw new Error(`git merge-tree: ${stderr}`);
  const [tree = '', ...conflicts] = stdout.split('\0').filter(Boolean);
  return { tree, conflicts: new Set(conflicts) };
}

/** True when git has `merge-tree --write-tree` (since 2.38). */
export function canMergeTrees(): boolean {
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(git('.', '--version')) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 38);
}
