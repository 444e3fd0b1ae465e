// Makes files and directories survive a power cut. It writes nothing itself.
import { filesAsync } from '../../base/files.ts';

const atOnce = 16;

/** Syncs files or directories, some at a time: the disk takes those that wait together in one go. */
export async function syncAll(paths: Iterable<string>): Promise<void> {
  const left = [...paths];
  const work = async (): Promise<void> => {
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      const handle = await filesAsync.open(path, 'r');
      try {
        await filesAsync.fsync(handle.fd);
      } finally {
        await handle.close();
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, left.length) }, work));
}
