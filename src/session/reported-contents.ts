// Keeps contents that agents report while several sessions are open on a work tree. A revert of one author needs the
// content that each author wrote, even if no checkpoint contains this content. If a stored content is lost, the revert
// only skips the path.
import { join } from 'node:path';
import { writeAtomically } from '../base/atomic-file.ts';
import { attempt, isMissing } from '../base/attempt.ts';
import { files } from '../base/files.ts';
import type { BlobId } from '../base/ids.ts';

/** The limits of one session. When a new content exceeds a limit, the older half of the contents is removed. */
const filesMax = 1000;
const bytesMax = 64 << 20;

/** Stores a content in a file that is named by the content's id. @throws system errors */
export function storeReported(directory: string, blob: BlobId, bytes: Uint8Array): void {
  const file = join(directory, blob);
  if (files.existsSync(file)) return;
  files.mkdirSync(directory, { recursive: true, mode: 0o700 });
  makeRoom(directory, bytes.length);
  writeAtomically(file, bytes);
}

/**
 * Returns a stored content, or undefined when it is missing. The caller must check that the bytes have this
 * id. @throws system errors
 */
export function reportedContent(directory: string, blob: BlobId): Buffer | undefined {
  return attempt(isMissing, () => files.readFileSync(join(directory, blob)));
}

function makeRoom(directory: string, size: number): void {
  const kept = files.readdirSync(directory).map((name) => {
    const file = join(directory, name);
    const { size: bytes, mtimeMs } = files.statSync(file);
    return { file, bytes, mtimeMs };
  });
  const total = kept.reduce((sum, { bytes }) => sum + bytes, size);
  if (kept.length < filesMax && total <= bytesMax) return;
  kept.sort((a, b) => a.mtimeMs - b.mtimeMs);
  for (const { file } of kept.slice(0, Math.ceil(kept.length / 2))) files.rmSync(file, { force: true });
}
