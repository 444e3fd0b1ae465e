// Compares the journeys of src/README.md with V8's coverage. A journey is the list of source files in which a method
// runs code. A journey describes the second call of a method with strategy shadow. Files in rpc/, protocol/ and base/
// are left out.
import { existsSync, readFileSync } from 'node:fs';
import { Session as Inspector, type Profiler } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type SessionRig, withSessions } from '../support/session-rig.ts';
import { until } from '../support/until.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const map = readFileSync(`${root}src/README.md`, 'utf8');

/** Returns the files that a journey in src/README.md names. */
function journey(name: string): readonly string[] {
  const text = new RegExp(`^### \`${name}\`\\n(.*?)^##`, 'ms').exec(map)?.[1] ?? '';
  return [...new Set([...text.matchAll(/`([a-z-]+\/[a-z\-/]+\.ts)`/g)].map(([, file]) => file ?? ''))];
}

/** Returns the files of src/ in which a function ran during `call`. */
async function entered(call: () => Promise<unknown>): Promise<readonly string[]> {
  const inspector = new Inspector();
  inspector.connect();
  const post = (method: string, params?: object): Promise<{ result?: Profiler.ScriptCoverage[] }> =>
    new Promise((resolve, reject) =>
      inspector.post(method, params, (error, answer) => (error ? reject(error) : resolve(answer ?? {}))),
    );
  try {
    await post('Profiler.enable');
    await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await call();
    const { result = [] } = await post('Profiler.takePreciseCoverage');
    // Leaves out daemon.ts and the files that serve the wire.
    return result
      .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
      .flatMap(({ url }) => /\/dist\/src\/(.*)\.js$/.exec(url)?.[1] ?? [])
      .filter((file) => !/^(rpc|protocol|base)\/|^daemon$/.test(file))
      .map((file) => `${file}.ts`);
  } finally {
    inspector.disconnect();
  }
}

/**
 * Returns the files in which a call runs code. During the call, no client must get a notification of a change, because
 * the notification runs code in other files. `prepare` runs before each attempt.
 */
async function enteredAlone(
  rig: SessionRig,
  prepare: () => Promise<unknown>,
  call: () => Promise<unknown>,
): Promise<readonly string[]> {
  let files: readonly string[] = [];
  await until('a call during which no change is reported', async () => {
    await prepare();
    rig.daemon.told.length = 0;
    files = await entered(call);
    return !rig.told.includes('worktree/didChange');
  });
  return files;
}

/**
 * Opens a session, and calls checkpoint/create and conversation/append once, so that the measured calls are not the
 * first.
 */
async function opened(rig: SessionRig): Promise<string> {
  rig.write('a.txt', 'one\n');
  rig.write('src/b.txt', 'b\n');
  const { session } = await rig.request('session/open', { workspace: rig.work, retention: 'keep' });
  await until('the watch is live', async () => {
    const { state } = await rig.request('worktree/status', { session });
    return state === 'live';
  });
  for (const text of ['two\n', 'three\n']) {
    if (text === 'three\n')
      await until('a capture is fast', async () => {
        const { capture } = await rig.request('checkpoint/create', { session, kind: 'turn' });
        return capture.path === 'fast';
      });
    await changed(rig, text);
  }
  await rig.request('conversation/append', { session, entry });
  return session;
}

/** Writes to a file, and waits until clients are notified. */
async function changed(rig: SessionRig, text: string): Promise<void> {
  rig.daemon.told.length = 0;
  rig.write('a.txt', text);
  await until('the change is reported', () => rig.told.includes('worktree/didChange'));
}

const entry = { user: { content: 'hello' }, assistant: { content: 'hi' } };

/**
 * The folders for which the map names every file with code that a call runs. In all other folders, the map names only
 * files that contain a step of the journey.
 */
const whole = /^(commands|session|queue|conversation|restore)\//;

function checkJourney(name: string, files: readonly string[]): void {
  const named = journey(name);
  assert.ok(named.length > 10, 'the map has the journey');
  assert.equal(
    named.filter((file) => !files.includes(file)),
    [],
    `the map names files that ${name} does not enter`,
  );
  assert.equal(
    files.filter((file) => whole.test(file) && !named.includes(file)),
    [],
    `${name} enters files that the map does not name`,
  );
}

test('checkpoint/create runs code in exactly the files that src/README.md lists for this request', () =>
  withSessions(async (rig) => {
    const session = await opened(rig);
    const files = await enteredAlone(
      rig,
      async () => undefined,
      () => rig.request('checkpoint/create', { session, kind: 'turn' }),
    );
    checkJourney('checkpoint/create', files);
    assert.ok(files.length <= 66, `${files.length} files`);
  }));

test('conversation/append runs code in exactly the files that src/README.md lists for this request, at most 20', () =>
  withSessions(async (rig) => {
    const session = await opened(rig);
    const files = await entered(() => rig.request('conversation/append', { session, entry }));
    checkJourney('conversation/append', files);
    assert.ok(files.length <= 20, `${files.length} files: ${files.join(' ')}`);
  }));

test('checkpoint/restore runs code in exactly the files that src/README.md lists for this request', () =>
  withSessions(async (rig) => {
    const session = await opened(rig);
    const paths = [{ path: 'a.txt' }];
    await rig.request('checkpoint/restore', { session, tag: '0', paths });
    const change = async (): Promise<void> => {
      await changed(rig, 'four\n');
      await rig.request('checkpoint/create', { session, kind: 'turn' });
    };
    const restore = (): Promise<unknown> => rig.request('checkpoint/restore', { session, tag: '0', paths });
    const files = await enteredAlone(rig, change, restore);
    checkJourney('checkpoint/restore', files);
    assert.ok(files.length <= 91, `${files.length} files`);
  }));

test('each file in the map of src/README.md exists', () => {
  const named = [...map.matchAll(/`((?:commands|session|capture|restore|store|watch|git)\/[a-z\-/]+\.ts)`/g)];
  const gone = named.map(([, file]) => file ?? '').filter((file) => !existsSync(`${root}src/${file}`));
  assert.equal(
    gone.filter((file) => file !== 'store/bucket-store.ts'),
    [],
  );
});

test.run();
