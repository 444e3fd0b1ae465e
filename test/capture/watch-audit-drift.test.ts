// Drift is a change that the watcher did not report. Tests which changes the audit counts as drift, how the daemon
// reports drift, and how much an audit costs.
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TreePath } from '../../src/tree/tree-path.ts';
import { audited } from './audited.ts';

const test = suite('drift');

test('if a directory appears or disappears unreported, the audit of the watcher lists each file in the directory', () =>
  audited(async (it) => {
    it.watch.change(() => it.write('a/f', ''));
    await it.capture();
    it.watch.miss(() => it.write('a/new/deep/f', ''));
    await it.capture();
    assert.equal(it.drifts, [['a/new/deep/f']]);
    it.watch.miss(() => rmSync(it.at('a/new'), { recursive: true }));
    await it.capture();
    assert.equal(it.drifts[1], ['a/new/deep/f']);
  }));

test('a private directory that gets its first file or loses its last file does not count as an unreported change', () =>
  audited(async (it) => {
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
  }));

test('if the watcher reports a change only after the audit’s first request, the change still counts as reported', async () => {
  await audited(async (it) => {
    await it.capture();
    const fences = { count: 0 };
    it.watch.fence = () => {
      fences.count += 1;
      if (fences.count === 2) it.watch.changes.mark('f' as TreePath, 'handles');
      return Promise.resolve(true);
    };
    it.watch.miss(() => it.write('f', '1'));
    await it.capture();
    assert.is(fences.count, 2);
    assert.equal(it.drifts, []);
  }, 1);
});

test('the audit does not list unreported changes if there are more than 1,000 at once, but lists a later single change', () =>
  audited(async (it) => {
    await it.capture();
    it.watch.miss(() => {
      for (let i = 0; i < 1001; i += 1) it.write(`many/${i}`, '');
    });
    await it.capture();
    assert.equal(it.drifts, []);
    it.watch.miss(() => it.write('many/7', 'changed'));
    await it.capture();
    assert.equal(it.drifts, [['many/7']]);
  }));

test('the audit does not wait for the watcher if the watcher has reported every change', () =>
  audited(async (it) => {
    await it.capture();
    for (let i = 0; i < 5; i += 1) {
      it.watch.change(() => it.write('a/f', String(i)));
      await it.capture();
    }
    assert.is(it.fences, 0);
  }));

test.run();
