// A restore writes zeros as holes. Therefore a restored file takes no more disk space than the captured sparse file.
import { closeSync, ftruncateSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SparseWriter } from '../../src/restore/staging.ts';
import { checkProperty } from '../support/property.ts';
import { withSessions } from '../support/session-rig.ts';
import { inDirectory } from './restorer-rig.ts';

/** Makes a file of `size` bytes with `text` at `position` and a hole everywhere else. */
function makeSparse(path: string, size: number, text = '', position = 0): void {
  const fd = openSync(path, 'w');
  if (text !== '') writeSync(fd, text, position);
  ftruncateSync(fd, size);
  closeSync(fd);
}

const megabyte = 1 << 20;

for (const strategy of ['shadow', 'local', 'sqlite'] as const) {
  test(`${strategy}: a restored sparse file takes no more space than it took before the capture`, () =>
    withSessions(async (rig) => {
      const names = ['middle', 'start', 'end', 'hole'].map((name) => `${rig.work}/${name}`);
      const [middle = '', start = '', end = '', hole = ''] = names;
      makeSparse(middle, 8 * megabyte + 13, 'in the middle', 4 * megabyte + 4093);
      makeSparse(start, 4 * megabyte, 'at the start');
      makeSparse(end, 4 * megabyte + 3, 'end', 4 * megabyte);
      makeSparse(hole, 4 * megabyte + 1);
      const before = names.map((name) => ({ blocks: statSync(name).blocks, content: readFileSync(name) }));
      if (before.some(({ blocks, content }) => blocks * 512 > content.length / 2)) {
        console.log('skipped: sparse files: this file system keeps no holes');
        return;
      }
      const { session } = await rig.request('session/open', { workspace: rig.work, strategy });
      for (const name of names) rmSync(name);
      const { restored } = await rig.request('checkpoint/restore', { session, tag: '0', mode: 'hard' });
      assert.equal(
        restored.map(({ path }) => path),
        ['end', 'hole', 'middle', 'start'],
      );
      for (const [index, name] of names.entries()) {
        const { blocks = 0, content } = before[index] ?? {};
        assert.ok(content?.equals(readFileSync(name)), `${name} has another content`);
        assert.ok(statSync(name).blocks <= blocks, `${name}: ${statSync(name).blocks} blocks, not ${blocks}`);
      }
    }));
}

test('the sparse writer writes every content exactly, wherever the content has zeros and however it is split', () =>
  inDirectory((root) => {
    const run = fc.record({ byte: fc.constantFrom(0, 0, 1), length: fc.nat(9000) });
    const path = `${root}/file`;
    checkProperty(
      fc.tuple(fc.array(run, { maxLength: 6 }), fc.integer({ min: 1, max: 9000 })),
      ([runs, part]) => {
        const content = Buffer.concat(runs.map(({ byte, length }) => Buffer.alloc(length, byte)));
        const fd = openSync(path, 'w');
        const writer = new SparseWriter(fd);
        for (let at = 0; at < content.length; at += part) writer.append(content.subarray(at, at + part));
        writer.finish();
        closeSync(fd);
        assert.ok(readFileSync(path).equals(content));
      },
    );
    return Promise.resolve();
  }));

test.run();
