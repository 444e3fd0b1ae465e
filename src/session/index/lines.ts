// The lines that checkpoints stand on: what came after what, by the parents that their records name. A restore begins a
// new line beside the old one. Knows rows and kinds; who bears which tag is the index's business.
import type { StoredCheckpoint } from '../../store/snapshot-store.ts';
import type { CheckpointRows } from './checkpoint-rows.ts';
import { tagParts } from './tag.ts';

export class Lines {
  readonly #rows: CheckpointRows;

  constructor(rows: CheckpointRows) {
    this.#rows = rows;
  }

  /** By row, 1 for those that `head` comes after, and itself. */
  upTo(head: number | undefined): Uint8Array {
    const line = new Uint8Array(this.#rows.end);
    for (let row = head; row !== undefined; row = this.#rows.parentAt(row)) line[row] = 1;
    return line;
  }

  /**
   * What a checkpoint's statistics are against: of a turn the nearest turn that it came after, of a tool the nearest
   * turn or tool; one that was made again under the same tag is passed over. Of others their parent. Undefined for the
   * base. It follows the line of the checkpoint and never the text of its tag, so that only a deletion changes it.
   */
  before(row: number): number | undefined {
    const stored = this.#rows.at(row);
    if (stored === undefined) return undefined;
    const { kind, parent } = stored.record;
    if (kind !== 'turn' && kind !== 'tool')
      return parent === undefined ? undefined : this.#rows.rowOf(parent);
    for (let at = this.#rows.parentAt(row); at !== undefined; at = this.#rows.parentAt(at)) {
      const before = this.#rows.kindAt(at);
      if (before !== 'turn' && (before !== 'tool' || kind === 'turn')) continue;
      const earlier = this.#rows.at(at);
      if (earlier !== undefined && madeAs(earlier) !== madeAs(stored)) return at;
    }
    return undefined;
  }

  /** The tools among `rows` that came after a turn and before any other; of those made again the latest. */
  toolsOf(turn: number, rows: readonly number[]): number[] {
    const number = turnNumber(this.#rows.at(turn));
    const latest = new Map<string | undefined, number>();
    for (const row of rows) {
      if (row < turn || this.#rows.kindAt(row) !== 'tool' || this.#turnBefore(row) !== turn) continue;
      const stored = this.#rows.at(row);
      // The turn between may have been deleted: its tools are not those of the turn before.
      if (stored !== undefined && turnNumber(stored) === number) latest.set(madeAs(stored), row);
    }
    return [...latest.values()];
  }

  #turnBefore(row: number): number | undefined {
    let at = this.#rows.parentAt(row);
    while (at !== undefined && (this.#rows.kindAt(at) !== 'turn' || this.#rows.at(at) === undefined))
      at = this.#rows.parentAt(at);
    return at;
  }
}

function madeAs({ record, tag }: StoredCheckpoint): string | undefined {
  return tag ?? record.madeAs;
}

function turnNumber(stored: StoredCheckpoint | undefined): number | undefined {
  const tag = stored?.tag ?? stored?.record.madeAs;
  return tag === undefined ? undefined : tagParts(tag).turn;
}
