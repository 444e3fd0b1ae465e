// The strategies as a client is told of them before it opens a session, and whether each can be had here. Loads none.
import { sqliteObstacle } from '../store/sqlite/database/available.ts';

export interface OfferedStrategy {
  readonly name: string;
  readonly available: boolean;
  /** Why not, with the remedy. */
  readonly reason?: string;
  readonly retention: 'session' | 'keep';
  readonly needsRepository: boolean;
}

/** What there is on this machine; asks for the names of installed packages and for nothing else. */
export function offeredStrategies(): OfferedStrategy[] {
  const reason = sqliteObstacle();
  return [
    { name: 'shadow', available: true, retention: 'session', needsRepository: false },
    { name: 'local', available: true, retention: 'keep', needsRepository: true },
    {
      name: 'sqlite',
      available: reason === undefined,
      ...(reason === undefined ? {} : { reason }),
      retention: 'keep',
      needsRepository: false,
    },
  ];
}
