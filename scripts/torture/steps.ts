// Defines the steps of an episode as data. The steps are made from a seed, saved as JSON, and shortened after a
// failure.
import type { Random } from './random.ts';

/**
 * The paths of edits, as latin1 strings of their bytes. The list is short, so that several edits affect the same path.
 */
export const names = [
  'a.txt',
  'b.txt',
  'c/d.txt',
  'c/e.txt',
  'c/f/g.txt',
  'kind',
  'kind/x',
  'kind/y/z',
  'secret.env',
  'notes.log',
  'c/inner.log',
  '\xc3\xbc \xc3\xbc.txt',
  '-dash',
  'run.sh',
] as const;
/** File names and ignore rules that only a calm walk (an episode without troubles) uses. */
const wildNames = [
  ...names,
  'Ab',
  ':(top)',
  '\xff\xfe',
  'n\nl/tab\t',
  'vendor/inner.txt',
  'kind/nested',
] as const;
const wildIgnores = ['*\n!b.txt\n', '/c/f\n', '!notes.log\n', 'a.txt\n'] as const;
const wildIgnoreFiles = ['.gitignore', 'c/.gitignore', 'c/f/.gitignore', '.git/info/exclude'] as const;
const modes = [0o644, 0o755, 0o600, 0o444, 0o700] as const;
const ignores = ['', '*.log\n', '*.env\n', '*.log\n*.env\n', 'c/\n', 'kind\n'] as const;

/** Matches the calls with which the daemon packs a shadow in the background. */
export const ofPacking = /objects\/pack\/|git pack-|packed-re/;

/** The user's changes of the work tree. */
export type Edit =
  | { readonly do: 'write'; readonly file: string; readonly bytes: number; readonly mode: number }
  | { readonly do: 'rewrite'; readonly file: string }
  | { readonly do: 'remove' | 'removeTree'; readonly file: string }
  | { readonly do: 'chmod'; readonly file: string; readonly mode: number }
  | { readonly do: 'rename'; readonly file: string; readonly to: string }
  | { readonly do: 'time'; readonly file: string; readonly shift: number }
  | { readonly do: 'link'; readonly file: string; readonly to: string }
  | { readonly do: 'ignore'; readonly text: string; readonly file?: string }
  | { readonly do: 'hardLink'; readonly file: string; readonly to: string }
  /** Makes an empty directory, or a nested repository with one file. */
  | { readonly do: 'directory' | 'repository'; readonly file: string };

/** A fault during a request, and what happens after a kill. */
export interface Trouble {
  readonly act: 'kill' | 'killAll' | 'fail' | 'link' | 'moment' | 'full';
  /**
   * The number of the call at which the fault happens. For `moment`, this is a time in milliseconds. For `full`, this
   * is the number of bytes that stay free.
   */
  readonly at: number;
  readonly times?: number;
  readonly error?: number;
  readonly match?: string;
  /** The user's edits between the kill and the next start. */
  readonly between?: readonly Edit[];
  /** The numbers of the calls at which the next daemons are killed, one number for each start. */
  readonly nested?: readonly number[];
}

type Mode = 'soft' | 'hard';
type Conflict = 'overwrite' | 'skip' | 'fail';

type AnyStep =
  | { readonly op: 'edit'; readonly edits: readonly Edit[] }
  | {
      readonly op: 'restore';
      readonly to: number;
      readonly mode: Mode;
      readonly onConflict: Conflict;
      readonly path?: string;
      readonly scope: 'files' | 'both';
      readonly trouble?: Trouble;
    }
  | {
      readonly op: 'undo' | 'redo';
      readonly mode: Mode;
      readonly onConflict: Conflict;
      readonly trouble?: Trouble;
    }
  | {
      readonly op: 'create';
      readonly onlyIfChanged: boolean;
      readonly kind?: 'turn' | 'tool';
      readonly trouble?: Trouble;
    }
  /** Sends all requests that only read. */
  | { readonly op: 'look' }
  | { readonly op: 'delete' | 'rename' | 'talk'; readonly n: number; readonly trouble?: Trouble }
  | { readonly op: 'gc' | 'enter' | 'exit'; readonly now: boolean; readonly trouble?: Trouble }
  | { readonly op: 'clean' | 'init' | 'reopen' | 'drop'; readonly trouble?: Trouble }
  | {
      /**
       * Starts a second daemon. With `isApart`, this daemon runs in its own container, where it sees neither the
       * processes nor the sockets outside.
       */
      readonly op: 'second';
      readonly to: number;
      readonly isSame: boolean;
      readonly isApart: boolean;
    }
  | {
      /** Shifts the daemon's clock against the machine's clock, for all following steps. */
      readonly op: 'clock';
      readonly shiftMs: number;
    }
  | {
      /**
       * Cuts the power `ms` milliseconds after the answer. With `none`, cuts the power while no request runs. This step
       * is always the last step of an episode.
       */
      readonly op: 'power';
      readonly after: 'restore' | 'create' | 'undo' | 'none';
      readonly ms: number;
    }
  | { readonly op: 'audit' };

/** Splits the union so that each `op` has its own member. `Extract` can then find a member by its `op`. */
type Each<S extends { readonly op: string }> = S extends unknown
  ? { readonly [O in S['op']]: Omit<S, 'op'> & { readonly op: O } }[S['op']]
  : never;

export type Step = Each<AnyStep>;

/**
 * Returns a walk, which is a sequence of steps without troubles: requests to one daemon, and every kind of edit. The
 * walk ends with three restores of random checkpoints.
 */
export function calmSteps(random: Random, count: number): Step[] {
  const steps: Step[] = [{ op: 'edit', edits: wildEdits(random, 6) }];
  while (steps.length < count) {
    const step = someStep(random, 0);
    if (step.op === 'second' || step.op === 'clock') continue;
    if (step.op === 'edit') steps.push({ op: 'edit', edits: wildEdits(random, 5) });
    else if (step.op === 'create') steps.push({ ...step, kind: random.pick(['turn', 'turn', 'tool']) });
    else if (step.op === 'restore' && random.chance(20))
      steps.push({ ...step, path: random.pick(wildNames) });
    else steps.push(step);
  }
  const hard = { op: 'restore', mode: 'hard', onConflict: 'overwrite', scope: 'files' } as const;
  const back = [1, 2, 3].map(() => ({ ...hard, to: random.below(1000) }));
  return [...steps, { op: 'look' }, ...back, { op: 'look' }, { op: 'audit' }];
}

export function someSteps(random: Random, count: number, hasPower: boolean): Step[] {
  const steps: Step[] = [{ op: 'edit', edits: someEdits(random, 8) }];
  while (steps.length < count) steps.push(someStep(random));
  if (!hasPower) return [...steps, { op: 'audit' }];
  const after = random.pick(['restore', 'restore', 'create', 'undo', 'none'] as const);
  return [...steps, { op: 'power', after, ms: random.pick([0, 0, 0, 20, 100, 400, 1500, 7000]) }];
}

function someStep(random: Random, troubles = 60): Step {
  const trouble = random.chance(troubles) ? { trouble: someTrouble(random) } : {};
  const mode = random.pick(['soft', 'hard'] as const);
  const onConflict = random.weighed([
    [6, 'overwrite'],
    [3, 'skip'],
    [1, 'fail'],
  ] as const);
  const op = random.weighed([
    [12, 'edit'],
    [12, 'create'],
    [18, 'restore'],
    [5, 'undo'],
    [3, 'redo'],
    [2, 'delete'],
    [2, 'rename'],
    [3, 'talk'],
    [2, 'gc'],
    [2, 'enter'],
    [2, 'exit'],
    [1, 'clean'],
    [2, 'init'],
    [2, 'reopen'],
    [1, 'drop'],
    [2, 'second'],
    [1, 'clock'],
    [2, 'audit'],
  ] as const);
  switch (op) {
    case 'edit':
      return { op, edits: someEdits(random, 4) };
    case 'create':
      return { op, onlyIfChanged: random.chance(20), ...trouble };
    case 'restore': {
      const path = random.chance(20) ? { path: random.pick([...names, 'c', 'c/f']) } : {};
      const scope = random.pick(['files', 'both'] as const);
      return { op, to: random.below(1000), mode, onConflict, scope, ...path, ...trouble };
    }
    case 'undo':
    case 'redo':
      return { op, mode, onConflict, ...trouble };
    case 'delete':
    case 'rename':
    case 'talk':
      return { op, n: random.below(1000), ...trouble };
    case 'gc':
    case 'enter':
    case 'exit':
      return { op, now: random.chance(30), ...trouble };
    case 'second':
      return { op, to: random.below(1000), isSame: random.chance(40), isApart: random.chance(50) };
    case 'clock':
      return { op, shiftMs: random.pick([-6 * 3_600_000, -10_000, -3_000, 0, 3_000, 10_000, 6 * 3_600_000]) };
    case 'clean':
    case 'init':
    case 'reopen':
    case 'drop':
      return { op, ...trouble };
    case 'audit':
      break;
  }
  return { op: 'audit' };
}

/**
 * Returns the number of the call at which the trouble happens. Small numbers are more frequent than large numbers.
 * During its first calls, a request has not written anything yet.
 */
function someDepth(random: Random): number {
  return 1 + random.below(random.pick([12, 60, 200, 500]));
}

function someTrouble(random: Random): Trouble {
  const act = random.weighed([
    [4, 'kill'],
    [3, 'killAll'],
    [2, 'moment'],
    [8, 'fail'],
    [1, 'link'],
    [2, 'full'],
  ] as const);
  if (act === 'full') return { act, at: random.pick([0, 0, 4096, 40_000, 400_000]) };
  const match = random.weighed([
    [6, undefined],
    [3, '^(rename|unlink|link|mkdir|rmdir|symlink|fchmod|chmod) '],
    [1, '^(write|fsync|writeFile) '],
    [1, '^spawn '],
    [2, ofPacking.source],
  ] as const);
  const at = match === undefined ? someDepth(random) : 1 + random.below(match.includes('spawn') ? 3 : 14);
  const where = { at, ...(match === undefined ? {} : { match }) };
  if (act === 'fail')
    return { act, ...where, error: random.below(60), times: random.pick([1, 1, 1, 2, 5, 40]) };
  if (act === 'link') return { act, ...where };
  const between = random.chance(50) ? { between: someEdits(random, 3) } : {};
  const depth = random.pick([0, 0, 0, 1, 2, 3]);
  const nested = depth === 0 ? {} : { nested: Array.from({ length: depth }, () => someDepth(random)) };
  if (act === 'moment') return { act, at: random.below(120), ...between, ...nested };
  return { act, ...where, ...between, ...nested };
}

function someEdits(random: Random, most: number): Edit[] {
  return Array.from({ length: 1 + random.below(most) }, () => someEdit(random));
}

/**
 * Returns edits for a walk: ordinary edits, names of any bytes, hard links, nested repositories, and ignore files in
 * any directory.
 */
function wildEdits(random: Random, most: number): Edit[] {
  return Array.from({ length: 1 + random.below(most) }, () => {
    if (random.chance(60)) return calmLink(someEdit(random));
    const file = random.pick(wildNames);
    switch (random.below(7)) {
      case 0:
        return { do: 'hardLink', file, to: random.pick(wildNames) };
      case 1:
        return { do: 'directory', file };
      case 2:
        return { do: 'repository', file: random.pick(['vendor', 'kind/nested', 'c/f/nested']) };
      case 3:
        return { do: 'ignore', file: random.pick(wildIgnoreFiles), text: random.pick(wildIgnores) };
      case 4:
        return { do: 'rename', file, to: random.pick(wildNames) };
      case 5:
        return { do: 'remove', file: random.pick([...wildNames, ...wildIgnoreFiles.slice(0, 3)]) };
      default:
        return { do: 'write', file, bytes: random.pick([0, 5000]), mode: random.pick(modes) };
    }
  });
}

/** If a link leads outside, gives the link a relative target, so that its target has the same text in every world. */
function calmLink(edit: Edit): Edit {
  return edit.do === 'link' ? { ...edit, to: edit.to.replace('OUTSIDE', '../outside') } : edit;
}

function someEdit(random: Random): Edit {
  const file = random.pick(names);
  const mode = random.pick(modes);
  const what = random.weighed([
    [20, 'write'],
    [4, 'rewrite'],
    [5, 'remove'],
    [2, 'removeTree'],
    [3, 'chmod'],
    [3, 'rename'],
    [2, 'time'],
    [3, 'link'],
    [3, 'ignore'],
  ] as const);
  switch (what) {
    case 'write':
      return {
        do: what,
        file,
        mode: random.chance(70) ? 0o644 : mode,
        bytes: random.pick([0, 0, 5000, 200_000]),
      };
    case 'rewrite':
      return { do: what, file };
    case 'remove':
      return { do: what, file };
    case 'removeTree':
      return { do: what, file: random.pick(['c', 'c/f', 'kind', 'kind/y']) };
    case 'chmod':
      return { do: what, file, mode };
    case 'rename':
      return { do: what, file, to: random.pick(names) };
    case 'time':
      return { do: what, file, shift: random.pick([-10 * 365, -1, 1, 365]) * 86_400 };
    case 'link':
      return { do: what, file, to: random.pick(['OUTSIDE/canary', 'OUTSIDE', 'b.txt', 'nowhere', '.']) };
    case 'ignore':
      break;
  }
  return { do: 'ignore', text: random.pick(ignores) };
}
