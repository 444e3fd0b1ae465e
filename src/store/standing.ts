// Whether what stands at a path is still what stood there: a store must not go on with another one in its place.
import { CheckpointdError, systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';

/** Device, inode and birth, as text; undefined when nothing stands there. @throws StoreUnavailable when it cannot be asked */
export function standing(path: string): string | undefined {
  try {
    const { dev, ino, birthtimeNs } = files.lstatSync(path, { bigint: true });
    return `${dev}:${ino}:${birthtimeNs}`; // an inode is used again at once, its birth is not
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new CheckpointdError('StoreUnavailable', `${path} cannot be looked at (${code ?? 'unknown'}).`, {
      details: { path, code },
      cause: error,
    });
  }
}

/** Remembers what stands at these paths; the returned function names the first that is gone or another by now. */
export function watchStanding(paths: readonly string[]): () => string | undefined {
  const before = paths.map(standing);
  return () => paths.find((path, i) => standing(path) !== before[i]);
}
