// A fourth strategy by the recipe of src/README.md: a driver that describes itself and opens a store. The data of the
// store lives as long as the process.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { StrategyDriver } from '../../../src/store/snapshot-store.ts';
import { MemoryContents, MemoryStore } from './memory-store.ts';

const kept = new Map<string, MemoryContents>();

export const memoryDriver: StrategyDriver = {
  name: 'memory',
  retention: 'session',
  needsRepository: false,
  livesInSessionDirectory: true,
  obstacle: () => undefined,
  open: async ({ sessionDirectory }) => {
    const contents = kept.get(sessionDirectory) ?? new MemoryContents();
    kept.set(sessionDirectory, contents);
    const spool = join(sessionDirectory, 'spool');
    rmSync(spool, { recursive: true, force: true });
    mkdirSync(spool, { recursive: true, mode: 0o700 });
    return new MemoryStore(contents, spool);
  },
  setAside: async ({ sessionDirectory }) => void kept.delete(sessionDirectory),
};
