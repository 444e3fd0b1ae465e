// Runs one list of steps in one world. In each step, an episode sends the request, causes the planned trouble, starts a
// killed daemon again, and judges the result.
import { join } from 'node:path';
import type { SessionGetResult, SessionOpenResult } from '../../src/protocol/types.ts';
import { differences, isOfGit, isTemporary, look, type Manifest, type PathRef } from './manifest.ts';
import { assertHolds, list, Oracle, wanted } from './oracle.ts';
import { type Outcome, type Seat } from './seat.ts';
import { ofPacking, type Step, type Trouble } from './steps.ts';
import { Defect, type Tally } from './tally.ts';
import { type Circumstances, World } from './world.ts';

/** The course of one request, from the state before the request until the daemon is quiet again. */
export interface Course {
  readonly outcome: Outcome;
  /** The answer to the request, if there was an answer. The daemon may have been killed after the answer. */
  readonly answer: Record<string, unknown> | undefined;
  readonly before: Manifest;
  /** The files of `before` that a capture contains. */
  readonly capturedBefore: Manifest;
  /**
   * The files after the user's edits, when the last daemon started. If no daemon was killed, these files are the same
   * as in `before`.
   */
  readonly resumed: Manifest;
  /** The files of `resumed` that a capture contains under the rules of that moment. */
  readonly capturedResumed: Manifest;
  readonly after: Manifest;
  /** The answer of the next `session/open` after a kill. */
  readonly opened: Record<string, unknown> | undefined;
  /** The paths that the user edited between the kill and the next start. */
  readonly edited: ReadonlySet<string>;
  /** True when the fault replaced a path by a link during the request. */
  readonly isSwapped: boolean;
  /** True when a call failed, the disk was full, or the fault replaced a path by a link. */
  readonly isDisturbed: boolean;
  /** True if an earlier restore was still unfinished at the beginning of the request. */
  readonly wasUnfinished: boolean;
}

/** The files of the work tree before and after a restore whose result the daemon has sent. */
export interface Walked {
  readonly before: Manifest;
  readonly after: Manifest;
}

export class Episode {
  readonly world: World;
  readonly oracle = new Oracle();
  readonly seat: Seat;
  /** True when a restore has failed half-way, so that the next change first finishes or undoes the restore. */
  isUnfinished = false;
  /**
   * The restores that an undo reverses exactly. Used only in calm episodes. When the user edits a file, this list is
   * emptied.
   */
  undo: Walked[] = [];
  redo: Walked[] = [];
  /** The message of each checkpoint. */
  readonly messages = new Map<string, string>();
  #keys = 0;

  constructor(circumstances: Circumstances, tally: Tally) {
    this.world = new World(circumstances, tally);
    this.seat = this.world.seat('first');
  }

  /** True in an episode without faults and kills: only the steps affect the daemon and its work tree. */
  get isCalm(): boolean {
    return this.world.circumstances.client === 'inProcess';
  }

  forgetWalks(): void {
    this.undo = [];
    this.redo = [];
  }

  /** Runs the steps. Returns the first defect, with the step that revealed it. */
  async run(
    steps: readonly Step[],
    take: (episode: Episode, step: Step) => Promise<void>,
  ): Promise<{ readonly defect: string; readonly at: number } | undefined> {
    const { tally } = this.world;
    let at = -1;
    const all = async (): Promise<void> => {
      this.oracle.learn(this.world.look());
      await this.open();
      for (const step of steps) {
        at += 1;
        tally.steps += 1;
        await take(this, step);
        await this.atRest(`step ${at} (${step.op})`);
      }
    };
    let found: string | undefined;
    try {
      found = await defectIn(all);
    } finally {
      const atEnd = await defectIn(() => this.world.dispose());
      found ??= atEnd;
    }
    return found === undefined ? undefined : { defect: found, at };
  }

  async open(): Promise<Record<string, unknown>> {
    const outcome = await this.seat.open();
    if (outcome.is !== 'answered') throw new Defect(`session/open: ${JSON.stringify(outcome)}`);
    const { base, resumed, skipped } = outcome.result as unknown as SessionOpenResult;
    if (!resumed && base !== undefined) await this.assertMade(base.id, this.world.look(), skipped, 'base');
    return outcome.result;
  }

  /** Checks that no content is lost and no foreign file was touched. */
  async atRest(where: string): Promise<void> {
    const all = this.world.look();
    this.oracle.assertWhole(all, where);
    this.oracle.learn(all);
    await this.oracle.assertNothingLost(this.world.running, all, where);
    this.world.assertUntouched(where);
    this.world.tally.heard?.(where, [...all], this.world.work);
  }

  /** Requests a change of the session, and causes the planned trouble during the request. */
  async change(method: string, params: object, trouble: Trouble | undefined): Promise<Course> {
    const { seat, oracle, world } = this;
    const before = world.look();
    oracle.learn(before);
    const capturedBefore = wanted(world.work, before, []);
    const listed = await this.#listed();
    this.#prepare(trouble);
    this.#keys += 1;
    const isFull = this.#fill(trouble);
    const isCondemned = trouble !== undefined && /^(kill|killAll|moment)$/.test(trouble.act);
    const asked = seat.ask(method, { ...params, idempotencyKey: `key ${this.#keys}` }, isCondemned);
    const [outcome] = await Promise.all([
      asked,
      trouble?.act === 'moment' ? seat.killIn(trouble.at) : undefined,
    ]);
    seat.plan(undefined);
    if (isFull) world.disk?.empty();
    // Makes the daemon read the new plan, which has no fault. Under the old plan, background work of the daemon could
    // still trigger the kill.
    if (seat.isRunning && isCondemned) await seat.ask('session/get', {}, true);
    const told = this.#count(seat.told());
    const torn = world.look();
    const moved = look(join(world.top, 'aside'));
    oracle.learn(moved);
    oracle.assertWhole(torn, method);
    oracle.took(before, torn, method, moved);
    assertNoRepositoryMoved(before, torn, method);
    const { isSwapped } = told;
    const isDisturbed = told.isDisturbed || isFull;
    const wasUnfinished = this.isUnfinished;
    const answer = outcome.is === 'answered' ? outcome.result : undefined;
    const course = { outcome, answer, before, capturedBefore, isSwapped, isDisturbed, wasUnfinished };
    if (outcome.is === 'killed' || !seat.isRunning) {
      world.tally.kills += 1;
      return { ...course, outcome: { is: 'killed' }, ...(await this.#revive(torn, trouble)) };
    }
    const unedited = { resumed: before, capturedResumed: capturedBefore, edited: new Set<string>() };
    const quiet = { ...unedited, after: torn, opened: undefined };
    if (outcome.is === 'failed') {
      const isHarmless = outcome.effects === 'none' || outcome.effects === 'rolledBack';
      if (isHarmless && !this.isUnfinished && !isSwapped) {
        const changed = differences(before, torn);
        if (changed.length > 0)
          throw new Defect(
            `${method} failed with ${outcome.kind} and effects ${outcome.effects}, but files changed: ${changed.join(', ')}`,
          );
        if (outcome.effects === 'none' && (await this.#listed()) !== listed)
          throw new Defect(`${method} failed with ${outcome.kind} and effects none, but checkpoints changed`);
      }
      if (outcome.effects === 'unknown') this.isUnfinished = true;
    } else if (this.isUnfinished) {
      // The restore may still be unfinished: a request that only reads never recovers a restore, and a deletion need
      // not recover it.
      const got = await seat.ask('session/get');
      this.isUnfinished =
        got.is === 'answered' && (got.result as unknown as SessionGetResult).unfinishedRestore === true;
    }
    return { ...course, ...quiet };
  }

  /** Fills the world's own disk. */
  #fill(trouble: Trouble | undefined): boolean {
    const { disk, tally } = this.world;
    if (trouble?.act !== 'full' || disk === undefined) return false;
    disk.fill(trouble.at);
    tally.fullDisks += 1;
    return true;
  }

  /** Lists all checkpoints except safety checkpoints, because a failed restore leaves a safety checkpoint. */
  async #listed(): Promise<string> {
    return JSON.stringify((await list(this.seat)).filter(({ kind }) => kind !== 'safety'));
  }

  #prepare(trouble: Trouble | undefined): void {
    if (trouble === undefined || trouble.act === 'moment' || trouble.act === 'full') return;
    const { act, at, times, error, match } = trouble;
    const { world } = this;
    const link = {
      from: join(world.work, 'c'),
      aside: join(world.top, 'aside', `c${this.#keys}`),
      to: world.outside,
    };
    this.seat.plan({
      act,
      at,
      link,
      ...(times === undefined ? {} : { times }),
      ...(error === undefined ? {} : { error }),
      ...(match === undefined ? {} : { match }),
    });
  }

  #count(told: readonly string[]): { readonly isSwapped: boolean; readonly isDisturbed: boolean } {
    const { tally } = this.world;
    const errors = told.filter((line) => /^E[A-Z]+ /.test(line)).length;
    const isSwapped = told.some((line) => line.startsWith('link '));
    tally.errors += errors;
    tally.inPacking += told.filter((line) => ofPacking.test(line)).length;
    if (errors > 0) tally.requestsWithErrors += 1;
    if (isSwapped) tally.linksSwapped += 1;
    return { isSwapped, isDisturbed: errors > 0 || isSwapped };
  }

  /**
   * Edits the files that the killed daemon left. Then starts one daemon after the other, and kills each daemon except
   * the last during its recovery.
   */
  async #revive(
    torn: Manifest,
    { between, nested }: Partial<Trouble> = {},
  ): Promise<Pick<Course, 'resumed' | 'capturedResumed' | 'after' | 'opened' | 'edited'>> {
    const { seat, oracle, world } = this;
    const { tally } = world;
    world.user.do(between ?? []);
    let resumed = world.look();
    oracle.learn(resumed);
    const edited = new Set(differences(torn, resumed).map((line) => line.slice(0, line.lastIndexOf(': '))));
    let depth = 0;
    for (const at of nested ?? []) {
      const outcome = await seat.open({ act: 'killAll', at });
      seat.told();
      if (outcome.is !== 'killed') await seat.kill();
      else {
        depth += 1;
        tally.killsInRecovery += 1;
        tally.deepestRecovery = Math.max(tally.deepestRecovery, depth);
      }
      tally.kills += 1;
      const now = world.look();
      oracle.assertWhole(now, 'killed in recovery');
      oracle.took(resumed, now, 'a recovery that was killed');
      resumed = now;
    }
    const capturedResumed = wanted(world.work, resumed, []);
    const opened = await this.open();
    this.isUnfinished = false;
    const after = world.look();
    oracle.took(resumed, after, 'the recovery');
    const left = [...after.keys()].filter(isTemporary);
    if (left.length > 0) throw new Defect(`the recovery left ${left.join(', ')}`);
    return { resumed, capturedResumed, after, opened, edited };
  }

  /** Compares a new checkpoint with `seen`, the files at the time when the checkpoint was made. */
  async assertMade(
    id: string,
    manifest: Manifest,
    skipped: readonly PathRef[],
    where: string,
    seen = wanted(this.world.work, manifest, skipped),
  ): Promise<void> {
    await this.oracle.remember(this.seat);
    const wasHeld = this.oracle.heldPaths(id);
    const holding = await this.oracle.holding(this.seat, id);
    // If a file is in an earlier checkpoint and then becomes ignored, it is still captured.
    const kept = [...manifest].filter(
      ([path, { kind }]) => kind !== 'other' && holding.has(path) && wasHeld.has(path),
    );
    const right = new Map([...kept, ...seen]);
    assertHolds(holding, right, `${where}: ${id}`);
    this.oracle.claim(this.seat, id, right);
  }
}

/** Checks that no `.git` of a nested repository was moved, renamed or written to. @throws Defect */
function assertNoRepositoryMoved(before: Manifest, after: Manifest, where: string): void {
  const ofGit = (all: Manifest): Manifest => new Map([...all].filter(([path]) => isOfGit(path)));
  const changed = differences(ofGit(before), ofGit(after));
  if (changed.length > 0) throw new Defect(`${where}: a nested repository changed: ${changed.join(', ')}`);
}

async function defectIn(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof Defect) return error.message;
    throw error;
  }
}
