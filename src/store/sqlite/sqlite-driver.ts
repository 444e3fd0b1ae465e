// What the strategy `sqlite` can and cannot do, as data; its code and libsql are loaded when it is opened.
import type { StrategyDriver } from '../snapshot-store.ts';
import { sqliteObstacle } from './database/library.ts';

export const sqliteDriver: StrategyDriver = {
  name: 'sqlite',
  retention: 'keep',
  needsRepository: false,
  livesInSessionDirectory: false,
  obstacle: () => sqliteObstacle(),
  open: async (options) => (await import('./sqlite-store.ts')).openSqliteStore(options),
  setAside: async (options, to) => (await import('./sqlite-store.ts')).setSqliteAside(options, to),
};
