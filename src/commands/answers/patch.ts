// Converts the texts of diffs to the protocol's form, and makes the patch between two snapshots.
import { isUtf8 } from 'node:buffer';
import type { SnapshotId } from '../../base/ids.ts';
import { unifiedDifferences } from '../../checkpoints/diff-text.ts';
import type * as Wire from '../../protocol/types.ts';
import type { SnapshotStore } from '../../store/snapshot-store.ts';

export const textBytesMax = 32 << 20;

/** Returns a text in the protocol's form, which is base64 if the bytes are not UTF-8. */
export function textAnswer(text: Buffer): Pick<Wire.CheckpointDiffResult, 'text' | 'encoding'> {
  if (isUtf8(text)) return { text: text.toString('utf8') };
  return { text: text.toString('base64'), encoding: 'base64' };
}

/** Returns the text, cut at its limit. The cut never divides a UTF-8 character. */
export function limited(text: Buffer): { readonly text: Buffer; readonly truncated: boolean } {
  if (text.length <= textBytesMax) return { text, truncated: false };
  let end = textBytesMax;
  if (isUtf8(text)) while (((text[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return { text: text.subarray(0, end), truncated: true };
}

/**
 * Returns the patch between two snapshots, or nothing when the patch exceeds the limit. @throws DataCorrupt,
 * AbortError
 */
export async function patchBetween(
  store: SnapshotStore,
  { from, to }: { readonly from: SnapshotId; readonly to: SnapshotId },
  signal: AbortSignal,
): Promise<Pick<Wire.RevertResult, 'text' | 'encoding'>> {
  const trees = await store.gitTrees(from, to);
  try {
    const options = { signal, binary: true, textBytesMax: textBytesMax + 1 };
    const { parts } = await unifiedDifferences(store, trees, { from, to }, options);
    const text = Buffer.concat(parts);
    return text.length > textBytesMax ? {} : textAnswer(text);
  } finally {
    await trees.dispose();
  }
}
