// Computes fingerprints of a work tree and of its git repository, to show that both are unchanged.
import { createHash, type Hash } from 'node:crypto';
import { closeSync, lstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { git } from './git.ts';

const chunk = Buffer.allocUnsafe(1 << 20);

function addContent(hash: Hash, path: Buffer): void {
  const descriptor = openSync(path, 'r');
  try {
    for (let count = readSync(descriptor, chunk); count > 0; count = readSync(descriptor, chunk))
      hash.update(chunk.subarray(0, count));
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Returns one hash of the paths, kinds, permission bits and contents of all files below the directory, except in
 * `.git`. Like git, ignores empty directories. Calls `visited` with the number of files read so far.
 */
export function fingerprint(directory: string, visited: (files: number) => void): string {
  const hash = createHash('sha256');
  let files = 0;
  // Each character of a path stands for one byte, because names need not be UTF-8.
  const visit = (path: string, name: string): void => {
    for (const entry of readdirSync(Buffer.from(path, 'latin1'), { encoding: 'latin1' }).sort()) {
      if (entry === '.git') continue;
      const child = `${path}/${entry}`;
      const bytes = Buffer.from(child, 'latin1');
      const stat = lstatSync(bytes);
      if (stat.isDirectory()) {
        visit(child, `${name}/${entry}`);
        continue;
      }
      hash.update(`${name}/${entry}\0${stat.mode}\0`);
      if (stat.isSymbolicLink()) hash.update(readlinkSync(bytes, { encoding: 'buffer' }));
      else if (stat.isFile()) addContent(hash, bytes);
      visited((files += 1));
    }
  };
  visit(Buffer.from(directory).toString('latin1'), '');
  return hash.digest('hex');
}

/** Returns the state of a repository as git reports it. The daemon must not change this state. */
export async function repositoryState(root: string): Promise<string> {
  const said = await Promise.all([
    git(root, 'rev-parse', 'HEAD'),
    git(root, 'for-each-ref'),
    git(root, 'stash', 'list'),
  ]);
  const hash = createHash('sha256').update(said.join('\0'));
  addContent(hash, Buffer.from(join(root, '.git', 'index')));
  return hash.digest('hex');
}
