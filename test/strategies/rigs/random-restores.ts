// A random walk through a session under three strategies: edits, checkpoints, restores whole and in part, undo and
// redo, in any order. Held against what the work tree was: nothing that a restore displaces may be lost, nothing that
// a checkpoint holds may come back changed, and all strategies answer alike.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../../src/base/errors.ts';
import type * as Wire from '../../../src/protocol/types.ts';
import { isWithin, type TreePath } from '../../../src/tree/tree-path.ts';
import { type Edit, gitDirectories, paths, wildEdits } from './edits.ts';
import { plain, type ThreeSessions } from './three-sessions.ts';

export type Step =
  | { readonly do: 'edit'; readonly edits: readonly Edit[] }
  | { readonly do: 'create'; readonly kind: Wire.CreateKind; readonly onlyIfChanged: boolean }
  | {
      readonly do: 'restore';
      readonly target: number;
      readonly mode: Wire.RestoreMode;
      readonly paths: readonly string[];
    }
  | { readonly do: 'undo' | 'redo' };

/** Random walks of at most so many steps. */
export function walks(steps: number): fc.Arbitrary<readonly Step[]> {
  const edit = fc.array(wildEdits, { minLength: 1, maxLength: 5 });
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('edit' as const), edits: edit }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('create' as const),
        kind: fc.constantFrom<Wire.CreateKind>('turn', 'tool'),
        onlyIfChanged: fc.boolean(),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('restore' as const),
        target: fc.nat({ max: 20 }),
        mode: fc.constantFrom<Wire.RestoreMode>('soft', 'hard'),
        paths: fc.oneof(
          { weight: 2, arbitrary: fc.constant([]) },
          { weight: 1, arbitrary: fc.uniqueArray(paths, { minLength: 1, maxLength: 3 }) },
          { weight: 1, arbitrary: fc.constantFrom(['src/a'], ['src/deep/er/c'], ['src/deep', 'a']) },
        ),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('undo' as const, 'redo' as const) }) },
  );
  return fc.array(step, { minLength: 2, maxLength: steps });
}

type Manifest = Readonly<Record<string, string>>;

/** A checkpoint: its id under each strategy, and what the work tree was. */
interface Mark {
  readonly ids: ReadonlyMap<string, string>;
  readonly state: Manifest;
}

interface Displacement {
  readonly before: Manifest;
  readonly after: Manifest;
}

/** Makes the steps on three fresh sessions, and fails at the first thing that is not as it was. */
export async function randomRestores(three: ThreeSessions, steps: readonly Step[]): Promise<void> {
  await three.begin();
  const walk = new Walk(three);
  await walk.start();
  for (const step of steps) await walk.make(step);
  await walk.finish();
}

class Walk {
  readonly #three: ThreeSessions;
  readonly #marks: Mark[] = [];
  /** Restores since the last edit: what an undo, and then a redo, must bring back exactly. */
  #undo: Displacement[] = [];
  #redo: Displacement[] = [];

  constructor(three: ThreeSessions) {
    this.#three = three;
  }

  async start(): Promise<void> {
    const ids = new Map<string, string>();
    for (const { session, strategy } of this.#three.places) {
      const { checkpoints } = await this.#three.daemon.call('checkpoint/list', { session });
      ids.set(strategy, checkpoints[0]?.id ?? '');
    }
    this.#marks.push({ ids, state: await this.#three.manifest() });
  }

  async make(step: Step): Promise<void> {
    if (step.do === 'edit') {
      this.#three.edit(step.edits);
      this.#undo = [];
      this.#redo = [];
    } else if (step.do === 'create') await this.#create(step);
    else if (step.do === 'restore') await this.#restore(step);
    else await this.#walkBack(step.do);
  }

  /** Everything that was ever marked comes back whole. */
  async finish(): Promise<void> {
    for (const mark of this.#marks.slice(-4)) await this.#restoreTo(mark, 'hard', []);
  }

  async #create({ kind, onlyIfChanged }: Step & { readonly do: 'create' }): Promise<void> {
    const ids = new Map<string, string>();
    const state = await this.#three.manifest();
    const { created } = await this.#three.all(
      async ({ session, strategy }, daemon) => {
        const answer = await daemon.call('checkpoint/create', { session, kind, onlyIfChanged });
        ids.set(strategy, answer.checkpoint.id);
        return answer;
      },
      ({ checkpoint, skipped, created }) => ({ ...plain(checkpoint), skipped, created }),
      'create',
    );
    if (!created) return;
    this.#redo = [];
    this.#marks.push({ ids, state });
  }

  async #restore({ target, mode, paths }: Step & { readonly do: 'restore' }): Promise<void> {
    const mark = this.#marks[target % this.#marks.length];
    if (mark !== undefined) await this.#restoreTo(mark, mode, paths);
  }

  async #restoreTo(mark: Mark, mode: Wire.RestoreMode, paths: readonly string[]): Promise<void> {
    const only = paths.map((path) => ({
      path: Buffer.from(path, 'latin1').toString('utf8'),
      pathBytes: Buffer.from(path, 'latin1').toString('base64'),
    }));
    const wanted = only.length === 0 ? {} : { paths: only };
    const before = await this.#three.manifest();
    const answer = await this.#displace('restore', (session, strategy) =>
      this.#three.daemon.call('checkpoint/restore', {
        session,
        tag: mark.ids.get(strategy) ?? '',
        mode,
        confirm: true,
        ...wanted,
      }),
    );
    const after = await this.#three.manifest();
    this.#undo.push({ before, after });
    this.#redo = [];
    await this.#isAsMarked(mark, after, answer.failed, paths);
    const again = await this.#three.all(
      ({ session, strategy }, daemon) =>
        daemon.call('checkpoint/restore', {
          session,
          tag: mark.ids.get(strategy) ?? '',
          mode,
          confirm: true,
          dryRun: true,
          ...wanted,
        }),
      ({ restored, deleted }) => ({ restored, deleted }),
      'the same restore again',
    );
    assert.equal(again.restored, [], 'a restore leaves nothing to write for a second one');
    // What was ignored and is not any more, because an ignore file went, is new to the second.
    const isRevealing = Object.keys(before).some(
      (path) => path.endsWith('.gitignore') && before[path] !== after[path],
    );
    if (!isRevealing) assert.equal(again.deleted, [], 'a restore leaves nothing to delete for a second one');
  }

  async #walkBack(way: 'undo' | 'redo'): Promise<void> {
    const [from, to] = way === 'undo' ? [this.#undo, this.#redo] : [this.#redo, this.#undo];
    const restore = from.pop();
    const answer = await this.#displace(way, async (session) => {
      try {
        return await this.#three.daemon.call(way === 'undo' ? 'checkpoint/undo' : 'checkpoint/redo', {
          session,
          confirm: true,
        });
      } catch (error) {
        if (error instanceof CheckpointdError && error.kind.startsWith('NothingTo')) return undefined;
        throw error;
      }
    });
    if (restore === undefined) {
      this.#undo = [];
      this.#redo = [];
      return;
    }
    assert.ok(answer.wasDone, `there is something to ${way}`);
    to.push(restore);
    const expected = way === 'undo' ? restore.before : restore.after;
    if (answer.failed.length === 0) assert.equal(await this.#three.manifest(), expected, `${way} is exact`);
  }

  /** Does something that changes files, everywhere; what it displaced must be in its safety checkpoint. */
  async #displace(
    what: string,
    act: (session: string, strategy: string) => Promise<Wire.RestoreResult | undefined>,
  ): Promise<{ readonly wasDone: boolean; readonly failed: readonly Wire.FailedPath[] }> {
    const before = await this.#three.manifest();
    const repositories = (): string[][] => this.#three.places.map(({ root }) => gitDirectories(root));
    const nested = repositories();
    const safeties = new Map<string, string>();
    const { facts } = await this.#three.all(
      async ({ session, strategy }) => {
        const answer = await act(session, strategy);
        if (answer?.safety !== undefined) safeties.set(strategy, answer.safety);
        return answer;
      },
      (answer) => ({ facts: answer && restoreFacts(answer) }),
      what,
    );
    assert.equal(repositories(), nested, 'no .git was moved, renamed or removed');
    const after = await this.#three.manifest();
    const displaced = Object.keys(before).filter((path) => before[path] !== after[path]);
    for (const { session, strategy } of this.#three.places) {
      if (displaced.length === 0) break;
      const saved = await this.#stateOf(session, safeties.get(strategy) ?? '', displaced);
      for (const path of displaced)
        assert.is(
          saved[path],
          brief(before[path] ?? ''),
          `${strategy}: ${JSON.stringify(path)} was saved before ${what}`,
        );
    }
    return { wasDone: facts !== undefined, failed: facts?.failed ?? [] };
  }

  async #stateOf(session: string, tag: string, paths: readonly string[]): Promise<Manifest> {
    const { daemon } = this.#three;
    const state: Record<string, string> = {};
    for (const name of paths) {
      const bytes = Buffer.from(name, 'latin1');
      const file = await daemon.call('checkpoint/readFile', {
        session,
        tag,
        path: bytes.toString('utf8'),
        pathBytes: bytes.toString('base64'),
      });
      if (file.exists) state[name] = described(file);
    }
    return state;
  }

  /** Every path that the checkpoint holds, and the restore was about, is as it was. */
  async #isAsMarked(
    mark: Mark,
    now: Manifest,
    failed: readonly Wire.FailedPath[],
    only: readonly string[],
  ): Promise<void> {
    const { files } = await this.#three.all(
      ({ session, strategy }, daemon) =>
        daemon.call('checkpoint/files', { session, tag: mark.ids.get(strategy) ?? '' }),
      ({ files }) => ({ files: files.map(({ change: _change, hash: _hash, ...file }) => file) }),
      'files',
    );
    for (const file of files) {
      const name = bytesOfRef(file);
      if (only.length > 0 && !only.some((each) => isWithin(name, each as TreePath))) continue;
      if (failed.some((each) => isWithin(name, bytesOfRef(each)))) continue;
      assert.ok(name in now, `${JSON.stringify(name)} is there`);
      assert.is(now[name], mark.state[name], `${JSON.stringify(name)} is as it was`);
    }
  }
}

function bytesOfRef({ path, pathBytes }: Wire.PathRef): TreePath {
  const bytes = pathBytes === undefined ? Buffer.from(path, 'utf8') : Buffer.from(pathBytes, 'base64');
  return bytes.toString('latin1') as TreePath;
}

function restoreFacts(answer: Wire.RestoreResult): Pick<Wire.RestoreResult, 'failed'> {
  const { safety: _safety, checkpoint, ms: _ms, operation: _operation, ...rest } = answer;
  return Object.assign(rest, { checkpoint: checkpoint && plain(checkpoint) });
}

/** What a checkpoint holds of a path, spelled as {@link brief} spells the work tree's. */
function described({ data = '', encoding, mode }: Wire.CheckpointReadFileResult): string {
  const bytes = Buffer.from(data, encoding === 'base64' ? 'base64' : 'utf8');
  if (mode === '120000') return `link ${bytes.toString('latin1')}`;
  return `${mode === '100755' ? 'x ' : ''}${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`;
}

/** A line of a manifest without the permission bits that a checkpoint's file does not tell. */
function brief(line: string): string {
  const [mode = '', rest = ''] = line.split(' ', 2);
  if (mode === 'link') return line;
  return `${(Number.parseInt(mode, 8) & 0o100) === 0 ? '' : 'x '}${rest}`;
}
