// Computes the id that the current content of one path would have in a store. Stores nothing.
import { attempt, hasCode } from '../base/attempt.ts';
import { CheckpointdError } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { BlobId } from '../base/ids.ts';
import { Slices } from '../base/slices.ts';
import { nameOf, parentOf, type TreePath, toText } from '../tree/tree-path.ts';
import { readLink, readStable } from '../work-tree/stable-read.ts';
import { inside, type ReachedPath, reachPath, type WorkTree } from '../work-tree/work-tree.ts';
import type { SnapshotSink } from './snapshot-sink.ts';

interface PresentContent {
  readonly blob: BlobId;
  /** Size in bytes of the file or of the link's target. */
  readonly size: number;
  /** The content. Absent for a file larger than 1 MiB. */
  readonly bytes?: Uint8Array;
}

/**
 * Returns the current content at a path, or undefined when no file or link is at the path. @throws PathOutsideWorkTree
 * when a directory of the path is a symbolic link, WorkTreeUnreadable when the file cannot be read
 */
export async function contentAt(
  store: Pick<SnapshotSink, 'hash'>,
  workTree: WorkTree,
  path: TreePath,
  signal?: AbortSignal,
): Promise<PresentContent | undefined> {
  const name = nameOf(path);
  const directory = directoryOf(workTree, path);
  if (directory === undefined) return undefined;
  try {
    const stats = statOf(directory, name);
    if (stats?.isSymbolicLink() === true) return linkAt(store, directory, name);
    if (stats?.isFile() !== true) return undefined;
    const read = await readStable(directory, name, {
      hash: (size) => store.hash(size),
      maxFileBytes: Number.MAX_SAFE_INTEGER,
      slices: new Slices(signal),
    });
    if (read.kind === 'read') {
      const { id: blob, content } = read;
      return { blob, size: read.stamp.size, ...(content?.kind === 'bytes' && { bytes: content.bytes }) };
    }
    if (read.kind === 'gone') return undefined;
    throw new CheckpointdError(
      'WorkTreeUnreadable',
      `"${toText(path)}" cannot be read (${read.kind}). Check its permissions, or wait until the program that writes the file has ended.`,
      {
        details: { path: toText(path), reason: read.kind },
        retryable: read.kind === 'unstable' || read.kind === 'elsewhere',
      },
    );
  } finally {
    directory.release();
  }
}

function linkAt(
  store: Pick<SnapshotSink, 'hash'>,
  directory: ReachedPath,
  name: string,
): PresentContent | undefined {
  const read = readLink(directory, name);
  if (read.kind !== 'read') return undefined;
  const hash = store.hash(read.target.length);
  hash.update(read.target);
  return { blob: hash.digest(), size: read.target.length };
}

/**
 * Opens the directory that contains the path, without following links. Returns undefined when the directory does not
 * exist.
 */
function directoryOf(workTree: WorkTree, path: TreePath): ReachedPath | undefined {
  const parts = parentOf(path).split('/');
  for (let i = 0; i < parts.length && parts[0] !== ''; i += 1) {
    const at = parts.slice(0, i + 1).join('/') as TreePath;
    const above = reachPath(workTree, parentOf(at));
    try {
      const stats = statOf(above, nameOf(at));
      if (stats === undefined) return undefined;
      if (stats.isSymbolicLink()) {
        throw new CheckpointdError(
          'PathOutsideWorkTree',
          `"${toText(path)}" leads through the symbolic link "${toText(at)}". Use the real path of the file.`,
          {
            details: { path: toText(path), link: toText(at) },
          },
        );
      }
      if (!stats.isDirectory()) return undefined;
    } finally {
      above.release();
    }
  }
  return reachPath(workTree, parentOf(path));
}

function statOf(directory: ReachedPath, name: string): ReturnType<typeof files.lstatSync> {
  // ENAMETOOLONG: the name is too long for the file system, so no file can have this name.
  return attempt(hasCode('ENOENT', 'ENOTDIR', 'ENAMETOOLONG'), () =>
    files.lstatSync(inside(directory, name)),
  );
}
