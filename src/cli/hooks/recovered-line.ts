// What is said where an opening has finished or undone a restore that was stopped half-way.
import type { RestoreResult } from '../../protocol/types.ts';

/** Files have changed by our coming, although nobody asked for it. */
export function recoveredLine({ counts }: RestoreResult): string {
  const files = (count: number): string => `${count} ${count === 1 ? 'file' : 'files'}`;
  const back = files(counts.restored);
  const gone = files(counts.deleted);
  const rest = counts.failed === 0 ? '' : `, ${files(counts.failed)} not restored`;
  return `a restore that was stopped half-way has been finished or undone: ${back} brought back, ${gone} deleted${rest} ("checkpointd undo" takes it back)`;
}
