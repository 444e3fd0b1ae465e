// Stores single objects as loose objects in an object directory of the daemon: small objects directly
// (git/objects/object.ts), large objects on a thread (git/objects/large-object.ts). git/objects/object-pack.ts stores
// many objects together.
import { attempt, isMissing } from '../../base/attempt.ts';
import { files } from '../../base/files.ts';
import { Slices } from '../../base/slices.ts';
import { type GitPlace, isDurablePlace, objectsOf } from '../process/environment.ts';
import { type ObjectSource, writeLarge } from './large-object.ts';
import { type ObjectType, objectId, writeLoose } from './object.ts';

/**
 * The maximum number of large objects that are written at the same time, because Node has four threads for files and
 * compression.
 */
const largeAtOnce = 2;
/**
 * The maximum size of a content that is compressed in one step. With a larger content, this step would block the event
 * loop.
 */
const wholeBytesMax = 128 << 10;

export class ObjectWriter {
  readonly #place: GitPlace;
  readonly #onStored: (id: string) => void;
  readonly #ending = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  readonly #objects: string;
  readonly #isDurable: boolean;
  #free = largeAtOnce;
  #slices = new Slices();
  #small = 0;

  /** Calls `onStored` with the id of each object that may have been written. */
  constructor(place: GitPlace, onStored: (id: string) => void = () => undefined) {
    this.#place = place;
    this.#onStored = onStored;
    this.#objects = objectsOf(place);
    this.#isDurable = isDurablePlace(place);
  }

  /** Returns a writer for an object directory. Git finds only the objects in this directory. */
  beside(directory: string): ObjectWriter {
    const environment = { ...this.#place.environment, GIT_OBJECT_DIRECTORY: directory };
    return new ObjectWriter({ ...this.#place, environment }, this.#onStored);
  }

  /** Stores bytes and resolves with their id when git can read them. @throws system errors */
  async write(type: ObjectType, bytes: Uint8Array): Promise<string> {
    const id = objectId(type, bytes);
    await this.store(type, id, { kind: 'bytes', bytes });
    return id;
  }

  /**
   * Stores content with a known id. If the source is a private file, removes the file, even after a failure.
   *
   * @throws as {@link writeLarge}
   */
  store(type: ObjectType, id: string, source: ObjectSource): Promise<void> {
    const isSmall = source.kind === 'bytes' && source.bytes.length <= wholeBytesMax;
    const write = isSmall ? this.#writeSmall(type, id, source.bytes) : this.#writeLarge(type, id, source);
    const work = write.finally(() => {
      this.#underWay.delete(work);
      this.#onStored(id);
    });
    this.#underWay.add(work);
    return work;
  }

  /** Resolves when no object is being written. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  /** Aborts running writes. */
  kill(): void {
    this.#ending.abort();
  }

  async #writeSmall(type: ObjectType, id: string, bytes: Uint8Array): Promise<void> {
    if (this.#small === 0) this.#slices = new Slices();
    this.#small += 1;
    try {
      if (this.#slices.isDue()) await this.#slices.pause();
      await writeLoose(this.#objects, { type, id, bytes }, this.#isDurable);
    } finally {
      this.#small -= 1;
    }
  }

  async #writeLarge(type: ObjectType, id: string, source: ObjectSource): Promise<void> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
    try {
      await writeLarge(this.#objects, { type, id, source }, this.#isDurable, this.#ending.signal);
    } finally {
      if (source.kind === 'spool') removeSpool(source.file);
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

export function removeSpool(file: string): void {
  attempt(isMissing, () => files.unlinkSync(file));
}

/**
 * Quotes a path for `--stdin-paths`. Returns the bytes as latin1.
 *
 * Always quotes, because a newline, a trailing carriage return or a leading `"` would break the protocol.
 */
export function quoteLine(path: string): string {
  let quoted = '"';
  for (const byte of Buffer.from(path, 'utf8')) {
    const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
    quoted += plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
  }
  return `${quoted}"`;
}
