// Reads everything that the checkpoints of a store need and checks every hash. Reports each damaged directory or
// content with the checkpoints that need it. Reads equal directories and equal contents only once. Repairs nothing.
import { CheckpointdError } from '../base/errors.ts';
import type { CheckpointId } from '../base/ids.ts';
import { Slices } from '../base/slices.ts';
import type { StoredCheckpoint, StoreProblem } from './snapshot-store.ts';
import { isSubTree, type TreeNode, type TreeSource } from './tree-reader.ts';

export type Damage = 'missing' | 'corrupt';

export interface VerifiedSource extends TreeSource {
  /** Reads each content completely. Returns the missing and the damaged contents. */
  damagedContents(ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Damage>>;
}

/** Before reading some contents, calls `onChecked` with the number of these contents. */
export async function verifySnapshots(
  source: VerifiedSource,
  checkpoints: readonly StoredCheckpoint[],
  signal?: AbortSignal,
  onChecked?: (contents: number) => void,
): Promise<StoreProblem[]> {
  const slices = new Slices(signal);
  const nodes = new Map<string, TreeNode>();
  const contents = new Set<string>();
  const bad = new Map<string, Damage>();
  const roots = checkpoints.map(({ record }) => ({ id: record.id, ...source.partsOf(record.snapshot) }));
  for (const { modes } of roots) if (modes !== undefined) contents.add(modes);

  for (let level = new Set(roots.map(({ tree }) => tree)); level.size > 0; ) {
    signal?.throwIfAborted();
    const ids = [...level];
    level = new Set();
    for (const [index, node] of (await source.read(ids)).entries()) {
      if (slices.isDue()) await slices.pause();
      const id = ids[index] ?? '';
      if (node instanceof CheckpointdError) bad.set(id, damageOf(node));
      else nodes.set(id, node);
    }
    for (const id of ids)
      for (const entry of nodes.get(id)?.entries.values() ?? []) {
        if (!isSubTree(entry)) contents.add(entry.blob);
        else if (!nodes.has(entry.tree) && !bad.has(entry.tree)) level.add(entry.tree);
      }
  }
  onChecked?.(contents.size);
  for (const [content, damage] of await source.damagedContents([...contents], signal))
    bad.set(content, damage);

  const memo = new Map<string, ReadonlySet<string>>();
  const affected = new Map<string, CheckpointId[]>();
  for (const { id, tree, modes } of bad.size === 0 ? [] : roots) {
    const all = new Set(badBelow(tree, nodes, bad, memo));
    if (modes !== undefined && bad.has(modes)) all.add(modes);
    for (const what of all) affected.set(what, [...(affected.get(what) ?? []), id]);
    if (slices.isDue()) await slices.pause();
  }
  return [...bad].map(([what, kind]) => ({ kind, what, affects: affected.get(what) ?? [] }));
}

/** Returns the kind of damage that this error shows. */
export function damageOf(error: CheckpointdError): Damage {
  return error.details?.problem === 'missing' ? 'missing' : 'corrupt';
}

/** Returns all damage of a directory and of everything in the directory. Checks equal directories once. */
function badBelow(
  id: string,
  nodes: ReadonlyMap<string, TreeNode>,
  bad: ReadonlyMap<string, Damage>,
  memo: Map<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  const known = memo.get(id);
  if (known !== undefined) return known;
  const found = new Set<string>();
  if (bad.has(id)) found.add(id);
  for (const entry of nodes.get(id)?.entries.values() ?? []) {
    if (!isSubTree(entry)) {
      if (bad.has(entry.blob)) found.add(entry.blob);
    } else for (const one of badBelow(entry.tree, nodes, bad, memo)) found.add(one);
  }
  memo.set(id, found);
  return found;
}
