// Reads objects through persistent `cat-file` processes. Checks every hash, because git does not check objects that it
// streams from a pack. Reads small objects whole. Reads large objects in chunks from a separate process, so that the
// needed memory does not depend on the size of a file. Throws DataCorrupt for a missing or wrong object. The caller
// adds the object's path to the error.
import { join } from 'node:path';
import { CheckpointdError, isKind } from '../../base/errors.ts';
import { GitChild, type TakeAnswer } from '../process/child.ts';
import type { GitPlace } from '../process/environment.ts';
import { isRefusal, runGit, streamGit } from '../process/run.ts';
import { isSilence } from '../process/silence.ts';
import { isLoose, looseSize, type ObjectType, objectHash, objectId, readLoose } from './object.ts';
import { packedAmong, unpackedAmong } from './pack-index.ts';
import { packedSize, readPacked } from './packed-object.ts';

/** The maximum size of an object that is read whole. Larger objects are read in chunks. */
export const wholeBytesMax = 8 << 20;

/**
 * The maximum number of objects that are looked up without git. Looking up more objects takes longer than one query to
 * git.
 */
const fewMax = 16;
/** The number of objects that are read from packs before git is started. */
const packedReadsMax = 12;
/** To look up this number of objects or more, the reader reads the indexes of small packs. This is faster than git. */
const packedMin = 200;
const indexBytesMax = 2 << 20;

interface Found {
  readonly type: string;
  readonly bytes: Buffer;
}

export class ObjectReader {
  readonly #place: GitPlace;
  readonly #looseIn: readonly string[];
  #contents: GitChild;
  #facts: GitChild;
  #packedReads = 0;

  /**
   * `looseIn`: object directories. While no git process runs, the reader itself reads objects in these directories,
   * because starting a process takes longer.
   */
  constructor(place: GitPlace, looseIn: readonly string[] = []) {
    this.#place = place;
    this.#looseIn = looseIn;
    this.#contents = this.#start('--batch');
    this.#facts = this.#start('--batch-check');
  }

  #start(kind: string): GitChild {
    return new GitChild(this.#place, ['cat-file', kind], { replay: true });
  }

  /**
   * Restarts the processes, because a running process still sees deleted packs. Already sent queries still get their
   * answers.
   */
  async renew(): Promise<void> {
    const old = [this.#contents, this.#facts];
    this.#contents = this.#start('--batch');
    this.#facts = this.#start('--batch-check');
    await Promise.all(old.map((child) => child.close()));
  }

  get pids(): number[] {
    return [this.#contents, this.#facts].flatMap((child) => child.pid ?? []);
  }

  /**
   * Returns the sizes of the objects, and -1 for a missing object. If the objects are few, and loose or whole in packs,
   * starts no git process.
   */
  async sizes(ids: readonly string[]): Promise<number[]> {
    const few = this.#sizesOfFew(ids);
    if (few !== undefined) return few;
    const sizes: number[] = [];
    for (let from = 0; from < ids.length; from += 5000) {
      const part = ids.slice(from, from + 5000);
      const question = Buffer.from(`${part.join('\n')}\n`, 'latin1');
      sizes.push(...(await this.#facts.ask(question, takeFacts(part.length))));
    }
    return sizes;
  }

  /** Returns the sizes of a few objects. Returns undefined unless the size of each object is found without git. */
  #sizesOfFew(ids: readonly string[]): number[] | undefined {
    if (ids.length > fewMax || this.#looseIn.length === 0) return undefined;
    const sizes: number[] = [];
    for (const id of ids) {
      const size = firstOf(this.#looseIn, (objects) => looseSize(objects, id) ?? packedSize(objects, id));
      if (size === undefined) return undefined;
      sizes.push(size);
    }
    return sizes;
  }

  /** Returns the first of these objects that is missing. Looks up objects in small packs, and loose objects, without git. */
  async firstMissing(ids: readonly string[]): Promise<string | undefined> {
    let elsewhere = [...ids];
    if (ids.length >= packedMin)
      for (const objects of this.#looseIn)
        elsewhere = unpackedAmong(elsewhere, join(objects, 'pack'), indexBytesMax);
    elsewhere = elsewhere.filter((id) => !this.#looseIn.some((objects) => isLoose(objects, id)));
    if (elsewhere.length === 0) return undefined;
    const sizes = await this.sizes(elsewhere);
    return elsewhere.find((_, index) => sizes[index] === -1);
  }

  /**
   * Returns the ids that may be in packs. Leaves out an id only if no pack has it. Returns all ids in doubt. Also returns
   * all ids when they are few and git runs, because git then answers faster.
   */
  perhapsPacked(ids: readonly string[]): ReadonlySet<string> {
    const gitIsFaster = ids.length <= fewMax && this.#facts.pid !== undefined;
    if (gitIsFaster || this.#looseIn.length === 0) return new Set(ids);
    const found = new Set<string>();
    for (const objects of this.#looseIn) {
      const packed = packedAmong(ids, join(objects, 'pack'), indexBytesMax);
      if (packed === undefined) return new Set(ids);
      for (const id of packed) found.add(id);
    }
    return found;
  }

  /**
   * Returns one whole object of any size, and checks its hash.
   * @throws DataCorrupt when the object is missing, damaged or of another type
   */
  async read(type: ObjectType, id: string): Promise<Buffer> {
    // A running git process answers faster than the daemon can open a file.
    const alone = this.#contents.pid === undefined ? this.#readAlone(type, id) : undefined;
    if (alone !== undefined) return alone;
    const found = await this.#ask(type, id);
    if (found.type !== type || objectId(type, found.bytes) !== id) throw damaged(type, id);
    return found.bytes;
  }

  /** Reads an object without git. Returns undefined when only git can read the object or explain the damage. */
  #readAlone(type: ObjectType, id: string): Buffer | undefined {
    const loose = firstOf(this.#looseIn, (objects) => readLoose(objects, type, id));
    if (loose !== undefined || this.#packedReads >= packedReadsMax) return loose;
    this.#packedReads += 1;
    return firstOf(this.#looseIn, (objects) => readPacked(objects, type, id));
  }

  /** Reads an object in chunks, and checks the hash after the last chunk. */
  async *stream(type: ObjectType, id: string, size: number): AsyncGenerator<Buffer> {
    const hash = objectHash(type, size);
    let received = 0;
    try {
      for await (const chunk of streamGit(this.#place, ['cat-file', type, id])) {
        hash.update(chunk);
        received += chunk.length;
        yield chunk;
      }
    } catch (error) {
      throw isRefusal(error) && !isSilence(error) ? damaged(type, id, error) : error;
    }
    if (received !== size || hash.digest() !== id) throw damaged(type, id);
  }

  async close(): Promise<void> {
    await Promise.all([this.#contents.close(), this.#facts.close()]);
  }

  kill(): void {
    this.#contents.kill();
    this.#facts.kill();
  }

  async #ask(type: ObjectType, id: string): Promise<Found> {
    try {
      const found = await this.#contents.ask(Buffer.from(`${id}\n`, 'latin1'), takeObject);
      if (found !== undefined) return found;
    } catch (error) {
      if (!isGitFailure(error)) throw error;
    }
    // For a damaged object, `cat-file --batch` reports a missing object, or dies. If it dies, all waiting queries fail.
    // So this code repeats the query in a separate process, which reports the damage.
    return { type, bytes: await this.#alone(type, id) };
  }

  async #alone(type: ObjectType, id: string): Promise<Buffer> {
    try {
      return (await runGit({ place: this.#place, args: ['cat-file', type, id] })).stdout;
    } catch (error) {
      if (!isRefusal(error) || isSilence(error)) throw error;
      const isThere = error instanceof CheckpointdError && /corrupt|unpack|mismatch/.test(error.message);
      throw isThere ? damaged(type, id, error) : missing(type, id);
    }
  }
}

/** Returns the first value that `find` finds in these directories. */
function firstOf<T>(directories: readonly string[], find: (objects: string) => T | undefined): T | undefined {
  for (const objects of directories) {
    const found = find(objects);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Parses `<id> <type> <size>\n<content>\n`, or `<id> missing\n`. */
const takeObject: TakeAnswer<Found | undefined> = (received) => {
  const end = received.indexOf(10);
  if (end < 0) return undefined;
  const [, type, size] = received.toString('latin1', 0, end).split(' ');
  if (type === undefined || size === undefined) return { value: undefined, length: end + 1 };
  const length = end + 1 + Number(size) + 1;
  if (received.length < length) return length;
  // Copies the content, because a slice of a chunk would keep the whole chunk in memory.
  return { value: { type, bytes: Buffer.from(received.subarray(end + 1, length - 1)) }, length };
};

/** The length of `<id> blob 0\n`, which is the shortest answer that git sends for an object. */
const shortestFact = 48;

function takeFacts(count: number): TakeAnswer<number[]> {
  return (received) => {
    const sizes: number[] = [];
    let at = 0;
    while (sizes.length < count) {
      const end = received.indexOf(10, at);
      if (end < 0) return received.length + (count - sizes.length - 1) * shortestFact + 1;
      const size = received.toString('latin1', at, end).split(' ')[2];
      sizes.push(size === undefined ? -1 : Number(size));
      at = end + 1;
    }
    return { value: sizes, length: at };
  };
}

/** True when git refused or died. False when git hung, because a repeated call would hang, too. */
function isGitFailure(error: unknown): boolean {
  return isKind('GitFailed')(error) && !isSilence(error);
}

function missing(type: ObjectType, id: string): CheckpointdError {
  return new CheckpointdError(
    'DataCorrupt',
    `The checkpoint store lacks the ${type} ${id}. Run store/verify to see which checkpoints are affected.`,
    { details: { object: id, problem: 'missing' } },
  );
}

function damaged(type: ObjectType, id: string, cause?: unknown): CheckpointdError {
  return new CheckpointdError(
    'DataCorrupt',
    `The ${type} ${id} in the checkpoint store is damaged. Run store/verify to see which checkpoints are affected.`,
    { details: { object: id, problem: 'damaged' }, cause },
  );
}
