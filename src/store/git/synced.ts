// Makes files and directories survive a power cut. It writes nothing itself.
import { systemCode } from '../../base/errors.ts';
import { filesAsync } from '../../base/files.ts';

const atOnce = 16;

/**
 * Syncs files or directories, some at a time: the disk takes those that wait together in one go. What is gone by then
 * (a collection of the user's takes directories that it emptied) needs no sync; whoever needs it finds it gone.
 */
export async function syncAll(paths: Iterable<string>): Promise<void> {
  const left = [...paths];
  const work = async (): Promise<void> => {
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      const handle = await opened(path);
      if (handle === undefined) continue;
      try {
        await filesAsync.fsync(handle.fd);
      } finally {
        await handle.close();
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, left.length) }, work));
}

async function opened(path: string): Promise<Awaited<ReturnType<typeof filesAsync.open>> | undefined> {
  try {
    return await filesAsync.open(path, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
