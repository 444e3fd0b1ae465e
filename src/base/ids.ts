// Branded types for ids. Inside the daemon, the ids of snapshots, blobs, checkpoints and sessions are never plain
// strings.
import { randomBytes } from 'node:crypto';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/**
 * The id of an immutable snapshot of a work tree. Within one strategy, snapshots with equal contents and modes have the
 * same id.
 */
export type SnapshotId = Branded<'SnapshotId'>;
/**
 * The id of a file's content or of a symbolic link's target. The id is git's blob id or a SHA-256, depending on the
 * strategy.
 */
export type BlobId = Branded<'BlobId'>;
/** The id of a checkpoint: `ckpt_` and 20 characters. Never reused, and independent of tags. */
export type CheckpointId = Branded<'CheckpointId'>;
/**
 * Names a session: `ses_` and 26 characters. Computed from the identity of the work tree, the conversation id and the
 * strategy, so the id stays the same after a restart.
 */
export type SessionId = Branded<'SessionId'>;
/** A tag such as `0`, `4` or `4.2`. Only checkpoints/tag.ts makes tags. */
export type Tag = Branded<'Tag'>;
/** The id of one mutation that a client requested: `op_` and 20 characters. */
export type OperationId = Branded<'OperationId'>;

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Encodes bytes in Crockford's base 32, in lower case. The text is safe in file names and refs, and has no letters that
 * look alike.
 */
export function base32(bytes: Uint8Array, length: number): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(value >> bits) & 31];
    }
  }
  return text.slice(0, length);
}

export function newCheckpointId(): CheckpointId {
  return `ckpt_${base32(randomBytes(13), 20)}` as CheckpointId;
}

export function newOperationId(): OperationId {
  return `op_${base32(randomBytes(13), 20)}` as OperationId;
}
