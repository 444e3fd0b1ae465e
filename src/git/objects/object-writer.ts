// Stores objects one by one: small ones in process (git/objects/object.ts), which takes a tenth of a millisecond
// instead of a round trip, others through persistent `hash-object -w --stdin-paths` children that only store bytes. Git
// is handed private files alone (a path of the work tree could be a link, a FIFO, or shrink under it: SIGBUS), and each
// id that it answers must be the one computed in process. Many objects at once go through git/objects/object-pack.ts.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { attempt, isMissing } from '../../base/attempt.ts';
import { files } from '../../base/files.ts';
import { Slices } from '../../base/slices.ts';
import { GitChild, takeLine } from '../process/child.ts';
import { type GitPlace, isDurablePlace } from '../process/environment.ts';
import { gitAnswered } from '../process/run.ts';
import { type ObjectType, objectId, writeLoose } from './object.ts';

/** Bytes, or a private file that is the writer's from now on. */
export type ObjectSource =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'spool'; readonly file: string; readonly size: number };

/** Asks that may be under way at once: enough to keep git busy, few enough to bound the spool. */
const pipelineMax = 64;
/** Larger contents are deflated by git, beside the event loop. */
const inProcessBytesMax = 128 << 10;

export class ObjectWriter {
  readonly #place: GitPlace;
  readonly #spoolDirectory: string;
  readonly #onStored: (id: string) => void;
  readonly #children = new Map<ObjectType, GitChild>();
  readonly #prefix = randomBytes(6).toString('hex');
  #count = 0;
  #free = pipelineMax;
  readonly #waiting: (() => void)[] = [];
  readonly #objects: string;
  readonly #isDurable: boolean;
  #slices = new Slices();
  #inProcess = 0;

  /**
   * `spoolDirectory` is private, on any file system; what a kill leaves in it is removed at the next open. `onStored` is
   * told of each object that may have been written.
   */
  constructor(place: GitPlace, spoolDirectory: string, onStored: (id: string) => void = () => undefined) {
    this.#place = place;
    this.#spoolDirectory = spoolDirectory;
    this.#onStored = onStored;
    this.#objects = place.environment?.['GIT_OBJECT_DIRECTORY'] ?? join(place.gitDir, 'objects');
    this.#isDurable = isDurablePlace(place);
  }

  /** One that writes to a directory in which git sees no other objects. */
  beside(directory: string): ObjectWriter {
    const environment = { ...this.#place.environment, GIT_OBJECT_DIRECTORY: directory };
    return new ObjectWriter({ ...this.#place, environment }, this.#spoolDirectory, this.#onStored);
  }

  /** Stores bytes and resolves with their id when git has them. @throws GitFailed, NoSpace */
  async write(type: ObjectType, bytes: Uint8Array): Promise<string> {
    const id = objectId(type, bytes);
    await this.store(type, id, { kind: 'bytes', bytes });
    return id;
  }

  /** Stores content whose id is already known; a spool file is removed, also after a failure. */
  async store(type: ObjectType, id: string, source: ObjectSource): Promise<void> {
    await this.#enter();
    if (source.kind === 'bytes' && source.bytes.length <= inProcessBytesMax) {
      try {
        await this.#writeInProcess(type, id, source.bytes);
      } finally {
        this.#leave();
        this.#onStored(id);
      }
      return;
    }
    const file = source.kind === 'spool' ? source.file : this.#spool(source.bytes);
    const size = source.kind === 'spool' ? source.size : source.bytes.length;
    try {
      const question = Buffer.from(`${quoteLine(file)}\n`, 'latin1');
      const answer = await this.#child(type).ask(question, takeLine, 8000 + size / 10_000); // 10 MB/s at least
      gitAnswered(
        answer === id,
        `git stores content under the id computed here (${type} ${id}, not ${answer})`,
      );
    } finally {
      this.#leave();
      this.#onStored(id);
      removeSpool(file);
    }
  }

  async #writeInProcess(type: ObjectType, id: string, bytes: Uint8Array): Promise<void> {
    if (this.#inProcess === 0) this.#slices = new Slices();
    this.#inProcess += 1;
    try {
      if (this.#slices.isDue()) await this.#slices.pause();
      await writeLoose(this.#objects, { type, id, bytes }, this.#isDurable);
    } finally {
      this.#inProcess -= 1;
    }
  }

  /** Ids of the running processes; for tests that kill them. */
  get pids(): number[] {
    return [...this.#children.values()].flatMap((child) => child.pid ?? []);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#children.values()].map((child) => child.close()));
  }

  kill(): void {
    for (const child of this.#children.values()) child.kill();
  }

  #child(type: ObjectType): GitChild {
    let child = this.#children.get(type);
    if (child === undefined) {
      // Storing the same content twice is harmless, so an ask that a dead process left open is asked again.
      const args = ['hash-object', '-w', '-t', type, '--no-filters', '--stdin-paths'];
      child = new GitChild(this.#place, args, { replay: true });
      this.#children.set(type, child);
    }
    return child;
  }

  #spool(bytes: Uint8Array): string {
    this.#count += 1;
    const file = join(this.#spoolDirectory, `${this.#prefix}-${this.#count}`);
    try {
      files.writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      this.#leave();
      removeSpool(file);
      throw error;
    }
    return file;
  }

  async #enter(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

export function removeSpool(file: string): void {
  attempt(isMissing, () => files.unlinkSync(file));
}

/**
 * Quotes a path for `--stdin-paths`, as latin1 of its bytes.
 *
 * Always quoted: unquoted, a newline, a trailing carriage return and a leading `"` break the protocol.
 */
export function quoteLine(path: string): string {
  let quoted = '"';
  for (const byte of Buffer.from(path, 'utf8')) {
    const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
    quoted += plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
  }
  return `${quoted}"`;
}
