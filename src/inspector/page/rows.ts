// Computes the rows of the timeline: the shown checkpoints, their lanes in the graph, and the lines that run through
// each row. Tests can compute ten thousand rows without a browser, because all functions are pure.
import type { Checkpoint } from '../../protocol/types.ts';

export interface TimelineRow {
  readonly checkpoint: Checkpoint;
  /** The indentation of the row: 1 for a tool, 0 for all other checkpoints. */
  readonly depth: 0 | 1;
  readonly lane: number;
  /** True when a line enters this row from the row above, in this row's own lane. */
  readonly isReached: boolean;
  /** True when a line goes from this row to the row below, in this row's own lane. */
  readonly goesOn: boolean;
  /** The lanes of the lines that pass through this row without a stop. */
  readonly passing: readonly number[];
  /** The lanes of all branches that begin in this row. */
  readonly branches: readonly number[];
  /** The number of hidden tools of a turn. Undefined for a row without tools of its own. */
  readonly folded: number | undefined;
  /** The row's position among its siblings, counted from 1. All tools between two other rows are siblings. */
  readonly position: number;
  /** The number of sibling tools. Undefined for a row that is not a tool. */
  readonly siblings: number | undefined;
}

export interface RowsWanted {
  readonly head: string | undefined;
  readonly showsNoise: boolean;
  /** The ids of the turns whose tools are hidden. */
  readonly folded: ReadonlySet<string>;
  /** True for a checkpoint that matches the search. Absent when there is no search. */
  readonly matches?: ((checkpoint: Checkpoint) => boolean) | undefined;
}

export interface Rows {
  readonly rows: readonly TimelineRow[];
  /** The number of rows that are not tools. */
  readonly tops: number;
  /** The number of checkpoints that are hidden as noise. */
  readonly noise: number;
}

/** The last lane. A branch that would need a further lane is drawn in this lane, too. */
export const laneMax = 5;

/**
 * True for a checkpoint that few users need: a state that was saved before a restore, or a tool that changed no file.
 */
export function isNoise({ kind, stats, name, id }: Checkpoint, head: string | undefined): boolean {
  if (name !== undefined || id === head) return false;
  if (kind === 'safety') return true;
  return kind === 'tool' && stats.added + stats.modified + stats.deleted === 0;
}

/** Returns the rows, oldest first. */
export function timelineRows(
  all: readonly Checkpoint[],
  { head, showsNoise, folded, matches }: RowsWanted,
): Rows {
  let noise = 0;
  const foldedCounts = new Map<string, number>();
  const shown: Checkpoint[] = [];
  // A tool is shown below the last turn before it in the list. The search for this turn does not use its tag, because a
  // newer checkpoint may have taken the tag.
  let turn: Checkpoint | undefined;
  for (const checkpoint of all) {
    if (checkpoint.kind === 'turn') turn = checkpoint;
    if (matches !== undefined && !matches(checkpoint)) continue;
    if (!showsNoise && isNoise(checkpoint, head)) {
      noise += 1;
      continue;
    }
    const holder = checkpoint.kind === 'tool' ? turn?.id : undefined;
    const isFolded = holder !== undefined && folded.has(holder);
    if (holder !== undefined) foldedCounts.set(holder, (foldedCounts.get(holder) ?? 0) + Number(isFolded));
    if (!isFolded) shown.push(checkpoint);
  }
  const tops = shown.filter(({ kind }) => kind !== 'tool').length;
  return { rows: drawn(shown, all, head, foldedCounts), tops, noise };
}

/** Returns for each row its position among its siblings, and the number of sibling tools. */
function siblingsOf(shown: readonly Checkpoint[]): readonly Pick<TimelineRow, 'position' | 'siblings'>[] {
  let tops = 0;
  let tools = { count: 0 };
  const places = shown.map(({ kind }) => {
    if (kind === 'tool') return { position: (tools.count += 1), among: tools };
    tools = { count: 0 };
    return { position: (tops += 1) };
  });
  return places.map(({ position, among }) => ({ position, siblings: among?.count }));
}

interface Place {
  readonly checkpoint: Checkpoint;
  /** The row of the nearest shown ancestor, or -1. */
  readonly parent: number;
  lane: number;
}

function drawn(
  shown: readonly Checkpoint[],
  all: readonly Checkpoint[],
  head: string | undefined,
  foldedCounts: ReadonlyMap<string, number>,
): TimelineRow[] {
  const places = placesOf(shown, all);
  const siblings = siblingsOf(shown);
  giveLanes(places, lineOf(all, head));
  const passing = places.map(() => new Set<number>());
  const branches = places.map(() => new Set<number>());
  const [reached, goesOn] = [new Set<number>(), new Set<number>()];
  for (const [at, { parent, lane }] of places.entries()) {
    const from = places[parent];
    if (from === undefined) continue;
    reached.add(at);
    if (from.lane === lane) goesOn.add(parent);
    else branches[parent]?.add(lane);
    for (let row = parent + 1; row < at; row += 1) if (places[row]?.lane !== lane) passing[row]?.add(lane);
  }
  return places.map(({ checkpoint, lane }, at) => ({
    checkpoint,
    depth: checkpoint.kind === 'tool' ? 1 : 0,
    lane,
    isReached: reached.has(at),
    goesOn: goesOn.has(at),
    passing: [...(passing[at] ?? [])],
    branches: [...(branches[at] ?? [])],
    folded: foldedCounts.get(checkpoint.id),
    position: siblings[at]?.position ?? 0,
    siblings: siblings[at]?.siblings,
  }));
}

function placesOf(shown: readonly Checkpoint[], all: readonly Checkpoint[]): Place[] {
  const rowOf = new Map(shown.map(({ id }, row) => [id, row]));
  const parentOf = new Map(all.map(({ id, parent }) => [id, parent]));
  /** Maps each checkpoint to its row. Maps a hidden checkpoint to the row of its nearest shown ancestor. */
  const nearest = new Map<string, number>();
  for (const { id, parent } of all)
    nearest.set(id, rowOf.get(id) ?? (parent === undefined ? -1 : (nearest.get(parent) ?? -1)));
  return shown.map((checkpoint) => {
    const parent = parentOf.get(checkpoint.id);
    return { checkpoint, parent: parent === undefined ? -1 : (nearest.get(parent) ?? -1), lane: 0 };
  });
}

/** Returns the ids of the head and its ancestors. */
function lineOf(all: readonly Checkpoint[], head: string | undefined): ReadonlySet<string> {
  const parentOf = new Map(all.map(({ id, parent }) => [id, parent]));
  const line = new Set<string>();
  for (let at = head; at !== undefined && !line.has(at); at = parentOf.get(at)) line.add(at);
  return line;
}

/**
 * Puts the head and its ancestors into the first lane. Puts each branch into the first lane that is free all the way
 * from the branch's fork to the branch's end.
 */
function giveLanes(places: readonly Place[], line: ReadonlySet<string>): void {
  const chains = new Map<number, { from: number; to: number; rows: number[] }>();
  const chainOf = new Map<number, number>();
  const goesOn = new Set<number>();
  for (const [at, { checkpoint, parent }] of places.entries()) {
    if (line.size === 0 || line.has(checkpoint.id)) continue;
    const own = chainOf.get(parent);
    const chain = own === undefined || goesOn.has(parent) ? at : own;
    if (chain === own) goesOn.add(parent);
    chainOf.set(at, chain);
    const known = chains.get(chain) ?? { from: Math.max(parent, 0), to: at, rows: [] };
    known.to = at;
    known.rows.push(at);
    chains.set(chain, known);
  }
  /** For each lane: the first row in which the lane is free again. */
  const free: number[] = [];
  for (const { from, to, rows } of [...chains.values()].sort((a, b) => a.from - b.from)) {
    let lane = 0;
    while ((free[lane] ?? -1) > from) lane += 1;
    free[lane] = to;
    for (const row of rows) {
      const place = places[row];
      if (place !== undefined) place.lane = Math.min(lane + 1, laneMax);
    }
  }
}
