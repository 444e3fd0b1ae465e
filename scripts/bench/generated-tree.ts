// A work tree for measurements, in its own repository with everything committed. The tree has ten files per directory.
// Two trees with the same number of files are equal. Each edit changes one file, and each time a different file.
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const filesInDirectory = 10;
const directoriesInPart = 100;
const filesInPart = filesInDirectory * directoriesInPart;

export class GeneratedTree {
  readonly root: string;
  readonly files: number;
  #edits = 0;

  constructor(root: string, files: number) {
    this.root = root;
    this.files = files;
    for (let i = 0; i < files; i += 1) {
      if (i % filesInDirectory === 0) mkdirSync(join(root, directoryOf(i)), { recursive: true });
      writeFileSync(join(root, pathOf(i)), contentOf(i, 0));
    }
    const git = (...args: string[]): void => {
      execFileSync('git', ['-C', root, '-c', 'user.name=B', '-c', 'user.email=b@example.com', ...args], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    };
    git('init', '--quiet');
    git('-c', 'gc.auto=0', 'add', '-A');
    git('-c', 'gc.auto=0', 'commit', '--quiet', '-m', 'generated');
  }

  /**
   * Changes one line of one file, and returns the file's path. Each call edits a different file, in a different part of
   * the tree than the call before.
   */
  edit(): string {
    this.#edits += 1;
    const i = (this.#edits * 7919) % this.files;
    writeFileSync(join(this.root, pathOf(i)), contentOf(i, this.#edits));
    return pathOf(i);
  }

  /** Deletes files from the beginning of the tree. */
  remove(count: number): void {
    for (let i = 0; i < count; i += 1) rmSync(join(this.root, pathOf(i)));
  }

  /**
   * Renames directories at the top of the tree until at least this number of files have new paths. Returns the number
   * of moved files.
   */
  move(count: number): number {
    let moved = 0;
    for (let part = 0; moved < count; part += 1) {
      renameSync(join(this.root, `part${part}`), join(this.root, `moved${part}`));
      moved += Math.min(filesInPart, this.files - part * filesInPart);
    }
    return moved;
  }
}

function directoryOf(i: number): string {
  const directory = Math.floor(i / filesInDirectory);
  return join(`part${Math.floor(directory / directoriesInPart)}`, `module${directory % directoriesInPart}`);
}

function pathOf(i: number): string {
  return join(directoryOf(i), `file${i % filesInDirectory}.ts`);
}

/**
 * Returns 0.5 to 4 KB of text that looks and compresses like a program. The line in the middle depends on `edition`.
 */
function contentOf(i: number, edition: number): string {
  const lines = 10 + ((i * 37) % 70);
  const text: string[] = [];
  for (let line = 0; line < lines; line += 1) {
    const salt = (i * 2654435761 + line * 40503) >>> 0;
    const isEdited = edition > 0 && line === lines >> 1;
    text.push(
      isEdited ? `// edition ${edition}` : `export const value${line} = ${salt}; // ${i.toString(36)}`,
    );
  }
  return `${text.join('\n')}\n`;
}
