// The seven specified properties against the whole daemon with real work trees, on every strategy. The same properties
// against the interface of the stores, with more runs, are in test/store/suite-properties.ts.
import fc from 'fast-check';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type * as Wire from '../../../src/protocol/types.ts';
import { manifest, write } from '../../support/in-process-daemon.ts';
import { checkPropertyAsync } from '../../support/property.ts';
import { applyUnified } from '../../support/unified-diff.ts';
import { apply, type History, plainHistories } from './edits.ts';
import { type Place, ThreeSessions, withoutGit } from './three-sessions.ts';

type State = Readonly<Record<string, string>>;
type Check = (three: ThreeSessions, place: Place, history: History) => Promise<void>;

/** Runs a property on each strategy with a fresh session for each history. */
async function forAll(runs: number, check: Check, input = plainHistories(3)): Promise<void> {
  const three = new ThreeSessions();
  await checkPropertyAsync(
    input,
    async (history) => {
      await three.begin();
      for (const place of three.places) await check(three, place, history);
    },
    runs,
  );
  await three.close();
}

const stateOf = ({ root }: Place): State => withoutGit(manifest(root));

interface Made {
  readonly checkpoint: Wire.Checkpoint;
  readonly state: State;
}

/** One turn for each step, after its edits; the base first. */
async function play({ daemon }: ThreeSessions, place: Place, history: History): Promise<Made[]> {
  const { session } = place;
  const base = await daemon.call('checkpoint/get', { session, tag: '0' });
  const made: Made[] = [{ checkpoint: base.checkpoint, state: stateOf(place) }];
  for (const [i, step] of history.entries()) {
    for (const edit of step) apply(place.root, edit);
    const { checkpoint, complete } = await daemon.call('checkpoint/create', {
      session,
      kind: 'turn',
      message: `message ${i}`,
    });
    assert.ok(complete);
    made.push({ checkpoint, state: stateOf(place) });
  }
  return made;
}

/** The files of a checkpoint by their latin1 names. */
async function filesOf(three: ThreeSessions, place: Place, tag: string, changedOnly = false): Promise<Files> {
  const params = { session: place.session, tag, changedOnly };
  const { files } = await three.daemon.call('checkpoint/files', params);
  return new Map(files.map((file) => [nameOf(file), file]));
}
type Files = ReadonlyMap<string, Wire.CheckpointFile>;

function nameOf({ path, pathBytes }: { path: string; pathBytes?: string }): string {
  return pathBytes === undefined
    ? Buffer.from(path, 'utf8').toString('latin1')
    : Buffer.from(pathBytes, 'base64').toString('latin1');
}

function changes(from: State, to: State): Record<string, string> {
  const found: Record<string, string> = {};
  for (const path of new Set([...Object.keys(from), ...Object.keys(to)])) {
    if (from[path] === to[path]) continue;
    found[path] = from[path] === undefined ? 'added' : to[path] === undefined ? 'deleted' : 'modified';
  }
  return found;
}

export function daemonProperties(test: Test, runs: number): void {
  // **Feature: checkpoint-system, Property 1: Checkpoint creation is complete**
  // **Validates: Requirements 1.1, 1.2, 1.3, 1.4, 5.1, 5.2**
  test('creation is complete: record, parent, every path, the kind of every change (O14)', async () => {
    await forAll(runs, async (three, place, history) => {
      const made = await play(three, place, history);
      assert.is(made[0]?.checkpoint.parent, undefined);
      for (const [i, { checkpoint, state }] of made.entries()) {
        const tag = String(i);
        assert.equal([...(await filesOf(three, place, tag)).keys()].sort(), Object.keys(state).sort());
        const before = made[i - 1];
        if (before === undefined) continue;
        assert.is(checkpoint.parent, before.checkpoint.id);
        const kinds = [...(await filesOf(three, place, tag, true))].map(([path, file]) => [
          path,
          file.change,
        ]);
        const seen = kinds.map(([path, change]) => [path, change === 'typeChanged' ? 'modified' : change]);
        assert.equal(Object.fromEntries(seen), changes(before.state, state));
      }
    });
  });

  // **Feature: checkpoint-system, Property 2: Content addressing is sound**
  // **Validates: Requirements 4.1, 4.2, 5.3**
  test('content addressing: one state one snapshot, exact bytes, nothing stored twice (O15)', async () => {
    const contents = fc.uint8Array({ maxLength: 3000 });
    const input = fc.tuple(contents, contents);
    const three = new ThreeSessions();
    await three.begin();
    await checkPropertyAsync(
      input,
      async ([one, two]) => {
        const texts = [one, two].map((bytes) => Buffer.from(bytes).toString('latin1'));
        for (const { session, root } of three.places) {
          const create = async (content: string): Promise<Wire.Checkpoint> => {
            write(root, { 'a.bin': content, 'copy.bin': content });
            return (await three.daemon.call('checkpoint/create', { session, kind: 'turn' })).checkpoint;
          };
          const first = await create(texts[0] ?? '');
          await create(texts[1] ?? '');
          const before = await three.daemon.call('store/usage', { session });
          const again = await create(texts[0] ?? '');
          assert.is(again.snapshot, first.snapshot);
          assert.is((await three.daemon.call('store/usage', { session })).blobs, before.blobs);
          const params = { session, tag: again.id, path: 'copy.bin' };
          const { data = '', encoding } = await three.daemon.call('checkpoint/readFile', params);
          assert.is(Buffer.from(data, encoding === 'utf-8' ? 'utf8' : 'base64').toString('latin1'), texts[0]);
        }
      },
      runs,
    );
    await three.close();
  });

  // **Feature: checkpoint-system, Property 3: Rollback round trip**
  // **Validates: Requirements 3.1, 3.2**
  test('rolling back gives every file as it was, and ends in a new checkpoint (O16)', async () => {
    await forAll(runs, async (three, place, history) => {
      const { session } = place;
      const made = await play(three, place, history);
      for (const i of [0, history.length, Math.floor(history.length / 2)]) {
        const answer = await three.daemon.call('checkpoint/restore', {
          session,
          tag: made[i]?.checkpoint.id ?? '',
          mode: 'hard',
          confirm: true,
        });
        assert.equal(answer.failed, []);
        assert.equal(stateOf(place), made[i]?.state);
        assert.is(answer.checkpoint?.kind, 'restore');
        assert.is(answer.checkpoint?.snapshot, made[i]?.checkpoint.snapshot);
        const { checkpoints } = await three.daemon.call('checkpoint/list', { session, kind: 'every' });
        assert.is(checkpoints.at(-1)?.id, answer.checkpoint?.id);
      }
    });
  });

  // **Feature: checkpoint-system, Property 4: Checkpoint history is ordered**
  // **Validates: Requirements 2.1**
  test('the list is in the order of creation, whatever was restored in between (O17)', async () => {
    await forAll(runs, async (three, place, history) => {
      const { session } = place;
      const made = await play(three, place, history);
      await three.daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard', confirm: true });
      const late = await three.daemon.call('checkpoint/create', { session, kind: 'turn', tag: '99' });
      const { checkpoints } = await three.daemon.call('checkpoint/list', { session });
      const ids = [...made.map(({ checkpoint }) => checkpoint.id), late.checkpoint.id];
      assert.equal(
        checkpoints.map(({ id }) => id),
        ids,
      );
      const times = checkpoints.map(({ timestamp }) => timestamp);
      assert.equal(times, [...times].sort());
      const places = checkpoints.map(({ seq }) => seq);
      assert.ok(places.every((seq, i) => i === 0 || seq > (places[i - 1] ?? 0)));
    });
  });

  // **Feature: checkpoint-system, Property 5: Differences are right**
  // **Validates: Requirements 2.3, 7.1, 7.2, 7.3**
  test('differences: between two checkpoints and against the present, one-sided ones marked (O18)', async () => {
    await forAll(runs, async (three, place, history) => {
      const made = await play(three, place, history);
      const text = 'one\ntwo\nthree\n';
      write(place.root, { 'only.now': text });
      await differences(three, place, made, text);
    });
  });

  // **Feature: checkpoint-system, Property 6: Garbage collection is safe**
  // **Validates: Requirements 4.3**
  test('a collection removes only what no remaining checkpoint holds (O19)', async () => {
    await forAll(runs, async (three, place, history) => {
      const { session } = place;
      const made = await play(three, place, history);
      for (let i = 1; i < history.length; i += 2)
        await three.daemon.call('checkpoint/delete', { session, tag: String(i) });
      await three.daemon.call('store/gc', { session });
      const { ok, problems } = await three.daemon.call('store/verify', { session });
      assert.ok(ok, JSON.stringify(problems));
      for (const [i, { state }] of made.entries()) {
        if (i % 2 === 1 && i < history.length) continue;
        const id = made[i]?.checkpoint.id ?? '';
        await three.daemon.call('checkpoint/restore', { session, tag: id, mode: 'hard', confirm: true });
        assert.equal(stateOf(place), state);
      }
    });
  });

  // **Feature: checkpoint-system, Property 7: Details of a checkpoint are complete**
  // **Validates: Requirements 2.2**
  test('details: time, message, and every file with its size and kind (O20)', async () => {
    await forAll(runs, async (three, place, history) => {
      const begun = Date.now();
      const made = await play(three, place, history);
      for (const [i, { state }] of made.entries()) {
        const params = { session: place.session, tag: String(i) };
        const { checkpoint, message } = await three.daemon.call('checkpoint/get', params);
        assert.is(message ?? '', i === 0 ? '' : `message ${i - 1}`);
        const time = Date.parse(checkpoint.timestamp);
        assert.ok(time <= Date.now() && (i === 0 || time >= begun - 1));
        const { totalSize, fileCount, files } = await three.daemon.call('checkpoint/files', params);
        assert.is(fileCount, Object.keys(state).length);
        assert.is(
          totalSize,
          files.reduce((sum, { size }) => sum + size, 0),
        );
        for (const file of files) {
          const isLink = state[nameOf(file)]?.startsWith('link ') === true;
          assert.is(file.mode === '120000', isLink);
        }
      }
    });
  });
}

/** The last two checkpoints, and the last against the work tree, which has one more file of this text. */
async function differences(
  { daemon }: ThreeSessions,
  { session }: Place,
  made: readonly Made[],
  text: string,
): Promise<void> {
  const last = made.length - 1;
  const [from, to] = [made[last - 1], made[last]];
  const { files } = await daemon.call('checkpoint/diff', {
    session,
    from: String(last - 1),
    to: String(last),
    format: 'contents',
  });
  const gone = new Set<string>();
  const come = new Set<string>();
  for (const file of files) {
    if (file.change === 'added') assert.is(file.before, undefined);
    if (file.change === 'deleted') assert.is(file.after, undefined);
    if (file.change === 'deleted') gone.add(nameOf(file));
    else if (file.change !== 'modified' && file.change !== 'typeChanged') come.add(nameOf(file));
    if (file.change === 'renamed' && file.oldPath !== undefined) {
      gone.add(
        nameOf({
          path: file.oldPath,
          ...(file.oldPathBytes === undefined ? {} : { pathBytes: file.oldPathBytes }),
        }),
      );
    }
  }
  const wanted = changes(from?.state ?? {}, to?.state ?? {});
  const of = (kind: string): string[] => Object.keys(wanted).filter((path) => wanted[path] === kind);
  assert.equal([...gone].sort(), of('deleted').sort());
  assert.equal([...come].sort(), of('added').sort());
  const now = await daemon.call('checkpoint/diff', { session, from: String(last), format: 'unified' });
  assert.equal(
    now.files.map(({ path, change }) => [path, change]),
    [['only.now', 'added']],
  );
  assert.is(applyUnified('', now.text ?? ''), text);
}
