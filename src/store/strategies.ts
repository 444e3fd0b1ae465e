// The factory of 001 (R2) as a plain table: a name, and how to load the driver when it is first used. A fourth
// strategy is one file and one line here, and the conformance suite runs on it at once.
import { CheckpointdError } from '../base/errors.ts';
import type { StrategyDriver } from './snapshot-store.ts';

export const strategies: Readonly<Record<string, () => Promise<StrategyDriver>>> = {
  shadow: async () => (await import('./git/shadow.ts')).shadowDriver,
  local: async () => (await import('./git/local.ts')).hiddenBranchDriver,
  sqlite: async () => (await import('./sqlite/sqlite-store.ts')).driver,
};

/** Loads a strategy's driver. @throws StrategyUnavailable for a name that is not in the table */
export async function loadStrategy(name: string): Promise<StrategyDriver> {
  const load = Object.hasOwn(strategies, name) ? strategies[name] : undefined;
  if (load !== undefined) return load();
  const known = Object.keys(strategies).join(', ');
  throw new CheckpointdError(
    'StrategyUnavailable',
    `There is no strategy ${JSON.stringify(name.slice(0, 64))}. Choose one of: ${known}.`,
    {
      details: { strategy: name.slice(0, 64), known: Object.keys(strategies) },
    },
  );
}
