// What a capture hands over is in the store for certain. Git writes nothing that it believes to have, so what is there
// already is read first; where it is damaged it is written beside, and git takes what it can read. For stores that git
// writes into directly. What nobody hands over is the business of `store/verify` and of the next full look.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { CheckpointdError } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import type { StableContent } from '../../capture/snapshot-sink.ts';
import { stateOfLoose } from '../../git/objects/loose-object.ts';
import type { ObjectType } from '../../git/objects/object-id.ts';
import { type ObjectReader, wholeBytesMax } from '../../git/objects/object-reader.ts';
import type { ObjectWriter } from '../../git/objects/object-writer.ts';
import type { GitPlace } from '../../git/process/environment.ts';
import { moveObjects } from './quarantine/object-files.ts';

export interface Handed {
  readonly id: string;
  readonly content: StableContent;
}

export interface ProofParts {
  readonly place: GitPlace;
  readonly objects: ObjectWriter;
  readonly reader: ObjectReader;
  readonly spoolDirectory: string;
}

export class Proof {
  readonly #parts: ProofParts;
  readonly #objects: string;
  /** What comes into packs later is of this writer's own making. */
  readonly #hasPacks: boolean;

  constructor(parts: ProofParts) {
    this.#parts = parts;
    this.#objects = join(parts.place.gitDir, 'objects');
    this.#hasPacks = files.readdirSync(join(this.#objects, 'pack')).some((name) => name.endsWith('.idx'));
  }

  /** Those that are not there and have yet to be written; of all others it is certain that they can be read. */
  async missing<T extends Handed>(type: ObjectType, handed: readonly T[]): Promise<T[]> {
    const missing: T[] = [];
    const elsewhere: T[] = [];
    for (const each of handed) {
      const file = join(this.#objects, each.id.slice(0, 2), each.id.slice(2));
      const state = stateOfLoose(file, each.id, true);
      if (state === 'damaged') files.rmSync(file, { force: true });
      if (state !== 'whole') elsewhere.push(each);
    }
    if (!this.#hasPacks) return elsewhere;
    const { reader } = this.#parts;
    const sizes = await reader.sizes(elsewhere.map(({ id }) => id));
    const work = elsewhere.map(async (each, i) => {
      const size = sizes[i] ?? -1;
      if (size === -1) missing.push(each);
      else if (!(await this.#isReadable(type, each.id, size))) await this.#writeBeside(type, each);
    });
    await Promise.all(work);
    return missing;
  }

  async #isReadable(type: ObjectType, id: string, size: number): Promise<boolean> {
    const { reader } = this.#parts;
    try {
      if (size <= wholeBytesMax) await reader.read(type, id);
      else for await (const chunk of reader.stream(type, id, size)) void chunk; // its hash is checked at the end
      return true;
    } catch (error) {
      if (error instanceof CheckpointdError && error.kind === 'DataCorrupt') return false;
      throw error;
    }
  }

  /** Into a directory in which git sees no other objects, and from there to its place. */
  async #writeBeside(type: ObjectType, { id, content }: Handed): Promise<void> {
    const { objects, spoolDirectory } = this.#parts;
    const directory = join(spoolDirectory, `${randomBytes(6).toString('hex')}.objects`);
    files.mkdirSync(join(directory, 'pack'), { recursive: true, mode: 0o700 });
    const writer = objects.beside(directory);
    try {
      await writer.store(type, id, content);
      moveObjects(directory, this.#objects);
    } finally {
      await writer.close();
      files.rmSync(directory, { recursive: true, force: true });
    }
  }
}
