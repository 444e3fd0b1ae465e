// Manages the background daemon, which all commands on a storage share. The daemon writes a note with the path of its
// socket. The daemon also takes a lock, so that each storage has only one background daemon. No command depends on the
// background daemon: without it, a command starts its own daemon.
import { join } from 'node:path';
import { writeAtomically } from '../base/atomic-file.ts';
import { attempt, isOfSystem } from '../base/attempt.ts';
import { systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import {
  describeSelf,
  type Holder,
  holderState,
  type ProcessLock,
  parseHolder,
  takeProcessLock,
} from '../base/process-lock.ts';
import { packageVersion } from './places.ts';

/** The contents of `run/daemon.json` in the storage. */
export interface BackgroundNote extends Holder {
  readonly socket: string;
  readonly version: string;
  /** The time at which the daemon started, ISO 8601. */
  readonly since: string;
}

const noteFile = (storage: string): string => join(storage, 'run', 'daemon.json');

/** Returns the note of the running background daemon. Returns undefined when this process sees no running daemon. */
export function backgroundNote(storage: string): BackgroundNote | undefined {
  const text = attempt(isOfSystem, () => files.readFileSync(noteFile(storage), 'utf8'));
  if (text === undefined) return undefined;
  const note: Partial<BackgroundNote> & Holder = parseHolder(text);
  const { socket, version, since } = note;
  if (typeof socket !== 'string' || typeof version !== 'string' || typeof since !== 'string')
    return undefined;
  return holderState(note) === 'alive' ? { ...note, socket, version, since } : undefined;
}

export class BackgroundPlace {
  readonly #storage: string;
  readonly #lock: ProcessLock;

  private constructor(storage: string, lock: ProcessLock) {
    this.#storage = storage;
    this.#lock = lock;
  }

  /**
   * Takes the lock of the background daemon. Returns undefined when a different process has the lock. Makes the
   * directory `run` of the storage.
   */
  static async take(storage: string): Promise<BackgroundPlace | undefined> {
    const directory = join(storage, 'run');
    files.mkdirSync(directory, { recursive: true, mode: 0o700 });
    const { dev, ino } = files.statSync(storage, { bigint: true });
    const lock = await takeProcessLock(`background daemon of ${dev}:${ino}`, join(directory, 'daemon.lock'));
    return lock && new BackgroundPlace(storage, lock);
  }

  /** Writes the note, so that commands find this process. */
  writeNote(socket: string): void {
    const since = new Date().toISOString();
    const note: BackgroundNote = { ...describeSelf(), socket, version: packageVersion(), since };
    writeAtomically(noteFile(this.#storage), `${JSON.stringify(note)}\n`);
  }

  /**
   * Removes the note and releases the lock. The function is synchronous, so that it can run just before the process
   * exits.
   */
  release(): void {
    try {
      files.rmSync(noteFile(this.#storage), { force: true });
    } catch (error) {
      if (systemCode(error) === undefined) throw error; // if the disk is gone, the process must exit nevertheless
    } finally {
      this.#lock.release();
    }
  }
}
