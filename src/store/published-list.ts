// Which checkpoints a session has published and not removed, kept apart from its store: only so can a store that was
// deleted, emptied or replaced be told from a new one, and checkpoints that are gone be named. A file of lines, `+` and
// an id for a publication, `-` for a removal, each with a check sum. It decides nothing; guarded-store.ts does.
import { createHash } from 'node:crypto';
import { writeAtomically } from '../base/atomic-file.ts';
import { systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { CheckpointId } from '../base/ids.ts';

const lineForm = /^([+-])(ckpt_[0-9a-z]{1,64}) ([0-9a-f]{8})$/;

export class PublishedList {
  readonly #file: string;
  readonly #ids: Set<CheckpointId>;
  readonly #unwritten: CheckpointId[] = [];
  /** False for a session of an earlier version, which kept no list: what its store holds is believed. */
  readonly isKept: boolean;

  private constructor(file: string, ids: Set<CheckpointId>, isKept: boolean) {
    this.#file = file;
    this.#ids = ids;
    this.isKept = isKept;
  }

  /** Reads the list; lines that were damaged or cut short are passed over. */
  static open(file: string): PublishedList {
    const text = readText(file);
    const ids = new Set<CheckpointId>();
    for (const line of (text ?? '').split('\n')) {
      const [, sign, id, sum] = lineForm.exec(line) ?? [];
      if (id === undefined || sum !== sumOf(`${sign}${id}`)) continue;
      if (sign === '+') ids.add(id as CheckpointId);
      else ids.delete(id as CheckpointId);
    }
    return new PublishedList(file, ids, text !== undefined);
  }

  get ids(): ReadonlySet<CheckpointId> {
    return this.#ids;
  }

  /**
   * After a publication, which an error of the system here must not make seem undone: what cannot be written now is
   * written with the next line, or when the store is opened next; until then the loss of that checkpoint alone would go
   * unnamed.
   */
  add(id: CheckpointId): void {
    this.#ids.add(id);
    try {
      this.#append('+', [id]);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      this.#unwritten.push(id);
    }
  }

  /** Before a removal: a kill in between leaves a checkpoint that is not listed, and never one that seems lost. */
  remove(ids: readonly CheckpointId[]): void {
    this.#append('-', ids);
    for (const id of ids) this.#ids.delete(id);
  }

  /** Makes the list exactly these. */
  replace(ids: Iterable<CheckpointId>): void {
    const wanted = [...ids];
    this.#ids.clear();
    for (const id of wanted) this.#ids.add(id);
    writeAtomically(this.#file, wanted.map((id) => lineOf('+', id)).join(''));
  }

  /** There is no store any more. */
  forget(): void {
    this.#ids.clear();
    files.rmSync(this.#file, { force: true });
  }

  /** A list that cannot be written is given up, not left wrong: the next open believes the store and begins a new one. */
  #append(sign: '+' | '-', ids: readonly CheckpointId[]): void {
    try {
      // A line that a kill cut short ends here.
      const lines = [...this.#unwritten.map((id) => lineOf('+', id)), ...ids.map((id) => lineOf(sign, id))];
      files.writeFileSync(this.#file, `\n${lines.join('')}`, { flag: 'a', mode: 0o600 });
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      files.rmSync(this.#file, { force: true });
    }
    this.#unwritten.length = 0;
  }
}

function lineOf(sign: '+' | '-', id: CheckpointId): string {
  return `${sign}${id} ${sumOf(`${sign}${id}`)}\n`;
}

function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

function readText(file: string): string | undefined {
  try {
    return files.readFileSync(file, 'latin1');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
}
