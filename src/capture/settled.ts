// Decides when an equal stamp proves an equal content. Uses the clock of the file system, because this clock sets the
// stamps and may differ from the clock of this process. Does not read the user's files.
import { join } from 'node:path';
import { attempt, attemptOr, isOfSystem } from '../base/attempt.ts';
import { systemCode } from '../base/errors.ts';
import type { Stamp } from '../base/file-stamp.ts';
import { files } from '../base/files.ts';
import type { WorkTree } from '../work-tree/work-tree.ts';

/**
 * Within this time after its last change, the content of a file may change although the file keeps the same stamp. A
 * write through a mapping (`mmap`) stamps the file only if the page was clean. The kernel cleans dirty pages after
 * about 30 s. Another 30 s allow for differences between clocks.
 */
export const settleMsUsual = 60_000;

/**
 * A kernel stamps changes with a clock that has steps of 1 to 10 ms. Two changes within one step may get the same
 * stamp.
 */
export const tickMs = 20;

/**
 * Some file systems, such as ext3 and ext4 with small inodes, store stamps in whole seconds. On these file systems, two
 * changes within this time may get the same stamp.
 */
export const stampGrainMs = 1000;

/** The clock that stamps the files of a work tree, read at the beginning of a scan. */
export interface FileClock {
  /** The device to which this clock belongs. Another file system may be mounted below the root of the work tree. */
  readonly device: number;
  /**
   * True when this machine's kernel sets the stamps, and the file system stamps a directory when a name in it is made,
   * removed or replaced.
   */
  readonly isLocal: boolean;
  /** The clock has reached at least this time, in milliseconds since 1970. 0 when the clock is unknown. */
  readonly reachedMs: number;
  /** True when `reachedMs` comes from a stamp that the file system made. False when it comes from another clock. */
  readonly isStamped: boolean;
  /** How many milliseconds this clock is behind the clock of this process. */
  readonly behindMs: number;
}

/**
 * Reads the clock of a work tree's file system by touching a file in `probeDirectory`. This directory must be on the
 * same device. `now` is the clock of this process, in milliseconds since 1970.
 */
export function readFileClock({ root }: WorkTree, probeDirectory: string, now: () => number): FileClock {
  const place = placeOf(root);
  const before = now();
  const stamped = stampNow(probeDirectory, place.device);
  if (stamped === undefined)
    return { ...place, reachedMs: place.isLocal ? before : 0, isStamped: false, behindMs: 0 };
  const reachedMs = Math.min(before, stamped);
  return { ...place, reachedMs, isStamped: true, behindMs: Math.max(0, now() - stamped) };
}

/**
 * Linux file systems on which this kernel stamps files and directories: ext, XFS, Btrfs, tmpfs, overlayfs, ZFS, F2FS,
 * bcachefs. On other file systems, a server sets the stamps, or the driver makes them up. For example, FUSE drivers of
 * object stores report constant times.
 */
const localTypes = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e,
]);

function placeOf(root: string): Pick<FileClock, 'device' | 'isLocal'> {
  // The scan that follows will get the same error and explain it better.
  return attemptOr({ device: -1, isLocal: false }, isOfSystem, () => {
    const device = Number(files.lstatSync(root, { bigint: true }).dev);
    const isLocal = process.platform === 'linux' && localTypes.has(files.statfsSync(root).type >>> 0);
    return { device, isLocal };
  });
}

/**
 * Returns the current time of the file system's clock. Returns undefined when the directory is on another file system,
 * or when no file can be written.
 */
function stampNow(directory: string, device: number): number | undefined {
  const file = join(directory, 'clock');
  // If this fails, for example on a full disk, the capture still succeeds. The next capture then has to read more
  // unchanged files.
  return attempt(isOfSystem, () => {
    // Touches an existing file, because making and removing a file at every capture would take much longer. The file
    // system sets the change time by its own clock and ignores the times in the call.
    try {
      files.lutimesSync(file, 0, 0);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
      files.writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
    }
    const { dev, ctimeNs } = files.lstatSync(file, { bigint: true });
    return Number(dev) === device ? Number(ctimeNs / 1_000_000n) : undefined;
  });
}

/**
 * True when an equal stamp will later prove that the file is unchanged. The last change must be older than `afterMs`,
 * according to the clock that set the stamp. If the last change is older than `afterMs`, any later change gives the
 * file a new stamp. Always false for a stamp in the future (after a clock jump).
 */
export function isSettled(stamp: Stamp, clock: FileClock, afterMs: number): boolean {
  if (stamp.dev !== clock.device) return false;
  return stamp.ctimeNs < BigInt(Math.floor(clock.reachedMs - afterMs)) * 1_000_000n;
}

/**
 * True when every later change of the names in a directory will give the directory a new stamp. A stamp with a part of
 * a millisecond shows that the file system stores fine stamps, so the directory is settled after some ticks.
 */
export function areNamesSettled(stamp: Stamp, clock: FileClock): boolean {
  const isFine = clock.isStamped && stamp.ctimeNs % 1_000_000n !== 0n;
  return isSettled(stamp, clock, isFine ? tickMs : stampGrainMs);
}
