// Git's names for contents, computed in process: the SHA-1 of a short header and the bytes. The git children give
// the same names, and every writer compares the two.
import { createHash } from 'node:crypto';

export type ObjectType = 'blob' | 'tree' | 'commit';

/** An incremental hash of one object whose size is known beforehand. */
export interface ObjectHash {
  update(bytes: Uint8Array): void;
  digest(): string;
}

export function objectHash(type: ObjectType, size: number): ObjectHash {
  const hash = createHash('sha1').update(`${type} ${size}\0`);
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('hex') };
}

export function objectId(type: ObjectType, bytes: Uint8Array): string {
  return createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');
}

export function isObjectId(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}
