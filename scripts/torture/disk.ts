// Simulates a small ext4 disk whose power can be cut. The disk is an image on a loop device. An ioctl shuts the disk
// down and drops all unwritten data. To use this disk, a process must be root, and the system must allow it to mount.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * A Python program that calls EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH, so that not even the journal is
 * flushed.
 */
const cutPower = `
import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack('I', 2))
`;

/** The name of the file that fills the disk. The file is beside the work tree, and no check reads it. */
const filler = 'filler';

const inUseMsMax = 120_000;

export class Disk {
  readonly root: string;
  readonly #image: string;
  readonly #bootId: string;

  constructor(top: string) {
    this.root = join(top, 'disk');
    this.#image = join(top, 'disk.img');
    this.#bootId = join(top, 'boot_id');
    mkdirSync(this.root);
    writeFileSync(this.#image, '');
    truncateSync(this.#image, 48 << 20);
    this.#startAnew();
    run('mkfs.ext4', '-q', '-F', this.#image);
    run('mount', '-o', 'loop', this.#image, this.root);
  }

  /** Returns the reason why this machine cannot have such a disk. Returns undefined when the disk works. */
  static refusal(): string | undefined {
    if (process.getuid?.() !== 0) return 'only root may mount';
    const top = mkdtempSync(join(tmpdir(), 'checkpointd-disk-'));
    try {
      const disk = new Disk(top);
      try {
        run('unshare', '-m', 'true');
        disk.cut();
      } finally {
        disk.remove();
      }
      return undefined;
    } catch (error) {
      return (error as Error).message;
    } finally {
      rmSync(top, { recursive: true, force: true });
    }
  }

  /** The beginning of a command line whose program sees this disk's boot id instead of the machine's boot id. */
  get prefix(): readonly string[] {
    const script = `mount --bind ${this.#bootId} /proc/sys/kernel/random/boot_id && exec "$@"`;
    return ['unshare', '-m', 'sh', '-c', script, 'sh'];
  }

  /** Syncs all data written so far. */
  sync(): void {
    run('sync', '-f', this.root);
  }

  /** Fills the disk, and leaves this number of bytes free. */
  fill(left: number): void {
    const { bavail, bsize } = statfsSync(this.root);
    const blocks = Math.max(0, bavail - Math.ceil(left / bsize));
    writeFileSync(join(this.root, filler), Buffer.alloc(blocks * bsize));
  }

  /** Removes the file that {@link fill} has made. */
  empty(): void {
    rmSync(join(this.root, filler), { force: true });
  }

  /** Cuts the power. Unsynced data is lost, and processes with open files get errors. */
  cut(): void {
    run('python3', '-c', cutPower, this.root);
  }

  /** Restores the power, as a reboot of the machine would. */
  async restart(): Promise<void> {
    run('umount', this.root);
    // Waits until no process has the disk open. While a process has the disk open, a new mount would show the disk that
    // was shut down. Two kinds of processes may still have the disk open. The first kind is a dying child of the
    // daemon. The second kind has its own mounts, such as the container of another test.
    const deadline = performance.now() + inUseMsMax;
    while (run('losetup', '-j', this.#image) !== '') {
      if (performance.now() > deadline)
        throw new Error(`${this.#image} is still in use after ${inUseMsMax / 1000} s`);
      await wait(50);
    }
    run('mount', '-o', 'loop', this.#image, this.root);
    this.#startAnew();
  }

  remove(): void {
    spawnSync('umount', ['-l', this.root]);
    rmSync(this.#image, { force: true });
    rmSync(this.root, { recursive: true, force: true });
  }

  #startAnew(): void {
    writeFileSync(this.#bootId, `${randomUUID()}\n`);
  }
}

function run(program: string, ...words: readonly string[]): string {
  const result = spawnSync(program, words, { encoding: 'utf8', timeout: 30_000 });
  if (result.status !== 0)
    throw new Error(`${program} ${words[0] ?? ''}: ${result.error?.message ?? result.stderr.trim()}`);
  return result.stdout.trim();
}
