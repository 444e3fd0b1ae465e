// Tests watchers for which the kernel has too few watches. The watchers run in a user namespace with its own limit.
import { execFileSync, spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from './watched.ts';

const test = suite('the limit of watches');

/**
 * Runs a module, given as text, under a limit for watches or instances. The module gets `root`. Returns undefined if
 * this system cannot set a limit.
 */
function underLimit(
  max: number,
  root: string,
  script: string,
  limit: 'watches' | 'instances' = 'watches',
): Record<string, unknown> | undefined {
  const file = `/proc/sys/user/max_inotify_${limit}`;
  const limited = (command: string): string[] => ['-Ur', 'sh', '-c', `echo ${max} > ${file} && ${command}`];
  const probe = spawnSync('unshare', limited(`cat ${file}`), { encoding: 'utf8' });
  if (probe.stdout?.trim() !== String(max)) {
    console.log(`skipped: F41 needs a user namespace (${probe.stderr?.trim() ?? 'no unshare'})`);
    return undefined;
  }
  const whole = `
    const { WorkTreeWatcher } = await import(${JSON.stringify(new URL('../../src/watch/watcher.js', import.meta.url).href)});
    const said = []; const log = { error() {}, warn: (m) => said.push(m), info() {}, debug() {} };
    const root = process.argv[1];
    const until = async (is) => { for (let i = 0; i < 200 && !is(); i += 1) await new Promise((r) => setTimeout(r, 25)); };
    const alive = setInterval(() => undefined, 1000);
    ${script}
    clearInterval(alive);`;
  const command = [...limited('exec "$0" --input-type=module -e "$1" "$2"'), process.execPath, whole, root];
  return JSON.parse(execFileSync('unshare', command, { encoding: 'utf8', timeout: 60_000 })) as Record<
    string,
    unknown
  >;
}

test('at the limit of watches, the watcher warns once, and captures continue (F41)', () =>
  withRig(async (rig) => {
    for (let i = 0; i < 80; i += 1) rig.write(`d${i}/f`, String(i));
    const answer = underLimit(
      50,
      rig.root,
      `const watcher = new WorkTreeWatcher({ root, isIgnored: () => false, log });
      watcher.start(); await watcher.ready(); await new Promise((r) => setTimeout(r, 200));
      const { state, watchedDirectories, reason } = watcher.figures; await watcher.close();
      console.log(JSON.stringify({ state, watchedDirectories, reason, warnings: said.length }));`,
    );
    if (answer === undefined) return;
    assert.equal(answer, {
      state: 'unwatched',
      watchedDirectories: 0,
      reason: "the system's limit of watches is reached (ENOSPC)",
      warnings: 1,
    });
    assert.is((await rig.store.entries((await rig.capturer.capture()).snapshot)).length, 80);
  }));

test('at the limit of inotify instances, the warning names this limit', () =>
  withRig((rig) => {
    const answer = underLimit(
      0,
      rig.root,
      `const fenceDirectory = process.argv[1] + '-fence';
      const watcher = new WorkTreeWatcher({ root, fenceDirectory, isIgnored: () => false, log: { ...log, info: (m) => said.push(m) } });
      watcher.start(); await watcher.ready(); await until(() => said.length > 1);
      const { state, reason } = watcher.figures; await watcher.close();
      console.log(JSON.stringify({ state, reason, said: said.sort() }));`,
      'instances',
    );
    if (answer === undefined) return Promise.resolve();
    const reason = "the system's limit of inotify instances or open files is reached (EMFILE)";
    assert.equal(answer, {
      state: 'unwatched',
      reason,
      said: [
        `Changes of the work tree are not reported: ${reason}. Checkpoints stay correct. On Linux raise fs.inotify.max_user_instances, or ulimit -n of the daemon.`,
        `The handles on directories are opened again: ${reason}.`,
      ],
    });
    return Promise.resolve();
  }));

/**
 * A module that starts chokidar and then opens handles on all 81 directories. If handles are missing, the module
 * tries again.
 */
const openAll = `
  const fenceDirectory = process.argv[1] + '-fence';
  const watcher = new WorkTreeWatcher({ root, fenceDirectory, isIgnored: () => false, log });
  watcher.start(); await watcher.ready();
  const before = watcher.figures.state;
  const paths = ['', ...Array.from({ length: 80 }, (_, i) => 'd' + i)];
  let missing = paths; let isReady = true;
  for (let tries = 0; tries < 3 && isReady && missing.length > 0; tries += 1) {
    await until(() => watcher.handles.isReady);
    isReady = watcher.handles.isReady;
    missing = await watcher.handles.open(paths);
  }
  const isPassed = missing.length === 0 && (await watcher.handles.fence());
  const { state, reason } = watcher.figures; await watcher.close();
  console.log(JSON.stringify({ before, missing: missing.length, isPassed, state, reason, said }));`;

test('if the system has too few watches for chokidar and for directory handles, the handles get the watches', () =>
  withRig((rig) => {
    for (let i = 0; i < 80; i += 1) rig.write(`d${i}/f`, String(i));
    const answer = underLimit(120, rig.root, openAll);
    if (answer === undefined) return Promise.resolve();
    const reason =
      "the system's limit of watches is reached (ENOSPC), and captures need the remaining watches";
    const said = [
      `Changes of the work tree are not reported: ${reason}. Checkpoints stay correct. On Linux raise fs.inotify.max_user_watches.`,
    ];
    assert.equal(answer, { before: 'live', missing: 0, isPassed: true, state: 'unwatched', reason, said });
    return Promise.resolve();
  }));

test('if there are too few watches even for the directory handles, the handles and chokidar each give up with a warning', () =>
  withRig((rig) => {
    for (let i = 0; i < 80; i += 1) rig.write(`d${i}/f`, String(i));
    const answer = underLimit(50, rig.root, openAll);
    if (answer === undefined) return Promise.resolve();
    assert.is(answer['missing'], 81);
    assert.is(answer['isPassed'], false);
    assert.is((answer['said'] as string[]).length, 2);
    return Promise.resolve();
  }));

test.run();
