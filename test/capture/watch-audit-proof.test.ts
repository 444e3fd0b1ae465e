// The audit reports a change only if it can prove that the watcher missed the change.
import { lstatSync, mkdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Fault, installFault } from '../../src/base/seam.ts';
import { stampGrainMs } from '../../src/capture/settled.ts';
import { fromText } from '../../src/tree/tree-path.ts';
import { contentOf } from '../support/capture-rig.ts';
import { type Audited, audited } from './audited.ts';

const test = suite('proof of drift');

test('if the watcher reports a change after a capture has read the path, the change still counts as reported', () =>
  audited(async (it) => {
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
  }));

test('the audit of the watcher does not compare a capture that reuses unchecked listings or includes ignored files', () =>
  audited(async (it) => {
    it.watch.change(() => {
      it.write('a/f', '1');
      it.write('out/f', '1');
      it.write('.gitignore', 'out/\n');
    });
    const first = await it.capture();
    // A later scan reuses a content without a check only if the content was old enough at its last read.
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
  }));

test('if a capture could not read a directory, the directory does not count as changed when it is readable again', () =>
  audited(async (it) => {
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
    /** Captures open directories by descriptor. This fault matches the directories by name. */
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
  }));

/** Returns the path behind `/proc/self/fd/N/…`. */
function readable(target: string): string {
  const [, descriptor, rest = ''] = /^\/proc\/self\/fd\/(\d+)(.*)$/.exec(target) ?? [];
  return descriptor === undefined ? target : `${readlinkSync(`/proc/self/fd/${descriptor}`)}${rest}`;
}

test('if a capture leaves out a path because of a rule, a failure or its name, the path does not count as changed', () =>
  audited(async (it) => {
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
  }));

test('the audit reports nothing if the watcher was not always running or did not confirm its reports', async () => {
  const missedNow = async (it: Audited, content: string): Promise<void> => {
    it.watch.miss(() => it.write('f', content));
    await it.capture();
  };
  await audited(async (it) => {
    await it.capture();
    it.watch.changes.lose('suspect');
    await missedNow(it, '1');
    it.watch.isTrusted = false;
    await missedNow(it, '2');
    it.watch.isTrusted = true;
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

test('if the audit fails, this is logged, and the capture and the next audit work', () =>
  audited(async (it) => {
    await it.capture();
    it.watch.fence = () => Promise.reject(new Error('a defect'));
    it.watch.miss(() => it.write('f', '1'));
    await it.capture();
    assert.equal(
      it.logged.filter((line) => line.startsWith('warn')),
      ['warn The daemon could not check whether the watch of the work tree missed changes: Error: a defect'],
    );
    it.watch.fence = () => Promise.resolve(true);
    it.watch.miss(() => it.write('f', '2'));
    await it.capture();
    assert.equal(it.drifts, [['f']]);
  }));

test.run();
