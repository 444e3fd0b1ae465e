// Performs the steps that change the work tree, and checks their results.
import type { Course, Episode } from './episode.ts';
import { describe, differences, isTemporary, type Manifest, refOf } from './manifest.ts';
import { assertHolds, hasContent, isAtOrBelow, list, wanted } from './oracle.ts';
import { type Complaint, complaints, complaintText, type RestoreAnswer } from './restored.ts';
import type { Step } from './steps.ts';
import { Defect } from './tally.ts';

type Of<O extends Step['op']> = Extract<Step, { readonly op: O }>;

export async function restore(episode: Episode, step: Of<'restore'>): Promise<void> {
  const { mode, onConflict, scope, path, trouble } = step;
  const all = await list(episode.seat);
  const id = all[step.to % Math.max(1, all.length)]?.id ?? '0';
  const target = episode.oracle.targetOf(episode.seat, id);
  const only = path === undefined ? { scope } : { paths: [refOf(path)] };
  const params = { tag: id, mode, onConflict, confirm: true, ...only };
  const course = await episode.change('checkpoint/restore', params, trouble);
  await judgeRestore(episode, course, { target, mode, path, isExact: onConflict === 'overwrite' });
  if (!episode.isCalm || course.answer === undefined) return;
  episode.undo.push(course);
  episode.redo = [];
  if (onConflict === 'overwrite') await assertNothingLeft(episode, params, course);
}

/** Checks that repeating a restore changes nothing. @throws Defect */
async function assertNothingLeft({ seat }: Episode, params: object, course: Course): Promise<void> {
  const again = await seat.read<RestoreAnswer>('checkpoint/restore', { ...params, dryRun: true });
  const wrong = [...(again.restored ?? [])];
  // If the restored rules ignore fewer paths than the old rules, the second restore sees some paths for the first
  // time.
  const isRevealing = differences(course.before, course.after).some((line) => line.includes('.gitignore: '));
  if (!isRevealing) wrong.push(...(again.deleted ?? []));
  if (wrong.length > 0) throw new Defect(`repeating the restore would still change ${JSON.stringify(wrong)}`);
}

export async function walk(episode: Episode, step: Of<'undo' | 'redo'>): Promise<void> {
  const { op, mode, onConflict, trouble } = step;
  const course = await episode.change(`checkpoint/${op}`, { mode, onConflict, confirm: true }, trouble);
  await judgeRestore(episode, course, { target: undefined, mode, path: undefined, isExact: false });
  if (episode.isCalm) judgeWalk(episode, course, op, onConflict === 'overwrite');
}

/** Checks that an undo gives exactly the state before the restore, and a redo exactly the state after it. */
function judgeWalk(episode: Episode, course: Course, op: 'undo' | 'redo', isExact: boolean): void {
  const walked = episode[op].pop();
  const { outcome, answer, after } = course;
  if (walked === undefined || !isExact || answer === undefined) {
    if (walked !== undefined && outcome.is === 'failed' && outcome.kind.startsWith('NothingTo'))
      throw new Defect(
        `${op} failed with ${outcome.kind}, although there was a restore to reverse or repeat`,
      );
    return episode.forgetWalks();
  }
  episode[op === 'undo' ? 'redo' : 'undo'].push(walked);
  const wrong = differences(op === 'undo' ? walked.before : walked.after, after);
  const { failed } = answer as unknown as RestoreAnswer;
  if (failed.length === 0 && wrong.length > 0)
    throw new Defect(`${op} did not give the exact earlier state: ${wrong.join(', ')}`);
}

interface Meant {
  readonly target: Manifest | undefined;
  readonly mode: 'soft' | 'hard';
  readonly path: string | undefined;
  /** True when a killed restore must end in exactly the state before it or the state after it, not in a mixture. */
  readonly isExact: boolean;
}

export async function judgeRestore(episode: Episode, course: Course, meant: Meant): Promise<void> {
  const { outcome, before, capturedBefore, after, resumed, capturedResumed, opened, edited } = course;
  const { target, mode, path } = meant;
  const restored = (opened?.['recovered'] ?? undefined) as RestoreAnswer | undefined;
  // A hard restore deletes an ignored file if a checkpoint holds the file.
  const held = episode.oracle.heldPaths();
  // After a kill, the user may have changed the ignore rules. The recovery keeps a file that is ignored since then.
  const isFault = ({ path: of, isIgnored, isKept }: Complaint): boolean =>
    !(isIgnored === true && held.has(of)) && !(isKept === true && !capturedResumed.has(of));
  const answer = outcome.is === 'answered' ? (outcome.result as unknown as RestoreAnswer) : restored;
  if (answer !== undefined) {
    episode.world.tally.restores += 1;
    if (course.isSwapped || course.wasUnfinished) return;
    const first = outcome.is === 'answered' ? before : resumed;
    const capturedFirst =
      outcome.is === 'answered'
        ? capturedBefore
        : new Map([...first].filter(([name]) => capturedBefore.has(name) || (target?.has(name) ?? false)));
    const wrong =
      target === undefined
        ? []
        : complaints(
            { target, before: first, capturedBefore: capturedFirst, mode, path },
            after,
            answer,
          ).filter(isFault);
    if (wrong.length > 0)
      throw new Defect(`a restore succeeded, but left wrong files: ${wrong.map(complaintText).join('; ')}`);
    await judgeCheckpoints(episode, course, answer);
  } else if (outcome.is === 'killed' && target !== undefined && meant.isExact && !course.wasUnfinished) {
    const none = { failed: [], skipped: [], conflicts: [] };
    const undone = [...before].filter(
      ([name, thing]) => !isAtOrBelow(name, edited) && after.get(name)?.git !== thing.git,
    );
    const done = complaints({ target, before, capturedBefore, mode, path }, after, none).filter(
      (each) => isFault(each) && !isAtOrBelow(each.path, edited),
    );
    if (undone.length > 0 && done.length > 0)
      throw new Defect(
        `a killed restore left neither the earlier nor the later state: ${undone.map(([name, thing]) => `${name} was ${describe(thing)}`).join(', ')}; ${done.map(complaintText).join('; ')}`,
      );
  }
}

/**
 * Checks that the safety checkpoint has the files from before the restore, and that the restore's own checkpoint has
 * the files from after it. After failed system calls, both checkpoints may lack unreadable files, but must not have
 * wrong contents. The oracle checks that no displaced content is lost.
 */
async function judgeCheckpoints(episode: Episode, course: Course, answer: RestoreAnswer): Promise<void> {
  const { safety, checkpoint } = answer;
  const { capturedBefore, before, after, outcome, isDisturbed } = course;
  if (outcome.is !== 'answered') return;
  if (safety !== undefined) {
    const holding = await episode.oracle.holding(episode.seat, safety);
    for (const [name, thing] of isDisturbed ? [] : capturedBefore)
      if (!hasContent(holding.get(name), thing))
        throw new Defect(`the safety checkpoint lacks ${name} (${describe(thing)})`);
    const saved = new Map([...before].filter(([name]) => holding.has(name)));
    assertHolds(holding, saved, `the safety checkpoint ${safety}`);
    episode.oracle.claim(episode.seat, safety, saved);
  }
  if (checkpoint === undefined) return;
  // The checkpoint may also contain restored files that are now ignored.
  const holding = await episode.oracle.holding(episode.seat, checkpoint.id);
  const brought = new Map(
    [...after].filter(([name, { kind }]) => kind !== 'other' && !isTemporary(name) && holding.has(name)),
  );
  const own = isDisturbed ? brought : new Map([...wanted(episode.world.work, after, []), ...brought]);
  assertHolds(holding, own, `the restore’s own checkpoint ${checkpoint.id}`);
  episode.oracle.claim(episode.seat, checkpoint.id, own);
}
