// A watch that misses nothing, for tests of what checks the watch: every change of the tree is made through it, in one
// turn of the event loop, and told as sparingly as the kernel would. What it is asked to miss it misses.
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { ScanHandles } from '../../src/capture/fast-scan.ts';
import type { AuditedHandles } from '../../src/capture/watch-audit.ts';
import { fromText, parentOf, rootPath, type TreePath } from '../../src/tree/tree-path.ts';
import { ChangeLog } from '../../src/watch/change-log.ts';

export class PerfectWatch implements AuditedHandles, ScanHandles {
  readonly changes = new ChangeLog();
  isTrusted = true;
  /** Captures look at everything. */
  readonly isReady = false;
  /** What the fence answers. */
  fence: () => Promise<boolean> = () => Promise.resolve(true);
  readonly #root: string;
  #state: ReadonlyMap<TreePath, string>;

  constructor(root: string) {
    this.#root = root;
    this.#state = this.#look();
    this.changes.begin();
  }

  open(paths: readonly TreePath[]): Promise<readonly TreePath[]> {
    return Promise.resolve(paths);
  }

  closeAll(): void {
    this.changes.lose('suspect');
  }

  /** Changes the tree; synchronous, so that no capture comes in between. Returns what was told. */
  change(act: () => void): TreePath[] {
    act();
    const told = this.#changed();
    for (const path of told) this.changes.mark(path, 'handles');
    return told;
  }

  /** Changes the tree and tells nobody. Returns what would have been told. */
  miss(act: () => void): TreePath[] {
    act();
    return this.#changed();
  }

  /** What differs from the last look; of a directory that came or went nothing below it, which its name stands for. */
  #changed(): TreePath[] {
    const now = this.#look();
    const changed = new Set<TreePath>();
    for (const path of new Set([...this.#state.keys(), ...now.keys()])) {
      if (this.#state.get(path) !== now.get(path)) changed.add(path);
    }
    const stands = (path: TreePath): boolean => this.#state.has(path) && now.has(path);
    const told = [...changed].filter((path) => {
      for (let at = parentOf(path); at !== rootPath; at = parentOf(at)) if (!stands(at)) return false;
      return true;
    });
    this.#state = now;
    return told;
  }

  #look(): Map<TreePath, string> {
    const found = new Map<TreePath, string>();
    const visit = (path: TreePath): void => {
      const at = join(this.#root, path);
      for (const name of readdirSync(at)) {
        if (name === '.git') continue;
        const file = join(at, name);
        const stats = lstatSync(file);
        const below = (path === rootPath ? fromText(name) : `${path}/${fromText(name)}`) as TreePath;
        const content = stats.isSymbolicLink()
          ? readlinkSync(file)
          : stats.isFile()
            ? createHash('sha1').update(readFileSync(file)).digest('hex')
            : '';
        found.set(below, `${stats.mode} ${content}`);
        if (stats.isDirectory()) visit(below);
      }
    };
    visit(rootPath);
    return found;
  }
}
