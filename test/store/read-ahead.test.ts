// Contents are requested before their turn. If a request fails, the failure is reported only when the turn of its
// content has come.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BlobId } from '../../src/base/ids.ts';
import { ReadAhead } from '../../src/store/read-ahead.ts';
import type { Contents } from '../../src/store/snapshot-store.ts';

const count = 400;

async function read(ahead: ReadAhead, turn: number): Promise<string> {
  let text = '';
  for await (const chunk of ahead.read(turn)) text += Buffer.from(chunk).toString();
  return text;
}

test('only small contents are read ahead; a lost content causes no failure before its turn', async () => {
  const asked: string[] = [];
  const contents: Pick<Contents, 'read'> = {
    async *read(blob) {
      asked.push(blob);
      if (blob === '50') throw new Error('lost');
      yield await Promise.resolve(Buffer.from(`${blob}:`));
      yield Buffer.from('end');
    },
  };
  const blobs = Array.from({ length: count }, (_, i) => String(i) as BlobId);
  const sizes = blobs.map((_, i) => (i % 7 === 3 ? 1 << 20 : 10));
  const ahead = new ReadAhead(contents as Contents, blobs, sizes);
  let groups = 0;
  for (let turn = 0; turn < count; turn += 1) {
    const before = asked.length;
    ahead.turnTo(turn);
    if (asked.length > before) groups += 1;
    assert.ok(asked.length - turn <= 128, `${asked.length} requests at turn ${turn}`);
    assert.is(asked.includes(String(turn)), turn % 7 !== 3);
    const got = await read(ahead, turn).catch((error: unknown) => (error as Error).message);
    assert.is(got, turn === 50 ? 'lost' : `${turn}:end`);
  }
  assert.is(new Set(asked).size, count);
  assert.is(asked.length, count, 'nothing is read twice');
  assert.ok(groups > 1 && groups < 10, `the contents were requested in ${groups} groups`);
});

test('the contents that are read ahead take at most 2 MiB of memory', async () => {
  const size = 60 << 10;
  let [asked, taken] = [0, 0];
  const contents: Pick<Contents, 'read'> = {
    async *read() {
      asked += 1;
      yield await Promise.resolve(Buffer.alloc(1));
    },
  };
  const blobs = Array.from({ length: count }, (_, i) => String(i) as BlobId);
  const ahead = new ReadAhead(
    contents as Contents,
    blobs,
    blobs.map(() => size),
  );
  for (let turn = 0; turn < count; turn += 1) {
    ahead.turnTo(turn);
    assert.ok(asked > taken, 'the content of the turn was requested');
    assert.ok((asked - taken) * size <= 2 << 20, `${asked - taken} contents at turn ${turn}`);
    await read(ahead, turn);
    taken += 1;
  }
  assert.is(asked, count, 'nothing is read twice');
});

test.run();
