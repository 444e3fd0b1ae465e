// Computes the rows of the timeline: the shown checkpoints, the lane of each in the graph, and the lines that run
// through each row. Pure, so that ten thousand rows can be tested without a browser.
import type { Checkpoint } from '../../protocol/types.ts';

export interface TimelineRow {
  readonly checkpoint: Checkpoint;
  /** 0: a turn or a restore; 1: a tool. */
  readonly depth: 0 | 1;
  readonly lane: number;
  /** True when a line from the row above reaches this row in its own lane. */
  readonly isReached: boolean;
  /** True when the line continues below in the row's own lane. */
  readonly goesOn: boolean;
  /** The lanes of lines that pass by. */
  readonly passing: readonly number[];
  /** The lanes of branches that begin here. */
  readonly branches: readonly number[];
  /** The number of folded tools of a turn. */
  readonly folded: number;
}

export interface RowsWanted {
  readonly head: string | undefined;
  readonly showsNoise: boolean;
  /** The turns whose tools are not shown. */
  readonly folded: ReadonlySet<string>;
  /** Returns true for checkpoints to show. Absent: all are shown. */
  readonly matches?: ((checkpoint: Checkpoint) => boolean) | undefined;
}

export interface Rows {
  readonly rows: readonly TimelineRow[];
  /** Checkpoints left out as noise. */
  readonly noise: number;
}

/** The last lane. All further lanes are drawn in this lane. */
export const laneMax = 5;

/** True for checkpoints that matter to few readers: saved states before restores, and tools that changed no file. */
export function isNoise({ kind, stats, name, id }: Checkpoint, head: string | undefined): boolean {
  if (name !== undefined || id === head) return false;
  if (kind === 'safety') return true;
  return kind === 'tool' && stats.added + stats.modified + stats.deleted === 0;
}

function turnOf(tag: string | undefined): string | undefined {
  const dot = tag?.indexOf('.') ?? -1;
  return dot > 0 ? tag?.slice(0, dot) : undefined;
}

/** Returns the rows, oldest first. */
export function timelineRows(
  all: readonly Checkpoint[],
  { head, showsNoise, folded, matches }: RowsWanted,
): Rows {
  let noise = 0;
  const foldedCounts = new Map<string, number>();
  const shown: Checkpoint[] = [];
  // A tool is shown below the turn before it, whose tag may belong to another checkpoint now.
  let turn: Checkpoint | undefined;
  for (const checkpoint of all) {
    if (checkpoint.kind === 'turn') turn = checkpoint;
    if (matches !== undefined && !matches(checkpoint)) continue;
    if (!showsNoise && isNoise(checkpoint, head)) {
      noise += 1;
      continue;
    }
    const isFolded = checkpoint.kind === 'tool' && turn !== undefined && folded.has(turn.id);
    if (isFolded && turn !== undefined) foldedCounts.set(turn.id, (foldedCounts.get(turn.id) ?? 0) + 1);
    else shown.push(checkpoint);
  }
  return { rows: drawn(shown, all, head, foldedCounts), noise };
}

interface Place {
  readonly checkpoint: Checkpoint;
  /** The row of the nearest ancestor that is shown; -1 for none. */
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
    folded: foldedCounts.get(checkpoint.id) ?? 0,
  }));
}

function placesOf(shown: readonly Checkpoint[], all: readonly Checkpoint[]): Place[] {
  const rowOf = new Map(shown.map(({ id }, row) => [id, row]));
  const parentOf = new Map(all.map(({ id, parent }) => [id, parent]));
  /** The row of each checkpoint, or of its nearest ancestor that is shown. */
  const nearest = new Map<string, number>();
  for (const { id, parent } of all)
    nearest.set(id, rowOf.get(id) ?? (parent === undefined ? -1 : (nearest.get(parent) ?? -1)));
  return shown.map((checkpoint) => {
    const parent = parentOf.get(checkpoint.id);
    return { checkpoint, parent: parent === undefined ? -1 : (nearest.get(parent) ?? -1), lane: 0 };
  });
}

/** Returns the head and its ancestors. */
function lineOf(all: readonly Checkpoint[], head: string | undefined): ReadonlySet<string> {
  const parentOf = new Map(all.map(({ id, parent }) => [id, parent]));
  const line = new Set<string>();
  for (let at = head; at !== undefined && !line.has(at); at = parentOf.get(at)) line.add(at);
  return line;
}

/** Gives the head's line the first lane, and each branch the first lane that is free from its fork to its end. */
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
  /** The row from which each lane is free. */
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

export { turnOf };
