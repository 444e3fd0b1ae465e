// Checks that the work tree matches the answer of a restore. Every path of the target must have the target's bytes, and
// all other paths must be unchanged.
import { describe, isSame, isTemporary, type Manifest, nameOf, type PathRef } from './manifest.ts';
import { isAtOrBelow } from './oracle.ts';

export interface RestoreAnswer {
  readonly restored?: readonly PathRef[];
  readonly deleted?: readonly PathRef[];
  readonly failed: readonly PathRef[];
  readonly skipped: readonly PathRef[];
  readonly conflicts: readonly PathRef[];
  readonly safety?: string;
  readonly checkpoint?: { readonly id: string };
  readonly warnings?: readonly string[];
}

/** One fault of a restored work tree. */
export interface Complaint {
  readonly path: string;
  /** The fault, without the path. */
  readonly what: string;
  /** True when an ignored file is gone. */
  readonly isIgnored?: boolean;
  /** True when a hard restore kept a file that the target does not have. */
  readonly isKept?: boolean;
}

export const complaintText = ({ path, what }: Complaint): string => `${path} ${what}`;

export interface Expected {
  /** The files of the target, with their modes. */
  readonly target: Manifest;
  readonly before: Manifest;
  /** The files of `before` that a capture contains. */
  readonly capturedBefore: Manifest;
  readonly mode: 'soft' | 'hard';
  readonly path?: string | undefined;
}

/** Returns the faults of a restored work tree, or an empty list. */
export function complaints(expected: Expected, after: Manifest, answer: RestoreAnswer): Complaint[] {
  const { target, before, capturedBefore, mode, path: only } = expected;
  const left = new Set([...answer.failed, ...answer.skipped].map(nameOf));
  const isLeft = (path: string): boolean =>
    isAtOrBelow(path, left) || [...left].some((other) => other.startsWith(`${path}/`));
  const isMeant = (path: string): boolean => only === undefined || `${path}/`.startsWith(`${only}/`);
  const found: Complaint[] = [];
  for (const [path, thing] of target) {
    if (!isMeant(path) || isLeft(path) || isSame(after.get(path), thing)) continue;
    found.push({ path, what: `is ${describe(after.get(path))}, but ${describe(thing)} in the target` });
  }
  const wanted = [...target.keys()].filter(isMeant);
  for (const [path, thing] of before) {
    if (isTemporary(path) || (target.has(path) && isMeant(path))) continue; // a later sweep removes temporary files
    const isInTheWay = wanted.some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
    const now = after.get(path);
    if (now === undefined && (isInTheWay || (mode === 'hard' && isMeant(path) && capturedBefore.has(path))))
      continue;
    if (now === undefined && isMeant(path) && mode === 'hard')
      found.push({ path, what: 'was ignored, but the restore deleted it', isIgnored: true });
    else if (!isSame(now, thing))
      found.push({ path, what: `was ${describe(thing)}, but now is ${describe(now)}` });
    else if (mode === 'hard' && isMeant(path) && capturedBefore.has(path) && !isLeft(path))
      found.push({
        path,
        what: `still is ${describe(thing)}, but the target does not have it`,
        isKept: true,
      });
  }
  for (const [path, thing] of after)
    if (!before.has(path) && !(target.has(path) && isMeant(path)) && !isTold(path, answer))
      found.push({ path, what: `is ${describe(thing)}, but was neither in the work tree nor in the target` });
  return found;
}

/**
 * True when the answer reports that this temporary file was left over after an error. A later request removes the file.
 */
function isTold(path: string, { warnings = [] }: RestoreAnswer): boolean {
  return isTemporary(path) && warnings.some((text) => text.includes('The restore could not remove '));
}
