// checkpoint/revert: turns a client's request into a revert of a range. The answer contains the result for each path
// and, for a conflict, the authors of both sides. The merge is in restore/revert.ts.
import { CheckpointdError } from '../base/errors.ts';
import { invariant } from '../base/invariant.ts';
import { counted } from '../base/text/plural.ts';
import type { CheckpointIndex } from '../checkpoints/checkpoint-index.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import { type RevertRange, revertRange } from '../checkpoints/revert-range.ts';
import type * as Wire from '../protocol/types.ts';
import { type RevertJob, type RevertOutcome, runRevert } from '../restore/revert.ts';
import { writerOf } from '../session/authorship.ts';
import { restoreSite } from '../session/restores.ts';
import type { Session } from '../session/session.ts';
import type { MergedPath } from '../tree/three-way.ts';
import type { Entry } from '../tree/tree.ts';
import { byBytes, type TreePath } from '../tree/tree-path.ts';
import { patchBetween } from './answers/patch.ts';
import { pathRef, treePath, treePaths } from './answers/paths.ts';
import { restoreAgain, restoreAnswer } from './answers/restore-answer.ts';
import { askedAuthor } from './asked-author.ts';
import { checkExpectation } from './checkpoint-restore.ts';
import { type CallOf, defineCommand } from './command.ts';

/** In the work tree, undoes the changes that were made between two checkpoints. */
export const checkpointRevert = defineCommand(
  'checkpoint/revert',
  async ({ session, params, context }) => {
    refuseBoth(params);
    const { index } = session.requireCheckpoints();
    const range = revertRange(index, params);
    checkExpectation(index, params.expect?.head);
    const head = index.head?.record;
    const job: RevertJob = {
      ...range,
      paths: treePaths(params.paths),
      hunks: hunksAsked(params.hunks),
      parent: head?.id,
      author: params.author == null ? undefined : askedAuthor(session, range, params.author),
      mode: 'hard',
      conflicts: params.conflicts ?? 'leave',
      labels: labelsOf(index, range),
      description: describe(index, range, params),
      confirm: params.confirm ?? false,
      dryRun: params.dryRun ?? false,
    };
    const outcome = await runRevert(restoreSite(session), job, context);
    const answer = await revertAnswer(session, range, outcome, context);
    if (params.patch !== true) return answer;
    const { store } = session.requireCheckpoints();
    return { ...answer, ...(await patchBetween(store, outcome.merged, context.signal)) };
  },
  {
    again: async ({ checkpoint = '' }, { session, context }) => {
      const { conversation: _, ...answer } = await restoreAgain(session, checkpoint, context);
      const { reverted } = session.requireCheckpoints().index.resolve(checkpoint).record;
      invariant(reverted !== undefined, 'the checkpoint of a revert does not name the reverted range');
      return { ...reverted, paths: [], ...answer };
    },
    check: checkRevert,
  },
);

/** Refuses an invalid request. The result of this check is the same before and after a recovery. */
function checkRevert({ session, params }: CallOf<'checkpoint/revert'>): void {
  refuseBoth(params);
  const { index } = session.requireCheckpoints();
  revertRange(index, params);
  treePaths(params.paths);
  hunksAsked(params.hunks);
  if (params.expect?.head != null) index.resolve(params.expect.head);
}

/** @throws InvalidParams when a request names both hunks and paths, or both hunks and an author */
function refuseBoth({ hunks, paths, author }: CallOf<'checkpoint/revert'>['params']): void {
  if (hunks == null || (paths == null && author == null)) return;
  const other = paths == null ? 'author' : 'paths';
  throw new CheckpointdError(
    'InvalidParams',
    `"hunks" cannot be combined with "${other}". Omit one of the two.`,
  );
}

/** Returns the ids of the requested hunks, by path. @throws PathOutsideWorkTree */
function hunksAsked(
  hunks: readonly Wire.HunkRef[] | null | undefined,
): Map<TreePath, Set<string>> | undefined {
  if (hunks == null) return undefined;
  const asked = new Map<TreePath, Set<string>>();
  for (const hunk of hunks) {
    const path = treePath(hunk);
    asked.set(path, (asked.get(path) ?? new Set()).add(hunk.id));
  }
  return asked;
}

/** Returns the text that describes a revert in the list of checkpoints. */
function describe(
  index: CheckpointIndex,
  range: RevertRange,
  { tag, from, author, hunks }: CallOf<'checkpoint/revert'>['params'],
): string {
  if (tag == null && from == null) return `Reverted all work of ${author ?? ''}`;
  const part = hunks == null ? '' : `${counted(hunks.length, 'hunk')} of `;
  const only = author == null ? '' : ` (only ${author})`;
  const first = index.labelOf((tag == null ? range.from : index.resolve(tag)).record.id);
  const end = range.to === undefined ? 'the present' : index.labelOf(range.to.record.id);
  const last = tag == null ? ` to ${end}` : '';
  return `Reverted ${part}${first}${last}${only}`;
}

function labelsOf(index: CheckpointIndex, { from, to }: RevertRange): RevertJob['labels'] {
  return {
    ours: 'present',
    base: to === undefined ? 'present' : `checkpoint ${index.labelOf(to.record.id)}`,
    theirs: `checkpoint ${index.labelOf(from.record.id)}`,
  };
}

function endsOf({ from, to }: RevertRange): Pick<Wire.RevertResult, 'from' | 'to'> {
  return { from: from.record.id, to: to?.record.id };
}

async function revertAnswer(
  session: Session,
  range: RevertRange,
  outcome: RevertOutcome,
  context: OperationContext,
): Promise<Wire.RevertResult> {
  const { conversation: _, conflicts, ...answer } = await restoreAnswer(session, outcome, context);
  const paths = listedPaths(outcome.paths, listedPathsMax).map((each) =>
    pathAnswer(session, each, outcome.partial.has(each.path)),
  );
  // Compares paths by their bytes, because the text of a path in the answer may be inexact.
  const later = new Map(paths.map((each) => [treePath(each), each.later?.author]));
  return {
    ...endsOf(range),
    paths,
    ...answer,
    conflicts: conflicts.map((each) => ({
      ...each,
      author: later.get(treePath(each)) ?? each.author,
    })),
  };
}

const listedPathsMax = 10_000;

/**
 * Returns at most `max` paths, in bytewise order. If there are more paths than `max`, first omits paths without a
 * conflict.
 */
export function listedPaths(paths: readonly MergedPath[], max: number): readonly MergedPath[] {
  if (paths.length <= max) return paths;
  const isConflict = ({ outcome }: MergedPath): boolean => outcome === 'conflict';
  const others = paths.filter((each) => !isConflict(each));
  const kept = [...paths.filter(isConflict), ...others].slice(0, max);
  return kept.sort((a, b) => byBytes(a.path, b.path));
}

const outcomes = { clean: 'clean', gone: 'alreadyGone', conflict: 'conflict' } as const;

function pathAnswer(
  session: Session,
  { path, outcome, reason, base, ours }: MergedPath,
  isPartial: boolean,
): Wire.RevertPath {
  const writer = (entry: Entry | undefined): Wire.Writer | undefined =>
    entry === undefined ? undefined : writerOf(session, path, entry.blob);
  const sides = reason === undefined ? {} : { taken: writer(base), later: writer(ours) };
  const partial = isPartial || undefined;
  return { ...pathRef(path), outcome: outcomes[outcome], partial, reason, ...sides };
}
