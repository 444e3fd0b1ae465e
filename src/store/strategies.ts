// Describes all strategies and their abilities in one table. Opening a store loads the code of its strategy. No code
// above the store asks for a strategy by its name.
import { CheckpointdError } from '../base/errors.ts';
import type { StrategyDriver } from './snapshot-store.ts';
import { sqliteObstacle } from './sqlite/database/library.ts';

export const shadowDriver: StrategyDriver = {
  name: 'shadow',
  retention: 'session',
  needsRepository: false,
  livesInSessionDirectory: true,
  ownRepository: (sessionDirectory) => sessionDirectory,
  obstacle: () => undefined,
  open: async (options) => (await import('./git/shadow.ts')).openShadow(options),
  openToRead: async (options, scratch) =>
    (await import('./git/reading.ts')).openShadowToRead(options, scratch),
  setAside: async (options, to) => (await import('./git/shadow.ts')).setShadowAside(options, to),
};

export const localDriver: StrategyDriver = {
  name: 'local',
  retention: 'keep',
  needsRepository: true,
  livesInSessionDirectory: false,
  obstacle: () => undefined,
  open: async (options) => (await import('./git/local.ts')).openLocal(options),
  openToRead: async (options, scratch) =>
    (await import('./git/reading.ts')).openLocalToRead(options, scratch),
  setAside: async (options, to) => (await import('./git/local.ts')).setLocalAside(options, to),
};

export const sqliteDriver: StrategyDriver = {
  name: 'sqlite',
  retention: 'keep',
  needsRepository: false,
  livesInSessionDirectory: false,
  obstacle: () => sqliteObstacle(),
  open: async (options) => (await import('./sqlite/sqlite-store.ts')).openSqliteStore(options),
  setAside: async (options, to) => (await import('./sqlite/sqlite-store.ts')).setSqliteAside(options, to),
};

export const strategies: Record<string, StrategyDriver> = {
  shadow: shadowDriver,
  local: localDriver,
  sqlite: sqliteDriver,
};

export const defaultStrategy = 'shadow';

/** Returns the driver of a strategy. @throws StrategyUnavailable for a name that is not in the table */
export function strategyNamed(name: string): StrategyDriver {
  const driver = Object.hasOwn(strategies, name) ? strategies[name] : undefined;
  if (driver !== undefined) return driver;
  const known = Object.keys(strategies);
  throw new CheckpointdError(
    'StrategyUnavailable',
    `checkpointd has no strategy ${JSON.stringify(name.slice(0, 64))}. Choose one of: ${known.join(', ')}.`,
    { details: { strategy: name.slice(0, 64), known } },
  );
}
