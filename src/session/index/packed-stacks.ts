// Undo and redo stacks in little space. Each checkpoint carries its own, up to a hundred ids, and they differ by one
// from checkpoint to checkpoint; so most are kept as what was taken off and put on the one before. Knows no restores.
import type { CheckpointId } from '../../base/ids.ts';
import { PackedBytes, PackWriter } from '../../base/packing.ts';

/** After so many differences a stack is kept whole, so that reading one never goes back further. */
const chainMax = 32;

export class PackedStacks {
  readonly #bytes = new PackedBytes();
  readonly #writer = new PackWriter();
  #last: readonly CheckpointId[] = [];
  #lastAddress = -1;
  #chain = 0;

  /** Keeps a stack and gives its address. The same one again takes no space. */
  put(stack: readonly CheckpointId[]): number {
    const nearest = this.#lastAddress < 0 ? undefined : stepTo(this.#last, stack);
    if (nearest?.from === 0 && nearest.kept === stack.length && stack.length === this.#last.length)
      return this.#lastAddress;
    const step = this.#chain >= chainMax ? undefined : nearest;
    const writer = this.#writer;
    writer.integer(step === undefined ? 0 : this.#lastAddress + 1);
    if (step !== undefined) {
      writer.integer(step.from);
      writer.integer(step.kept);
    }
    const added = stack.slice(step?.kept ?? 0);
    writer.integer(added.length);
    for (const id of added) writer.text(id);
    this.#chain = step === undefined ? 0 : this.#chain + 1;
    this.#lastAddress = this.#bytes.add(writer);
    this.#last = [...stack];
    return this.#lastAddress;
  }

  get(address: number): readonly CheckpointId[] {
    if (address === this.#lastAddress) return this.#last;
    const reader = this.#bytes.reader(address);
    const base = reader.integer() - 1;
    const kept: CheckpointId[] = [];
    if (base >= 0) {
      const from = reader.integer();
      kept.push(...this.get(base).slice(from, from + reader.integer()));
    }
    for (let left = reader.integer(); left > 0; left -= 1) kept.push(reader.text() as CheckpointId);
    return kept;
  }
}

/** How much of a stack the next one keeps: all, all but the bottom (it was full), or all but the top. */
function stepTo(
  last: readonly CheckpointId[],
  next: readonly CheckpointId[],
): { readonly from: number; readonly kept: number } | undefined {
  for (const from of [0, 1]) {
    let kept = 0;
    while (from + kept < last.length && kept < next.length && last[from + kept] === next[kept]) kept += 1;
    if (kept >= next.length - 1) return { from, kept };
  }
  return undefined;
}
