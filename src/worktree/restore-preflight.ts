// What must be true before a restore begins: every content is there and fits. It reads sizes only; damage inside a
// content is met while staging, which is also before the first visible change.
import { CheckpointdError } from '../base/errors.ts';
import { files } from '../base/files.ts';
import { rootPath } from '../base/tree-path.ts';
import type { AnchoredFiles } from './anchored-files.ts';
import { type Contents, isLink } from './entry.ts';
import type { RestorePlan } from './restore-operations.ts';

/**
 * Refuses a plan whose contents are missing, or do not fit beside the old ones with a tenth to spare (all are
 * staged before the first old one goes).
 *
 * @throws DataCorrupt, NoSpace
 */
export async function requireContents(
  tree: AnchoredFiles,
  plan: RestorePlan,
  contents: Contents,
): Promise<void> {
  if (plan.writes.length === 0) return;
  const blobs = plan.writes.map(({ after }) => after.blob);
  const sizes = await contents.sizes(blobs);
  const missing = sizes.findIndex((size) => size < 0);
  if (missing >= 0) {
    throw new CheckpointdError(
      'DataCorrupt',
      'The store has lost content that this checkpoint needs. Nothing was changed; verify the store, or restore only other paths.',
      { details: { blob: blobs[missing] } },
    );
  }
  const bytes = plan.writes.reduce(
    (sum, { after }, index) => sum + (isLink(after) ? 0 : (sizes[index] ?? 0)),
    0,
  );
  const needed = Math.ceil(bytes * 1.1);
  const stats = files.statfsSync(tree.address(rootPath), { bigint: true });
  const available = stats.bavail * stats.bsize;
  if (BigInt(needed) <= available) return;
  throw new CheckpointdError(
    'NoSpace',
    'There is not enough free space to restore. Nothing was changed; make room and try again.',
    { details: { needed, available: Number(available) }, retryable: true },
  );
}
