// The factory of 001 (R2) as a plain table: a name, and how to load the driver when it is first used. A fourth
// strategy is one file and one line here, and the conformance suite runs on it at once.
import type { StrategyDriver } from './snapshot-store.ts';

export const strategies: Readonly<Record<string, () => Promise<StrategyDriver>>> = {
  shadow: async () => (await import('./shadow-git.ts')).shadowDriver,
};
