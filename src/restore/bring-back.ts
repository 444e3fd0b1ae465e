// An edit that came while a restore replaced or removed its file goes back to its path, unless somebody has changed what
// stands there since; then it is kept beside it. Killed at any point, it still lies where it was found.
import { files } from '../base/files.ts';
import type { Slices } from '../base/slices.ts';
import type { Contents } from '../store/snapshot-store.ts';
import { sameContent } from '../tree/entry.ts';
import { join, nameOf, parentOf, type TreePath } from '../tree/tree-path.ts';
import type { AnchoredFiles } from '../work-tree/anchored-files.ts';
import { Asides, Commit, type Edited } from './commit.ts';
import { pathReason } from './failure.ts';
import { identify, type Present } from './present-state.ts';
import type { Temporaries } from './temporaries.ts';

export interface BringBack {
  readonly tree: AnchoredFiles;
  readonly temporaries: Temporaries;
  /** Names contents; without it nobody can tell what stands at a path, and every edit is kept beside it. */
  readonly contents: Pick<Contents, 'hash'> | undefined;
  readonly slices: Slices;
  readonly touched: Set<TreePath>;
}

/** Where an edit lies in the end: at its own path when `keptAs` is absent. */
export interface BroughtBack {
  readonly path: TreePath;
  readonly keptAs?: TreePath;
}

/** @throws system errors; the edit is where it was then */
export async function bringBack(parts: BringBack, edit: Edited): Promise<BroughtBack[]> {
  const { path } = edit;
  const put = await putBack(parts, edit);
  if (put.isBack) return [{ path }, ...put.met.map((keptAs) => ({ path, keptAs }))];
  return [{ path, keptAs: keep(parts, edit) }, ...put.met.map((keptAs) => ({ path, keptAs }))];
}

/** Takes the edits that a commit met from its list; returns what lies beside its path in the end. */
export async function bringBackEdited(parts: BringBack, edited: Edited[]): Promise<BroughtBack[]> {
  const beside: BroughtBack[] = [];
  for (const edit of edited.splice(0)) {
    const brought = await bringBack(parts, edit);
    beside.push(...brought.filter(({ keptAs }) => keptAs !== undefined));
  }
  return beside;
}

interface PutBack {
  readonly isBack: boolean;
  /** What was met on the way: an edit of what the restore had put there, kept beside it. */
  readonly met: readonly TreePath[];
}

async function putBack(parts: BringBack, { path, put, at }: Edited): Promise<PutBack> {
  const no = { isBack: false, met: [] };
  const { tree, temporaries, contents, slices, touched } = parts;
  const address = (): string | Buffer => ('outside' in at ? at.outside : tree.address(at.beside));
  if (files.lstatSync(address()).isDirectory()) return no;
  const present = contents && (await identify(tree, path, contents, slices));
  if (present === undefined || !isAsPut(present, put)) return no;
  let directory = parentOf(path);
  while (directory !== '' && !tree.isDirectory(directory)) directory = parentOf(directory);
  const temporary = temporaries.next(directory);
  const commit = new Commit(tree, temporaries, new Set(), touched);
  try {
    files.linkSync(address(), tree.address(temporary));
    const replaces = present.kind === 'entry' ? { replaces: present.signature } : {};
    const outcome = commit.write({ path, temporary, ...replaces });
    const met = commit.edited.flatMap((each) => ('beside' in each.at ? [each.at.beside] : []));
    if (outcome === 'conflict' && met.length === 0) {
      files.unlinkSync(tree.address(temporary));
      temporaries.gone(temporary);
      return no;
    }
    files.unlinkSync(address());
    return { isBack: true, met };
  } catch (error) {
    if (pathReason(error) === undefined) throw error;
    files.rmSync(tree.address(temporary), { force: true }); // it cannot be linked, or its directory not be made
    temporaries.gone(temporary);
    return no;
  }
}

function isAsPut(present: Present, put: Edited['put']): boolean {
  if (put === undefined) return present.kind === 'absent';
  return present.kind === 'entry' && sameContent(present, put);
}

/** A name beside its path that no sweep removes; further above where that directory is gone. */
function keep({ tree, temporaries, touched }: BringBack, { path, at }: Edited): TreePath {
  if ('beside' in at) return at.beside;
  let directory = parentOf(path);
  while (directory !== '' && !tree.isDirectory(directory)) directory = parentOf(directory);
  return new Asides(tree, temporaries, touched, undefined).keep(at, join(directory, nameOf(path)));
}
