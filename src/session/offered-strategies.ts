// The strategies as a client is told of them before it opens a session, and whether this machine has each. The answer to
// `initialize` waits for this file, so it imports no store.
import { given } from '../base/given.ts';
import type { StrategyDriver } from '../store/snapshot-store.ts';
import { strategies } from '../store/strategies.ts';

export { defaultStrategy } from '../store/strategies.ts';

interface OfferedStrategy extends Pick<StrategyDriver, 'name' | 'retention' | 'needsRepository'> {
  readonly available: boolean;
  /** Why not, with the remedy. */
  readonly reason?: string;
}

/** Returns the strategies of this machine; looks for the names of installed packages and opens nothing. */
export function offeredStrategies(): OfferedStrategy[] {
  return Object.values(strategies).map((driver) => {
    const { name, retention, needsRepository } = driver;
    const reason = driver.obstacle();
    return { name, available: reason === undefined, ...given({ reason }), retention, needsRepository };
  });
}
