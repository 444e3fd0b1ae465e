// What the system says of a file without reading it, and when that may stand for "unchanged". It holds no files
// and reads none: the remembered stamps live in the walked directories (capture/walker.ts).
import type { BigIntStats } from '../base/files.ts';

/**
 * How long a stamp stays doubtful: a write in the same clock tick as our look leaves no trace in it. Kernels tick at
 * 1–4 ms, ext3, FAT and some network file systems at 1–2 s for times, git itself compares whole seconds.
 */
export const stampGrainMs = 1000;

/** One `lstat`, cut down to what tells a changed file from an unchanged one. Times are nanoseconds since 1970. */
export interface Stamp {
  readonly mtimeNs: bigint;
  /** Cannot be set by `touch`, `cp -p`, `rsync -a` or tar: the field that catches a rewrite with its time put back. */
  readonly ctimeNs: bigint;
  readonly size: number;
  readonly ino: number;
  readonly dev: number;
  readonly mode: number;
}

export function stampOf(stats: BigIntStats): Stamp {
  return {
    mtimeNs: stats.mtimeNs,
    ctimeNs: stats.ctimeNs,
    size: Number(stats.size),
    ino: Number(stats.ino),
    dev: Number(stats.dev),
    mode: Number(stats.mode),
  };
}

/** {@link isSameStamp} for a look that is not worth a stamp of its own: it allocates nothing. */
export function isStampOf(stamp: Stamp, stats: BigIntStats): boolean {
  return (
    stats.ctimeNs === stamp.ctimeNs &&
    stats.mtimeNs === stamp.mtimeNs &&
    Number(stats.size) === stamp.size &&
    Number(stats.ino) === stamp.ino &&
    Number(stats.mode) === stamp.mode &&
    Number(stats.dev) === stamp.dev
  );
}

/** Whether two looks saw the same file in the same state, as far as the system can tell. */
export function isSameStamp(a: Stamp, b: Stamp): boolean {
  return (
    a.ctimeNs === b.ctimeNs &&
    a.mtimeNs === b.mtimeNs &&
    a.size === b.size &&
    a.ino === b.ino &&
    a.mode === b.mode &&
    a.dev === b.dev
  );
}

/**
 * Whether an equal stamp will prove an equal file later: its last change is older than the scan's start by more than
 * the grain, so any later change must show. Times in the future (a clock that jumped) are never settled.
 */
export function isSettled(stamp: Stamp, scanStartMs: number, grainMs = stampGrainMs): boolean {
  return stamp.ctimeNs < BigInt(Math.floor(scanStartMs - grainMs)) * 1_000_000n;
}
