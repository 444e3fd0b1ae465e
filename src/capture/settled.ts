// When an equal stamp proves an equal content. It reads nothing.
import type { Stamp } from '../base/file-stamp.ts';

/**
 * How long a stamp stays doubtful: a write in the same clock tick as our look leaves no trace in it. Kernels tick at
 * 1–4 ms, ext3, FAT and some network file systems at 1–2 s for times, git itself compares whole seconds.
 */
export const stampGrainMs = 1000;

/**
 * Whether an equal stamp will prove an equal file later: its last change is older than the scan's start by more than
 * the grain, so any later change must show. Times in the future (a clock that jumped) are never settled.
 */
export function isSettled(stamp: Stamp, scanStartMs: number, grainMs = stampGrainMs): boolean {
  return stamp.ctimeNs < BigInt(Math.floor(scanStartMs - grainMs)) * 1_000_000n;
}
