// The strategies that the daemon offers, and whether this machine supports each strategy. The daemon must load this
// file before it can answer `initialize`, so the file imports no store.
import type { StrategyDriver } from '../store/snapshot-store.ts';
import { strategies } from '../store/strategies.ts';

export { defaultStrategy } from '../store/strategies.ts';

interface OfferedStrategy extends Pick<StrategyDriver, 'name' | 'retention' | 'needsRepository'> {
  readonly available: boolean;
  /** The reason why the strategy is not available, with the remedy. */
  readonly reason?: string | undefined;
}

/**
 * Returns the strategies, and whether each is available. Only looks up the names of installed packages, and loads no
 * package.
 */
export function offeredStrategies(): OfferedStrategy[] {
  return Object.values(strategies).map((driver) => {
    const { name, retention, needsRepository } = driver;
    const reason = driver.obstacle();
    return { name, available: reason === undefined, reason, retention, needsRepository };
  });
}
