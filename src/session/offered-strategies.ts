// The strategies as a client is told of them before it opens a session, and whether each can be had here. Opens none.
import { strategies, strategyNamed } from '../store/strategies.ts';
import type { Session } from './session.ts';

export { defaultStrategy } from '../store/strategies.ts';

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
  return Object.values(strategies).map((driver) => {
    const { name, retention, needsRepository } = driver;
    const reason = driver.obstacle();
    const availability = reason === undefined ? { available: true } : { available: false, reason };
    return { name, ...availability, retention, needsRepository };
  });
}

/** The git repository of this session's checkpoints, where its strategy has one of its own. */
export function ownRepository({ parts }: Session): string | undefined {
  return strategyNamed(parts.marker.strategy).ownRepository?.(parts.directory.root);
}
