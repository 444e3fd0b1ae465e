// Shortens a failing list of steps. First tries to leave out parts of the list, and then troubles and single edits. The
// result is the shortest list found that still fails.
import type { Step } from './steps.ts';

/**
 * Returns a shortened list whose steps still fail. `fails` runs steps in a new world and returns whether they fail.
 * After `triesMax` runs, returns the best result so far.
 */
export async function shrink(
  steps: readonly Step[],
  fails: (steps: readonly Step[]) => Promise<boolean>,
  triesMax: number,
): Promise<readonly Step[]> {
  let tries = 0;
  let best = steps;
  const attempt = async (candidate: readonly Step[]): Promise<boolean> => {
    if (tries === triesMax || candidate.length === 0) return false;
    tries += 1;
    if (!(await fails(candidate))) return false;
    best = candidate;
    return true;
  };
  for (let size = Math.ceil(best.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = best.length - size; from > -size; from -= size) {
      const start = Math.max(0, from);
      await attempt([...best.slice(0, start), ...best.slice(start + size)]);
    }
  }
  for (let at = 0; at < best.length; at += 1)
    for (let again = true; again; ) {
      again = false;
      for (const smaller of smallerThan(best[at] as Step)) {
        if (!(await attempt([...best.slice(0, at), smaller, ...best.slice(at + 1)]))) continue;
        again = true;
        break;
      }
    }
  return best;
}

/** Yields simpler variants of the step. */
function* smallerThan(step: Step): Generator<Step> {
  if (step.op === 'edit') {
    if (step.edits.length > 1)
      for (let i = 0; i < step.edits.length; i += 1)
        yield { ...step, edits: step.edits.filter((_, n) => n !== i) };
    return;
  }
  if (!('trouble' in step) || step.trouble === undefined) return;
  const { trouble: _, ...calm } = step;
  yield calm;
  const { between, nested, ...bare } = step.trouble;
  if (nested !== undefined) yield { ...step, trouble: { ...bare, ...(between && { between }) } };
  if (between !== undefined) {
    yield { ...step, trouble: { ...bare, ...(nested && { nested }) } };
    if (between.length > 1)
      for (let i = 0; i < between.length; i += 1)
        yield { ...step, trouble: { ...step.trouble, between: between.filter((_, n) => n !== i) } };
  }
}
