// The note of a transaction of refs, written before it and read by whoever opens the refs after a kill. It moves nothing.
import { writeAtomically } from '../../base/atomic-file.ts';
import { isIntact, withSum } from '../../base/check-sum.ts';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { isObjectId } from '../objects/object-id.ts';

/** Moves a ref, or deletes it when `to` is undefined. */
export interface RefChange {
  readonly ref: string;
  readonly to: string | undefined;
}

export function writeIntent(file: string, changes: readonly RefChange[], durable: boolean): void {
  const text = JSON.stringify(withSum({ changes: changes.map(({ ref, to }) => ({ ref, to: to ?? null })) }));
  writeAtomically(file, text, { durable });
}

export function readIntent(file: string): RefChange[] | 'damaged' | undefined {
  let text: string;
  try {
    text = files.readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const read: unknown = JSON.parse(text);
    // Earlier versions wrote the list alone.
    const changes: unknown = Array.isArray(read) ? read : intactChanges(read);
    if (!Array.isArray(changes) || !changes.every(isNotedChange)) return 'damaged';
    return changes.map(({ ref, to }) => ({ ref, to: to ?? undefined }));
  } catch (error) {
    if (error instanceof SyntaxError) return 'damaged';
    throw error;
  }
}

function intactChanges(read: unknown): unknown {
  if (typeof read !== 'object' || read === null || !('changes' in read)) return undefined;
  return isIntact(read) ? read.changes : undefined;
}

function isNotedChange(value: unknown): value is { readonly ref: string; readonly to: string | null } {
  if (typeof value !== 'object' || value === null || !('ref' in value) || !('to' in value)) return false;
  const { ref, to } = value;
  return (
    typeof ref === 'string' &&
    /^refs\/[\w./-]+$/.test(ref) &&
    (to === null || (typeof to === 'string' && isObjectId(to)))
  );
}
