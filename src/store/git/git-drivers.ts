// The two git strategies as data: what each can and cannot do. Their code is in shadow.ts and local.ts and is loaded
// when a store is opened.
import type { StrategyDriver } from '../snapshot-store.ts';

export const shadowDriver: StrategyDriver = {
  name: 'shadow',
  retention: 'session',
  needsRepository: false,
  livesInSessionDirectory: true,
  ownRepository: (sessionDirectory) => sessionDirectory,
  obstacle: () => undefined,
  open: async (options) => (await import('./shadow.ts')).openShadow(options),
  setAside: async (options, to) => (await import('./shadow.ts')).setShadowAside(options, to),
};

export const localDriver: StrategyDriver = {
  name: 'local',
  retention: 'keep',
  needsRepository: true,
  livesInSessionDirectory: false,
  obstacle: () => undefined,
  open: async (options) => (await import('./local.ts')).openLocal(options),
  setAside: async (options, to) => (await import('./local.ts')).setLocalAside(options, to),
};
