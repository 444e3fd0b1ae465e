// What the strategy `local` can and cannot do, as data; its code is in local.ts and is loaded when it is opened.
import type { StrategyDriver } from '../snapshot-store.ts';

export const localDriver: StrategyDriver = {
  name: 'local',
  retention: 'keep',
  needsRepository: true,
  livesInSessionDirectory: false,
  obstacle: () => undefined,
  open: async (options) => (await import('./local.ts')).openLocal(options),
  setAside: async (options, to) => (await import('./local.ts')).setLocalAside(options, to),
};
