// One transaction of refs: what it changes, its note, which is written before it and read by whoever opens the refs after a
// kill, how it is put to `git update-ref --stdin -z`, and how that answers. It moves nothing itself.
import { writeAtomically } from '../../base/atomic-file.ts';
import { isIntact, withSum } from '../../base/check-sum.ts';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { invariant } from '../../base/invariant.ts';
import { isObjectId } from '../objects/object-id.ts';
import type { SpareFiles } from '../objects/spare-files.ts';
import type { TakeAnswer } from '../process/child.ts';
import { gitAnswered } from '../process/run.ts';

const noObject = '0'.repeat(40);

/** Moves a ref, or deletes it when `to` is undefined. */
export interface RefChange {
  readonly ref: string;
  readonly to: string | undefined;
}

export function writeIntent(
  file: string,
  changes: readonly RefChange[],
  durable: boolean,
  spares?: SpareFiles,
): void {
  const text = JSON.stringify(withSum({ changes: changes.map(({ ref, to }) => ({ ref, to: to ?? null })) }));
  if (!spares?.put(file, text)) writeAtomically(file, text, { durable });
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

/** All changes or none. `oldValue` says where a ref must be before, undefined for one that must not be; '': anywhere. */
export function transactionOf(
  changes: readonly RefChange[],
  oldValue: (ref: string) => string | undefined,
): Buffer {
  let text = 'start\0';
  for (const { ref, to } of changes) {
    const old = oldValue(ref);
    if (to === undefined) text += `delete ${ref}\0${old ?? ''}\0`;
    else text += `update ${ref}\0${to}\0${old ?? noObject}\0`;
  }
  return Buffer.from(`${text}prepare\0commit\0`, 'latin1');
}

/** What git would let through, and is none of ours. */
export function assertOurs(changes: readonly RefChange[], prefixes: readonly string[]): void {
  for (const { ref, to } of changes) {
    invariant(
      prefixes.some((prefix) => ref.startsWith(prefix)),
      `the ref ${ref} is ours`,
    );
    invariant(
      /^[\w./-]+$/.test(ref) && (to === undefined || isObjectId(to)),
      `the ref ${ref} is well formed`,
    );
  }
}

/** `start: ok`, `prepare: ok`, `commit: ok`. */
export const takeCommitted: TakeAnswer<true> = (received) => {
  const expected = 'start: ok\nprepare: ok\ncommit: ok\n';
  if (received.length < expected.length) return expected.length;
  gitAnswered(
    received.toString('latin1', 0, expected.length) === expected,
    'update-ref answers each step with ok',
  );
  return { value: true, length: expected.length };
};

/** One ref is one rename, whole by itself; but a removal rewrites `packed-refs`, and a kill leaves its lock there. */
export function needsNote(changes: readonly RefChange[]): boolean {
  return changes.length > 1 || changes.some(({ to }) => to === undefined);
}
