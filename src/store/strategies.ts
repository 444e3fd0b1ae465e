// The strategies as a plain table: a name, and the driver that says what the strategy can do and opens its stores.
// One line a strategy; nothing above the store asks for a strategy by its name.
import { CheckpointdError } from '../base/errors.ts';
import { localDriver, shadowDriver } from './git/git-drivers.ts';
import type { StrategyDriver } from './snapshot-store.ts';
import { sqliteDriver } from './sqlite/sqlite-driver.ts';

export const strategies: Record<string, StrategyDriver> = {
  shadow: shadowDriver,
  local: localDriver,
  sqlite: sqliteDriver,
};

/** The one that is used when a client names none. */
export const defaultStrategy = 'shadow';

/** The driver of a strategy. @throws StrategyUnavailable for a name that is not in the table */
export function strategyNamed(name: string): StrategyDriver {
  const driver = Object.hasOwn(strategies, name) ? strategies[name] : undefined;
  if (driver !== undefined) return driver;
  const known = Object.keys(strategies);
  throw new CheckpointdError(
    'StrategyUnavailable',
    `There is no strategy ${JSON.stringify(name.slice(0, 64))}. Choose one of: ${known.join(', ')}.`,
    { details: { strategy: name.slice(0, 64), known } },
  );
}
