// The watch is checked against captures: what it told is never called drift, whatever happens around a capture, and
// what it missed is found.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Capture, CaptureRequest } from '../../src/capture/capturer.ts';
import { fromText } from '../../src/tree/tree-path.ts';
import type { Rig } from '../support/capture-rig.ts';
import { checkPropertyAsync } from '../support/property.ts';
import { type Audited, audited } from './audited.ts';

const test = suite('watch audit');

const directories = ['', 'a', 'a/b', 'a/b/c', 'd', 'd/e'];

const names = ['f', 'g', 'h', 'b', 'e', '.gitignore'];

const rules = ['f\n', '*.log\n', 'b/\n', '/d\n', '!f\n', 'a/*\n', ''];

type Step =
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  | { readonly kind: 'rules'; readonly directory: string; readonly text: string }
  | { readonly kind: 'remove' | 'make' | 'mode' | 'link'; readonly path: string }
  | { readonly kind: 'move'; readonly path: string; readonly to: string }
  | { readonly kind: 'git'; readonly what: 'commit' | 'checkout' | 'forget' }
  | { readonly kind: 'capture'; readonly previous: boolean }
  | { readonly kind: 'look' }
  | { readonly kind: 'wider'; readonly path: string }
  | { readonly kind: 'narrower' }
  | { readonly kind: 'turns'; readonly count: number };

const path = fc
  .tuple(fc.constantFrom(...directories), fc.constantFrom(...names.slice(0, 5)))
  .map(([directory, name]) => (directory === '' ? name : `${directory}/${name}`));

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      path,
      content: fc.constantFrom('1', '2', '3', 'longer'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('rules' as const),
      directory: fc.constantFrom(...directories),
      text: fc.constantFrom(...rules),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('remove', 'make', 'mode', 'link'), path }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('move' as const), path, to: path }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('git' as const),
      what: fc.constantFrom('commit', 'checkout', 'forget'),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('capture' as const), previous: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('look' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wider' as const), path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('narrower' as const) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('turns' as const), count: fc.nat(8) }) },
);

/** Changes the tree as the step says, where it can. */
function act(it: Audited, one: Step): void {
  const at = (name: string): string => it.at(name);
  /** What stands there; nothing below what is no directory. */
  const stand = (name: string): Stats | undefined => {
    const above = dirname(name);
    if (above !== '.' && above !== '/' && stand(above)?.isDirectory() !== true) return undefined;
    return lstatSync(at(name), { throwIfNoEntry: false });
  };
  const clear = (name: string): void => {
    if (stand(name) !== undefined) rmSync(at(name), { recursive: true });
  };
  /** Every directory on the way is one. */
  const pave = (name: string): void => {
    const parts = dirname(name).split('/');
    for (let i = 1; i <= parts.length; i += 1) {
      const above = parts.slice(0, i).join('/');
      if (stand(above)?.isDirectory() === false) clear(above);
    }
    mkdirSync(dirname(at(name)), { recursive: true });
  };
  if (one.kind === 'write' || one.kind === 'link' || one.kind === 'make') {
    pave(one.path);
    if (one.kind !== 'write' || stand(one.path)?.isFile() !== true) clear(one.path);
    if (one.kind === 'write') writeFileSync(at(one.path), one.content);
    else if (one.kind === 'link') symlinkSync('anywhere', at(one.path));
    else mkdirSync(at(one.path));
  } else if (one.kind === 'rules') {
    pave(`${one.directory}/x`);
    writeFileSync(at(`${one.directory}/.gitignore`), one.text);
  } else if (one.kind === 'remove') clear(one.path);
  else if (one.kind === 'mode') {
    const stats = stand(one.path);
    if (stats === undefined || stats.isSymbolicLink()) return;
    chmodSync(at(one.path), (stats.mode & 0o777) === 0o700 ? 0o755 : 0o700);
  } else if (one.kind === 'move') {
    const isBelow = one.to === one.path || one.to.startsWith(`${one.path}/`);
    if (isBelow || one.path.startsWith(`${one.to}/`) || stand(one.path) === undefined) return;
    pave(one.to);
    if (stand(one.path) === undefined) return; // it stood in the way
    clear(one.to);
    renameSync(at(one.path), at(one.to));
  } else if (one.kind === 'git') gitStep(it.rig, one.what);
}

function gitStep(rig: Rig, what: 'commit' | 'checkout' | 'forget'): void {
  const tryGit = (...args: string[]): void => {
    try {
      rig.git(...args);
    } catch (error) {
      if (!(error instanceof Error && 'status' in error)) throw error; // nothing to commit, nothing to go back to
    }
  };
  if (what === 'commit') {
    tryGit('add', '-A');
    tryGit('commit', '-q', '-m', 'some');
  } else if (what === 'checkout') tryGit('checkout', '-f', '-q', 'HEAD~1');
  else tryGit('rm', '-r', '-q', '--cached', '--ignore-unmatch', 'a');
}

/** Takes the steps; captures run on beside what comes after them. */
async function live(it: Audited, steps: readonly Step[]): Promise<void> {
  const running: Promise<unknown>[] = [];
  let latest: Capture | undefined;
  const start = (request: CaptureRequest): void => {
    running.push(it.capturer.capture(request).then((capture) => (latest = capture)));
  };
  try {
    for (const one of steps) {
      if (one.kind === 'turns') for (let i = 0; i < one.count; i += 1) await turn();
      else if (one.kind === 'capture')
        start(one.previous && latest !== undefined ? { previous: latest.snapshot } : {});
      else if (one.kind === 'wider') start({ alsoInclude: [fromText(one.path)] });
      else if (one.kind === 'narrower') {
        if (latest !== undefined)
          start({ previous: latest.snapshot, since: { capture: latest, touched: [] } });
      } else if (one.kind === 'look') {
        if (latest !== undefined) running.push(it.capturer.isChanged(latest.snapshot));
      } else it.watch.change(() => act(it, one));
    }
  } finally {
    await Promise.allSettled(running); // none may outlive the tree
  }
  await Promise.all(running);
  await it.capture(latest === undefined ? {} : { previous: latest.snapshot });
}

test('what was told is never called drift, whatever happens before, during and between captures', async () => {
  let compared = 0;
  await checkPropertyAsync(
    fc.array(step, { minLength: 10, maxLength: 60 }),
    (steps) =>
      audited(async (it) => {
        await live(it, steps);
        assert.equal(it.drifts, []);
        assert.equal(
          it.logged.filter((line) => line.startsWith('warn')),
          [],
        );
        compared += 1;
      }),
    60,
  );
  assert.ok(compared > 0);
});

test('what was missed is found, and nothing beside it', async () => {
  const victim = fc.constantFrom('quiet/one', 'quiet/two', 'quiet/deep/down/three', 'four');
  await checkPropertyAsync(
    fc.tuple(
      fc.array(step, { maxLength: 25 }),
      fc.uniqueArray(victim, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('write', 'remove', 'mode', 'replace'),
      fc.array(step, { maxLength: 10 }),
    ),
    ([before, victims, how, after]) =>
      audited(async (it) => {
        it.watch.change(() => {
          for (const each of ['quiet/one', 'quiet/two', 'quiet/deep/down/three', 'four']) it.write(each, '0');
        });
        await live(it, before.filter(isHarmless));
        assert.equal(it.drifts, []);
        it.watch.miss(() => {
          for (const each of victims) missed(it, each, how);
        });
        await live(it, after.filter(isHarmless));
        assert.equal([...new Set(it.drifts.flat())].sort(), victims.toSorted());
      }),
    40,
  );
});

/** What does not reach the quiet places: neither by rules nor by going back to another commit. */
function isHarmless(one: Step): boolean {
  return one.kind !== 'git' && !(one.kind === 'rules' && one.directory === '');
}

function missed(it: Audited, at: string, how: string): void {
  if (how === 'write') writeFileSync(it.at(at), 'missed');
  else if (how === 'remove') rmSync(it.at(at));
  else if (how === 'mode') chmodSync(it.at(at), 0o755);
  else {
    rmSync(it.at(at));
    it.write(`${at}/below`, 'missed');
    rmSync(it.at(at), { recursive: true });
    symlinkSync('missed', it.at(at));
  }
}

test.run();
