// When an equal stamp proves an equal content, by the clock of the file system that sets the stamps, which need not be
// ours. It reads no file of the user's.
import { join } from 'node:path';
import { attempt, attemptOr, isOfSystem } from '../base/attempt.ts';
import { systemCode } from '../base/errors.ts';
import type { Stamp } from '../base/file-stamp.ts';
import { files } from '../base/files.ts';
import type { WorkTree } from '../work-tree/work-tree.ts';

/**
 * How long after its last change a content stays doubtful. A write through a mapping (`mmap`) stamps its file only when
 * the page was clean; the kernel cleans dirty pages after 30 s or so. The rest is for clocks that differ a little.
 */
export const settleMsUsual = 60_000;

/**
 * How long the names in a directory stay doubtful: a change in the same clock tick as our look leaves no trace in its
 * stamp. Kernels tick at 1–4 ms, ext3, FAT and some network file systems at 1–2 s.
 */
export const stampGrainMs = 1000;

/** The state of the clock that stamps the files of a work tree, at the beginning of a scan. */
export interface FileClock {
  /** The device that it holds for: something else may be mounted below. */
  readonly device: number;
  /**
   * True when this system's own kernel sets the stamps, of a kind of file system that stamps a directory when a name in
   * it is made, removed or replaced.
   */
  readonly isLocal: boolean;
  /** Milliseconds since 1970 that it had surely reached; 0 when nothing is known of it. */
  readonly reachedMs: number;
  /** How far it is behind our own clock. */
  readonly behindMs: number;
}

/**
 * Reads the clock of a work tree's file system off a file of ours in `probeDirectory`, when that lies on the same device.
 * `now` is our own clock, in milliseconds since 1970.
 */
export function readFileClock({ root }: WorkTree, probeDirectory: string, now: () => number): FileClock {
  const place = placeOf(root);
  const before = now();
  const stamped = stampNow(probeDirectory, place.device);
  if (stamped === undefined) return { ...place, reachedMs: place.isLocal ? before : 0, behindMs: 0 };
  return { ...place, reachedMs: Math.min(before, stamped), behindMs: Math.max(0, now() - stamped) };
}

/**
 * Linux file systems that this kernel stamps, directories as well: ext, XFS, Btrfs, tmpfs, overlayfs, ZFS, F2FS,
 * bcachefs. Elsewhere stamps are a server's, or made up (object stores behind FUSE give constant times).
 */
const localTypes = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e,
]);

function placeOf(root: string): Pick<FileClock, 'device' | 'isLocal'> {
  // The walk meets the same, and says it better.
  return attemptOr({ device: -1, isLocal: false }, isOfSystem, () => {
    const device = Number(files.lstatSync(root, { bigint: true }).dev);
    const isLocal = process.platform === 'linux' && localTypes.has(files.statfsSync(root).type >>> 0);
    return { device, isLocal };
  });
}

/** Returns the file system's own time of now; undefined on another file system, or when nothing can be written. */
function stampNow(directory: string, device: number): number | undefined {
  const file = join(directory, 'clock');
  // A full disk, say: less is known, and no capture fails for it.
  return attempt(isOfSystem, () => {
    // Each capture asks: to make and remove a file costs many times of touching one. Its own clock sets the time of
    // its change, whatever times it is given.
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
 * True when an equal stamp will prove an equal file later: by the clock that set it, its last change is older than
 * `afterMs`, so any later change must show. Stamps in the future (a clock that jumped) are never settled.
 */
export function isSettled(stamp: Stamp, clock: FileClock, afterMs: number): boolean {
  if (stamp.dev !== clock.device) return false;
  return stamp.ctimeNs < BigInt(Math.floor(clock.reachedMs - afterMs)) * 1_000_000n;
}
