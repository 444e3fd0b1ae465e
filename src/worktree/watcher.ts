// Placeholder of the watcher: it watches nothing and says so; captures walk either way.
import type { Log } from '../base/log.ts';
import type { TreePath } from '../base/tree-path.ts';

export interface WatcherOptions {
  readonly root: string;
  readonly storage: string;
  readonly isIgnored: (path: TreePath) => boolean;
  readonly onChange: (change: { readonly paths: readonly TreePath[]; readonly overflow: boolean }) => void;
  readonly log: Log;
}

export class WorkTreeWatcher {
  readonly #options: WatcherOptions;

  constructor(options: WatcherOptions) {
    this.#options = options;
  }

  get figures(): {
    state: string;
    watchedDirectories: number;
    dirtyPaths: number;
    overflows: number;
    reason?: string;
  } {
    return { state: 'off', watchedDirectories: 0, dirtyPaths: 0, overflows: 0 };
  }

  dirtyPaths(_limit: number): TreePath[] {
    return [];
  }

  start(): void {
    this.#options.log.debug('not watching');
  }

  async close(): Promise<void> {
    this.#options.log.debug('nothing to close');
  }
}
