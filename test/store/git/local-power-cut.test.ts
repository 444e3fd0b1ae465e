// Tests that the user's own git works after a power cut, without the daemon. Uses a small disk that only root may
// mount.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Disk } from '../../../scripts/torture/disk.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { daemonEntry } from '../../support/wire-client.ts';
import { WireSession } from '../../support/wire-session.ts';

const refusal = Disk.refusal();
if (refusal !== undefined) console.log(`no disk whose power can be cut: ${refusal}`);

/** Makes a directory with a git that reports version 2.35 and, like version 2.35, does not know `core.fsync`. */
function olderGit(): string {
  const bin = join(temporaryDirectory('older-git'), 'bin');
  mkdirSync(bin);
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh
case "$*" in *version) echo "git version 2.35.9"; exit;; esac
for word do
  case "$word" in core.fsync=*) word=core.fsync=none;; esac
  shift
  set -- "$@" "$word"
done
exec ${real} "$@"
`;
  writeFileSync(join(bin, 'git'), script);
  chmodSync(join(bin, 'git'), 0o755);
  return bin;
}

/** Makes the file system commit its journal, but does not sync the contents of files. */
function commitJournal(root: string): void {
  const fd = openSync(join(root, 'other'), 'w');
  fsyncSync(fd);
  closeSync(fd);
}

function looseRefs(workTree: string): string[] {
  const top = join(workTree, '.git', 'refs', 'checkpointd');
  return readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
}

async function cutAfterChanges(rig: WireSession, disk: Disk): Promise<void> {
  const { workTree } = rig.places;
  for (const text of ['two', 'three', 'four']) {
    rig.write('a.txt', `${text}\n`);
    await rig.request('checkpoint/create', { kind: 'turn', name: text });
  }
  // Deleting a packed ref rewrites `packed-refs`.
  git(disk, workTree, 'pack-refs', '--all');
  disk.sync();
  await rig.request('checkpoint/delete', { tag: '2' });
  rig.write('a.txt', 'five\n');
  await rig.request('checkpoint/create', { kind: 'turn', name: 'five' });
  commitJournal(disk.root);
  disk.cut();
  await rig.client.kill();
  await disk.restart();
}

/** Runs the user's own git. */
function git(disk: Disk, directory: string, ...words: readonly string[]): string {
  const identity = ['-c', 'user.name=u', '-c', 'user.email=u@example.org'];
  const env = { PATH: process.env.PATH, HOME: disk.root, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', ['-C', directory, ...identity, ...words], {
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

for (const [which, path] of [
  ['git', () => ''],
  ['a git older than 2.36', () => `${olderGit()}:`],
] as const) {
  const name = `the user's own git works after a power cut in local, with ${which} writing the refs`;
  const body = async (): Promise<void> => {
    const disk = new Disk(temporaryDirectory('power'));
    let rig: WireSession | undefined;
    try {
      const places = { workTree: join(disk.root, 'tree'), storage: join(disk.root, 'storage') };
      mkdirSync(places.workTree);
      git(disk, places.workTree, 'init', '-q', '-b', 'main');
      writeFileSync(join(places.workTree, 'a.txt'), 'one\n');
      git(disk, places.workTree, 'add', 'a.txt');
      git(disk, places.workTree, 'commit', '-q', '-m', 'one');
      git(disk, disk.root, 'clone', '-q', '--bare', places.workTree, 'other.git');
      disk.sync();
      const [program = '', ...words] = disk.prefix;
      const env = { ...process.env, PATH: `${path()}${process.env.PATH ?? ''}` };
      const command = [program, ...words, process.execPath, daemonEntry] as const;
      rig = new WireSession(places, { command, env });
      await rig.open({ strategy: 'local' });
      await cutAfterChanges(rig, disk);
      const refs = looseRefs(places.workTree);
      assert.ok(refs.length >= 3, 'refs were on the disk');
      for (const ref of refs) assert.match(ref, /^[0-9a-f]{40}\n$/);
      git(disk, places.workTree, 'fsck', '--full', '--strict');
      git(disk, places.workTree, 'fetch', '-q', join(disk.root, 'other.git'), 'main');
      git(disk, places.workTree, 'gc', '-q', '--prune=now');
      assert.match(git(disk, places.workTree, 'for-each-ref'), /refs\/checkpointd\//);
    } finally {
      await rig?.client.kill();
      disk.remove();
    }
  };
  if (refusal === undefined) test(name, body);
}

test.run();
