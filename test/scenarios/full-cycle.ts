// Runs a full cycle with the real daemon on a work tree of any size: hundreds of edits of every kind, checkpoints, and
// hard restores in both directions. Independent tools describe the results: find, sha256sum and git itself.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { WireClient } from '../support/wire-client.ts';

export interface CycleOptions {
  readonly strategy: string;
  readonly workTree: string;
  /** The repository that contains the work tree. */
  readonly repository: string;
  /** A directory for the storage. */
  readonly scratch: string;
  /** The approximate number of files edited before each checkpoint. */
  readonly edits: number;
  /** Ignored files, which no checkpoint has. The cycle never edits these files. */
  readonly ignored?: RegExp;
}

/** The duration of each step in milliseconds. */
export type Times = Record<string, number>;

const environment = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  LC_ALL: 'C',
};

function run(command: string, ...args: string[]): Buffer {
  return execFileSync(command, args, { env: environment, maxBuffer: 1 << 30 });
}

/** Returns the state of the repository as git reports it, without our own refs. */
function repositoryState(repository: string): string {
  const git = (...args: string[]): string => run('git', '-C', repository, ...args).toString('latin1');
  const refs = git('for-each-ref').split('\n');
  const index = join(repository, '.git', 'index');
  return [
    git('rev-parse', 'HEAD'),
    ...refs.filter((line) => !line.includes('refs/checkpointd/')),
    git('stash', 'list'),
    existsSync(index) ? createHash('sha256').update(readFileSync(index)).digest('hex') : 'no index',
    readFileSync(join(repository, '.git', 'config'), 'latin1'),
  ].join('\n');
}

const status = (repository: string): string =>
  run('git', '--no-optional-locks', '-C', repository, 'status', '--porcelain', '-z').toString('latin1');

/**
 * Returns the kind, mode and link target of every file and link outside `.git`, the hash of every file, and every
 * directory. A list costs less than a copy of the work tree: a slow disk needs minutes to create sixty thousand files.
 */
function contentsOf(root: string): readonly string[] {
  const outsideGit = [root, '-name', '.git', '-prune', '-o'];
  const forms = ['-type', 'd', '-printf', '%P\\0d\\0\\n', '-o', '-printf', '%P\\0%y%m\\0%l\\0\\n'];
  const listed = run('find', ...outsideGit, ...forms)
    .toString('latin1')
    .split('\0\n');
  const summed = run('find', ...outsideGit, '-type', 'f', '-exec', 'sha256sum', '--zero', '{}', '+');
  return [...listed, ...summed.toString('latin1').split('\0')].sort();
}

function assertSame(now: readonly string[], then: readonly string[], when: string): void {
  const [before, after] = [new Set(then), new Set(now)];
  const lost = then.filter((line) => !after.has(line)).map((line) => `- ${line}`);
  const added = now.filter((line) => !before.has(line)).map((line) => `+ ${line}`);
  assert.equal([...lost.slice(0, 5), ...added.slice(0, 5)], [], `${when}: contents, modes and link targets`);
  assert.is(now.length, then.length, when);
}

/** Edits files in the whole tree: changes, deletions, renames, links, modes, a moved directory, new files. */
function editMany(root: string, round: number, { edits: count, ignored }: CycleOptions): void {
  const names = run('find', root, '-name', '.git', '-prune', '-o', '-type', 'f', '-printf', '%P\\0');
  const all = names.toString('latin1').split('\0').sort();
  const files = all.filter((name) => name !== '' && ignored?.test(name) !== true);
  const at = (path: string): Buffer => Buffer.from(`${root}/${path}`, 'latin1');
  const directory = join(root, `made-${round}`, 'by', 'the cycle');
  mkdirSync(directory, { recursive: true });
  const stride = Math.max(1, Math.floor(files.length / count));
  for (let i = round; i < files.length; i += stride) {
    const path = files[i] ?? '';
    const file = at(path);
    switch (Math.floor(i / stride) % 6) {
      case 0:
        writeFileSync(file, `${readFileSync(file, 'latin1')}\nedited in round ${round}\n`, 'latin1');
        break;
      case 1:
        rmSync(file);
        break;
      case 2:
        // No ignore rule may match the new path, because a restore does not delete an ignored file.
        renameSync(file, at(`made-${round}/renamed ${i}`));
        break;
      case 3:
        chmodSync(file, (lstatSync(file).mode & 0o100) === 0 ? 0o755 : 0o644);
        break;
      case 4:
        rmSync(file);
        symlinkSync(`../nowhere/${round}`, file);
        break;
      default:
        chmodSync(file, round % 2 === 0 ? 0o600 : 0o444);
    }
  }
  for (let i = 0; i < count / 4; i += 1) writeFileSync(join(directory, `new ${i}.txt`), `${round} ${i}\n`);
  // A capture leaves out empty directories, so the list for comparison must not have empty directories either.
  run('find', root, '-type', 'd', '-empty', '-not', '-path', '*/.git/*', '-delete');
}

/** Runs the cycle. Leaves the work tree as it found it. */
export async function fullCycle(client: WireClient, options: CycleOptions): Promise<Times> {
  const { workTree, repository, scratch, strategy, edits } = options;
  const times: Times = {};
  const timed = async <T>(what: string, work: Promise<T>): Promise<T> => {
    const started = performance.now();
    const result = await work;
    times[what] = Math.round(performance.now() - started);
    return result;
  };
  const before = repositoryState(repository);
  const statusBefore = status(repository);
  const contents = [contentsOf(workTree)];
  const opened = await timed(
    'open',
    client.request('session/open', {
      workspace: workTree,
      strategy,
      storageDir: join(scratch, 'storage'),
      conversationId: 'cycle',
      limits: { initTimeoutMs: 600_000 },
    }),
  );
  assert.ok(opened.checkpoints.enabled, opened.checkpoints.message);
  assert.equal(opened.skipped, []);
  const { session } = opened;
  for (const round of [1, 2]) {
    editMany(workTree, round, options);
    const { complete } = await timed(
      `create ${round}`,
      client.request('checkpoint/create', { session, kind: 'turn' }),
    );
    assert.ok(complete);
    contents.push(contentsOf(workTree));
  }
  const diff = await timed(
    'diff',
    client.request('checkpoint/diff', { session, from: '0', to: '2', format: 'nameStatus' }),
  );
  assert.ok(diff.files.length >= Math.min(edits, 100), `${diff.files.length} files differ`);
  for (const target of [0, 2, 1, 0]) {
    const restored = await timed(
      `restore ${target}`,
      client.request('checkpoint/restore', { session, tag: String(target), mode: 'hard', confirm: true }),
    );
    assert.equal(restored.failed, []);
    assertSame(contentsOf(workTree), contents[target] ?? [], `${strategy}: restore to ${target}`);
    assert.is(repositoryState(repository), before, `${strategy}: HEAD, refs, stash, index and config`);
  }
  assert.is(status(repository), statusBefore, `${strategy}: git status`);
  const { ok, problems } = await timed('verify', client.request('store/verify', { session }));
  assert.ok(ok, JSON.stringify(problems));
  await client.request('session/delete', { session, storageDir: join(scratch, 'storage') });
  return times;
}
