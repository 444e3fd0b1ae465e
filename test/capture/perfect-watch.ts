// A watch for tests that replaces the directory handles. Misses only the changes that are made with `miss`. Marks all
// other changes in the same turn of the event loop. Makes no more marks than the kernel would report.
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { ScanHandles } from '../../src/capture/fast-scan.ts';
import type { AuditedHandles } from '../../src/capture/watch-audit.ts';
import { fromText, parentOf, rootPath, type TreePath, toText } from '../../src/tree/tree-path.ts';
import { ChangeLog } from '../../src/watch/change-log.ts';

export class PerfectWatch implements AuditedHandles, ScanHandles {
  readonly changes = new ChangeLog();
  isTrusted = true;
  /** If false, captures scan everything. */
  readonly isReady: boolean = false;
  /** The result of `fence()`. */
  fence: () => Promise<boolean> = () => Promise.resolve(true);
  readonly #root: string;
  #state: ReadonlyMap<TreePath, string>;

  constructor(root: string) {
    this.#root = root;
    this.#state = this.#look();
    this.changes.begin();
  }

  whenReady(): Promise<boolean> {
    return Promise.resolve(false);
  }

  open(paths: readonly TreePath[]): Promise<readonly TreePath[]> {
    return Promise.resolve(paths);
  }

  closeAll(): void {
    this.changes.lose('suspect');
  }

  /** Changes the tree and marks the changes. Is synchronous, so that no capture runs in between. */
  change(act: () => void): void {
    act();
    for (const path of this.#changed()) this.changes.mark(path, 'handles');
  }

  /** Changes the tree without marking the changes. */
  miss(act: () => void): void {
    act();
    this.#changed();
  }

  /**
   * Returns the paths that differ since the last call. The path of a new or removed directory stands for everything
   * below the directory.
   */
  #changed(): TreePath[] {
    const now = this.#look();
    const changed = new Set<TreePath>();
    for (const path of new Set([...this.#state.keys(), ...now.keys()])) {
      if (this.#state.get(path) !== now.get(path)) changed.add(path);
    }
    const isKept = (path: TreePath): boolean => this.#state.has(path) && now.has(path);
    const reported = [...changed].filter((path) => {
      for (let at = parentOf(path); at !== rootPath; at = parentOf(at)) if (!isKept(at)) return false;
      return true;
    });
    this.#state = now;
    return reported;
  }

  #look(): Map<TreePath, string> {
    const found = new Map<TreePath, string>();
    const visit = (path: TreePath): void => {
      const at = join(this.#root, toText(path));
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
