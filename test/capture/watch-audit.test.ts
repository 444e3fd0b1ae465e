// The watch is checked against captures: what it told is never called drift, whatever happens around a capture, and
// what it missed is found.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog } from '../../src/base/log.ts';
import { type Fault, installFault } from '../../src/base/seam.ts';
import type { Capture, CaptureRequest } from '../../src/capture/capturer.ts';
import { stampGrainMs } from '../../src/capture/settled.ts';
import type { TreeCapturer } from '../../src/capture/tree-capturer.ts';
import { WatchAudit } from '../../src/capture/watch-audit.ts';
import { fromText, type TreePath } from '../../src/tree/tree-path.ts';
import type { Changes } from '../../src/watch/change-log.ts';
import { contentOf, makeRig, type Rig } from '../support/capture-rig.ts';
import { PerfectWatch } from '../support/perfect-watch.ts';
import { checkPropertyAsync } from '../support/property.ts';

const test = suite('watch audit');

class Audited {
  readonly rig: Rig;
  readonly watch: PerfectWatch;
  readonly capturer: TreeCapturer;
  readonly drifts: string[][] = [];
  readonly directories: string[][] = [];
  readonly logged: string[] = [];
  readonly audit: WatchAudit;
  /** Audits that have begun and not ended. */
  #fences = 0;

  constructor(graceMs = 0) {
    this.rig = makeRig();
    this.watch = new PerfectWatch(this.rig.root);
    this.audit = new WatchAudit({
      watch: () => this.watch,
      onDrift: (untold) => {
        this.drifts.push(untold.map(({ path }) => path).sort());
        this.directories.push([...new Set(untold.flatMap(({ directories }) => directories))].sort());
      },
      graceMs,
      log: createLog('debug', [(level, message) => this.logged.push(`${level} ${message}`)]),
    });
    this.capturer = this.rig.another({
      settleMs: stampGrainMs,
      onScan: ({ isPlain }) => {
        const audited = isPlain ? this.audit.begin() : undefined;
        const changes: Changes = { kind: 'everything', reason: 'unwatched' };
        return { changes, succeeded: (seen) => audited?.(seen) };
      },
    });
    this.watch.fence = async () => {
      this.#fences += 1;
      await turn();
      return true;
    };
  }

  get fences(): number {
    return this.#fences;
  }

  at(path: string): string {
    return join(this.rig.root, path);
  }

  write(path: string, content: string): void {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), content);
  }

  /** A capture and the audit behind it. */
  async capture(request: CaptureRequest = {}): Promise<Capture> {
    const capture = await this.capturer.capture(request);
    await this.audit.idle();
    return capture;
  }
}

async function audited(body: (it: Audited) => Promise<void>, graceMs = 0): Promise<void> {
  const it = new Audited(graceMs);
  const alive = setInterval(() => undefined, 1000); // a check keeps no process alive
  try {
    await body(it);
  } finally {
    clearInterval(alive);
    await it.rig.remove();
  }
}

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

test('what is told while a capture looks belongs to the next one, if it was read before', async () => {
  await audited(async (it) => {
    it.watch.change(() => {
      it.write('first', '0');
      it.write('d/last', '0');
    });
    for (let i = 1; i < 5; i += 1) {
      it.watch.change(() => it.write('d/last', String(i)));
      let isDone = false;
      installFault((call, target) => {
        if (isDone || call !== 'open' || !readable(target).endsWith('/d/last')) return;
        isDone = true;
        it.watch.change(() => it.write('first', String(i)));
      });
      try {
        const capture = await it.capture();
        assert.ok(isDone);
        assert.is(await contentOf(it.rig.store, capture, 'first'), String(i - 1), 'it was read before');
      } finally {
        installFault(undefined);
      }
      await it.capture();
    }
    assert.equal(it.drifts, []);
  });
});

test('a capture that takes over what it did not look at, or takes what the rules leave out, has no part', async () => {
  await audited(async (it) => {
    it.watch.change(() => {
      it.write('a/f', '1');
      it.write('out/f', '1');
      it.write('.gitignore', 'out/\n');
    });
    const first = await it.capture();
    // Only what is old enough when it is looked at is taken over later without a look.
    while (Date.now() < lstatSync(it.at('a/f')).ctimeMs + 2 * stampGrainMs) await turn();
    const before = await it.capture({ previous: first.snapshot });
    it.watch.change(() => it.write('a/f', '2'));
    const over = await it.capture({ previous: before.snapshot, since: { capture: before, touched: [] } });
    assert.is(await contentOf(it.rig.store, over, 'a/f'), '1', 'it did not look');
    await it.capture();
    it.watch.miss(() => it.write('out/f', '2'));
    await it.capture({ alsoInclude: [fromText('out')] });
    it.watch.miss(() => it.write('out/f', '3'));
    await it.capture({ alsoInclude: [fromText('out')] });
    await it.capture();
    assert.equal(it.drifts, []);
  });
});

test('what a capture could not list or read proves nothing, and neither does what it could again', async () => {
  await audited(async (it) => {
    it.watch.change(() => {
      it.write('closed/f', '1');
      it.write('closed/deep/g', '1');
      it.write('h', '1');
      it.write('open', '1');
    });
    const unreadable = (call: string, target: string): void => {
      const isClosed = call === 'readdir' && target.includes('closed');
      if (isClosed || (call === 'open' && target.endsWith('/h')))
        throw Object.assign(new Error('no'), { code: 'EACCES' });
    };
    /** Directories are reached by their descriptors: told by name here. */
    const named: Fault = (call, target) => unreadable(call, readable(target));
    for (const fault of [undefined, named, undefined, named]) {
      installFault(fault);
      try {
        const capture = await it.capture();
        assert.is(capture.skipped.length, fault === undefined ? 0 : 2, JSON.stringify(capture.skipped));
      } finally {
        installFault(undefined);
      }
    }
    assert.equal(it.drifts, []);
    it.watch.miss(() => it.write('open', '2'));
    await it.capture();
    assert.equal(it.drifts, [['open']]);
  });
});

/** The path behind `/proc/self/fd/N/…`. */
function readable(target: string): string {
  const [, descriptor, rest = ''] = /^\/proc\/self\/fd\/(\d+)(.*)$/.exec(target) ?? [];
  return descriptor === undefined ? target : `${readlinkSync(`/proc/self/fd/${descriptor}`)}${rest}`;
}

test('a directory that nobody told of is drift file by file, and is to be watched from where it hangs', async () => {
  await audited(async (it) => {
    it.watch.change(() => it.write('a/f', ''));
    await it.capture();
    it.watch.miss(() => it.write('a/new/deep/f', ''));
    await it.capture();
    assert.equal(it.drifts, [['a/new/deep/f']]);
    assert.equal(it.directories, [['a', 'a/new', 'a/new/deep']]);
    it.watch.miss(() => rmSync(it.at('a/new'), { recursive: true }));
    await it.capture();
    assert.equal(it.drifts[1], ['a/new/deep/f']);
    assert.equal(it.directories[1], ['a'], 'what is gone is not watched');
  });
});

test('a private directory that gets its first file, or loses its last one, has not changed itself', async () => {
  await audited(async (it) => {
    it.watch.change(() => {
      mkdirSync(it.at('private/deep'), { recursive: true });
      chmodSync(it.at('private'), 0o700);
    });
    await it.capture();
    it.watch.change(() => it.write('private/deep/f', '1'));
    await it.capture();
    it.watch.change(() => rmSync(it.at('private/deep/f')));
    await it.capture();
    assert.equal(it.drifts, []);
    it.write('private/deep/f', '2');
    it.watch.change(() => it.write('private/deep/f', '3'));
    await it.capture();
    it.watch.miss(() => chmodSync(it.at('private'), 0o500));
    await it.capture();
    assert.equal(it.drifts, [['private']]);
  });
});

test('what rules, failures or names keep out of a capture proves nothing', async () => {
  await audited(async (it) => {
    it.watch.change(() => {
      it.write('ignored/f', '1');
      it.write('file.log', '1');
      it.write('.gitignore', 'ignored/\n*.log\n');
    });
    await it.capture();
    it.watch.miss(() => {
      it.write('ignored/f', '2');
      it.write('file.log', '2');
      it.write('.gitignore', '');
    });
    await it.capture();
    assert.equal(it.drifts, [['.gitignore']]);
    it.watch.miss(() => it.write('.gitignore', 'ignored/\n*.log\n'));
    await it.capture();
    assert.equal(it.drifts[1], ['.gitignore']);
    const name = Buffer.concat([Buffer.from(`${it.rig.root}/`), Buffer.from([0xff])]);
    mkdirSync(name);
    writeFileSync(Buffer.concat([name, Buffer.from('/f')]), '');
    await it.capture();
    assert.is(it.drifts.length, 2, 'below a name that is not UTF-8 nothing can be watched');
  });
});

test('it is silent when the watch was not live throughout, or cannot prove that it was heard out', async () => {
  const missedNow = async (it: Audited, content: string): Promise<void> => {
    it.watch.miss(() => it.write('f', content));
    await it.capture();
  };
  await audited(async (it) => {
    await it.capture();
    it.watch.changes.lose('suspect');
    await missedNow(it, '1');
    it.watch.isLive = false;
    await missedNow(it, '2');
    it.watch.isLive = true;
    await missedNow(it, '3');
    assert.is(it.fences > 0, true);
    const found = it.drifts.length;
    it.watch.fence = () => Promise.resolve(false);
    await missedNow(it, '4');
    it.watch.fence = () => {
      it.watch.changes.lose('suspect');
      return Promise.resolve(true);
    };
    await missedNow(it, '5');
    assert.is(it.drifts.length, found);
    it.watch.fence = () => Promise.resolve(true);
    await it.capture();
    await missedNow(it, '6');
    assert.is(it.drifts.length, found + 1, 'and finds the next one');
  });
});

test('a mark that comes late, behind the fence, is waited for', async () => {
  await audited(async (it) => {
    await it.capture();
    const fences = { count: 0 };
    it.watch.fence = () => {
      fences.count += 1;
      if (fences.count === 2) it.watch.changes.mark('f' as TreePath);
      return Promise.resolve(true);
    };
    it.watch.miss(() => it.write('f', '1'));
    await it.capture();
    assert.is(fences.count, 2);
    assert.equal(it.drifts, []);
  }, 1);
});

test('too much at once is not called anything, and the next drift is found again', async () => {
  await audited(async (it) => {
    await it.capture();
    it.watch.miss(() => {
      for (let i = 0; i < 1001; i += 1) it.write(`many/${i}`, '');
    });
    await it.capture();
    assert.equal(it.drifts, []);
    it.watch.miss(() => it.write('many/7', 'changed'));
    await it.capture();
    assert.equal(it.drifts, [['many/7']]);
  });
});

test('a failure of the check is logged, and harms neither the capture nor the next check', async () => {
  await audited(async (it) => {
    await it.capture();
    it.watch.fence = () => Promise.reject(new Error('a defect'));
    it.watch.miss(() => it.write('f', '1'));
    await it.capture();
    assert.equal(
      it.logged.filter((line) => line.startsWith('warn')),
      ['warn The watch of the work tree could not be checked: Error: a defect'],
    );
    it.watch.fence = () => Promise.resolve(true);
    it.watch.miss(() => it.write('f', '2'));
    await it.capture();
    assert.equal(it.drifts, [['f']]);
  });
});

test('what was told costs no fence', async () => {
  await audited(async (it) => {
    await it.capture();
    for (let i = 0; i < 5; i += 1) {
      it.watch.change(() => it.write('a/f', String(i)));
      await it.capture();
    }
    assert.is(it.fences, 0);
  });
});

test.run();
