// The same random history under three strategies: whatever a client can ask must have one answer.
import fc from 'fast-check';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type * as Wire from '../../../src/protocol/types.ts';
import { checkPropertyAsync } from '../../support/property.ts';
import { gitDirectories, type History, histories } from './edits.ts';
import { plain, ThreeSessions, withoutHashes } from './three-sessions.ts';

const formats: readonly Wire.DiffFormat[] = ['nameStatus', 'stat', 'unified', 'contents', 'text'];

/** Adds the property; `runs` of it, each with three work trees. */
export function crossStrategies(test: Test, runs: number): void {
  test('the same history has the same files, diffs, statistics and restores in all strategies (R3, O1)', async () => {
    const three = new ThreeSessions();
    const input = fc.tuple(histories(4), fc.nat(), fc.constantFrom<Wire.RestoreMode>('soft', 'hard'));
    try {
      await checkPropertyAsync(
        input,
        async ([history, choice, mode]) => {
          await three.begin();
          const states = await play(three, history);
          await compareAnswers(three, history.length);
          const target = choice % (history.length + 1);
          const failed = await restore(three, target, mode);
          if (mode === 'hard') await holdsAgain(three, target, states[target] ?? {}, failed);
          await three.all(
            ({ session }, daemon) => daemon.call('checkpoint/undo', { session }),
            restoreFacts,
            'undo',
          );
          assert.equal(await three.manifest(), states.at(-1), 'undo brings the present back');
        },
        runs,
      );
    } finally {
      await three.close();
    }
  });
}

/** Makes the edits with a checkpoint after each step; what the work tree was at each checkpoint. */
async function play(three: ThreeSessions, history: History): Promise<Record<string, string>[]> {
  const states = [await three.manifest()];
  for (const [i, step] of history.entries()) {
    three.edit(step);
    await three.all(
      ({ session }, daemon) => daemon.call('checkpoint/hasChanges', { session }),
      (answer) => answer,
      'hasChanges',
    );
    await three.create(i % 2 === 0 ? 'turn' : 'tool');
    states.push(await three.manifest());
  }
  return states;
}

async function compareAnswers(three: ThreeSessions, steps: number): Promise<void> {
  const tags = await three.all(
    ({ session }, daemon) => daemon.call('checkpoint/list', { session }),
    ({ checkpoints }) => checkpoints.map(plain),
    'list',
  );
  assert.is(tags.length, steps + 1);
  for (let i = 0; i <= steps; i += 1) {
    const tag = tagOf(i);
    await three.all(
      ({ session }, daemon) => daemon.call('checkpoint/files', { session, tag }),
      withoutHashes,
      `files ${tag}`,
    );
    await three.all(
      ({ session }, daemon) => daemon.call('checkpoint/stats', { session, tag }),
      (answer) => answer,
      `stats ${tag}`,
    );
  }
  for (const format of formats) {
    await three.all(
      ({ session }, daemon) =>
        daemon.call('checkpoint/diff', { session, from: tagOf(steps - 1), to: tagOf(steps), format }),
      diffFacts,
      `diff ${format}`,
    );
  }
  await three.all(
    ({ session }, daemon) => daemon.call('checkpoint/diff', { session, format: 'unified' }),
    diffFacts,
    'diff of the base and the work tree',
  );
}

function diffFacts(answer: Wire.CheckpointDiffResult, { root }: { root: string }): object {
  const files = answer.files.map((file) => ({
    ...file,
    absolutePath: file.absolutePath.replace(root, '<root>'),
  }));
  return { ...answer, files };
}

/** Steps 1, 2, 3, 4 are a turn, a tool, a turn, a tool. */
function tagOf(step: number): string {
  if (step === 0) return '0';
  const turn = Math.ceil(step / 2);
  return step % 2 === 1 ? String(turn) : `${turn}.1`;
}

/** Restores everywhere; the paths that could not be restored because a nested repository stands there. */
async function restore(
  three: ThreeSessions,
  target: number,
  mode: Wire.RestoreMode,
): Promise<readonly Wire.FailedPath[]> {
  let failed: readonly Wire.FailedPath[] = [];
  const before = three.places.map(({ root }) => gitDirectories(root));
  for (const dryRun of [true, false]) {
    const facts = await three.all(
      ({ session }, daemon) =>
        daemon.call('checkpoint/restore', { session, tag: tagOf(target), mode, dryRun, confirm: true }),
      restoreFacts,
      `${mode} restore, dryRun ${dryRun}`,
    );
    failed = facts.failed;
  }
  assert.equal(
    three.places.map(({ root }) => gitDirectories(root)),
    before,
    'no .git was moved, renamed or removed',
  );
  for (const { reason } of failed) assert.is(reason, 'nestedGitDirectory');
  return failed;
}

function restoreFacts(answer: Wire.RestoreResult): Pick<Wire.RestoreResult, 'failed'> {
  const { safety: _safety, checkpoint, ms: _ms, operation: _operation, ...rest } = answer;
  return Object.assign(rest, { checkpoint: checkpoint && plain(checkpoint) });
}

/** After a hard restore every captured path is as it was at the checkpoint. */
async function holdsAgain(
  three: ThreeSessions,
  target: number,
  then: Readonly<Record<string, string>>,
  failed: readonly Wire.FailedPath[],
): Promise<void> {
  const now = await three.manifest();
  const { files } = await three.all(
    ({ session }, daemon) => daemon.call('checkpoint/files', { session, tag: tagOf(target) }),
    withoutHashes,
    'files',
  );
  for (const { path, pathBytes } of files) {
    if (failed.some((each) => path === each.path || path.startsWith(`${each.path}/`))) continue;
    const name =
      pathBytes === undefined
        ? Buffer.from(path, 'utf8').toString('latin1')
        : Buffer.from(pathBytes, 'base64').toString('latin1');
    assert.is(now[name], then[name], `${JSON.stringify(path)} is as it was`);
    assert.ok(name in now, `${JSON.stringify(path)} is there`);
  }
}
