// The strategies that the daemon offers before a client opens a session, and whether this machine supports
// each. The answer to `initialize` waits for this file, so this file imports no store.
import { given } from '../base/given.ts';
import type { StrategyDriver } from '../store/snapshot-store.ts';
import { strategies } from '../store/strategies.ts';

export { defaultStrategy } from '../store/strategies.ts';

interface OfferedStrategy extends Pick<StrategyDriver, 'name' | 'retention' | 'needsRepository'> {
  readonly available: boolean;
  /** Why the strategy is not available, with the remedy. */
  readonly reason?: string;
}

/** Returns the strategies of this machine. Only looks up the names of installed packages, and opens nothing. */
export function offeredStrategies(): OfferedStrategy[] {
  return Object.values(strategies).map((driver) => {
    const { name, retention, needsRepository } = driver;
    const reason = driver.obstacle();
    return { name, available: reason === undefined, ...given({ reason }), retention, needsRepository };
  });
}
