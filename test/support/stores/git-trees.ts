// Writes the directories of a store in memory as loose objects, so that git can compare them.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import type { BlobId } from '../../../src/base/ids.ts';
import { type Directory, isDirectory } from '../../../src/tree/tree.ts';

/** Makes a bare repository at `gitDir` with these trees. Returns their ids. */
export function writeGitTrees(
  gitDir: string,
  trees: readonly Directory[],
  blobs: ReadonlyMap<BlobId, Uint8Array>,
): string[] {
  execFileSync('git', ['init', '-q', '--bare', '--template=', gitDir], {
    env: { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', HOME: '/nonexistent' },
  });
  const written = new Set<string>();
  const write = (kind: string, content: Uint8Array): string => {
    const bytes = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]);
    const id = createHash('sha1').update(bytes).digest('hex');
    if (written.has(id)) return id;
    written.add(id);
    mkdirSync(join(gitDir, 'objects', id.slice(0, 2)), { recursive: true });
    writeFileSync(join(gitDir, 'objects', id.slice(0, 2), id.slice(2)), deflateSync(bytes, { level: 1 }));
    return id;
  };
  const visit = (directory: Directory): string => {
    const rows = [...directory.entries].map(([name, node]) => {
      const id = isDirectory(node) ? visit(node) : write('blob', blobs.get(node.blob) ?? Buffer.alloc(0));
      const head = Buffer.from(`${isDirectory(node) ? '40000' : node.mode} ${name}\0`, 'latin1');
      const bytes = Buffer.concat([head, Buffer.from(id, 'hex')]);
      return { key: isDirectory(node) ? `${name}/` : name, bytes };
    });
    rows.sort((a, b) => (a.key < b.key ? -1 : 1));
    return write('tree', Buffer.concat(rows.map(({ bytes }) => bytes)));
  };
  return trees.map(visit);
}
