// What the strategy `shadow` can and cannot do, as data; its code is in shadow.ts and is loaded when it is opened.
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
