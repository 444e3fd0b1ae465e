// Makes a directory for a restore, and runs a restore for the tests.
import type { RestorePlan } from '../../src/restore/plan.ts';
import { type AppliedPlan, applyRestore, type RestoreOptions } from '../../src/restore/restorer.ts';
import { type MemoryContents, makeDirectory, remove } from '../support/trees/model-tree.ts';

export const id = '0123456789abcdefghjk';

export async function inDirectory(run: (root: string) => Promise<void>): Promise<void> {
  const root = makeDirectory();
  try {
    await run(root);
  } finally {
    remove(root);
  }
}

export function apply(
  root: string,
  plan: RestorePlan,
  contents: MemoryContents,
  rest: Partial<RestoreOptions> = {},
): Promise<AppliedPlan> {
  return applyRestore({ root, plan, id, contents, ...rest });
}
