// Tests that the repository for pushes and fetches has few files, however often a session is pushed and fetched.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BlobId } from '../../src/base/ids.ts';
import { TravelObjects } from '../../src/remote/travel-objects.ts';
import { temporaryDirectory } from '../support/temporary.ts';

function packsOf({ gitDir }: TravelObjects): number {
  return readdirSync(join(gitDir, 'objects', 'pack')).filter((name) => name.endsWith('.pack')).length;
}

function looseIn({ gitDir }: TravelObjects): number {
  const count = execFileSync('git', ['count-objects'], { cwd: gitDir, encoding: 'utf8' });
  return Number.parseInt(count, 10);
}

/** Writes contents, and returns their ids. */
async function written(objects: TravelObjects, name: string, count: number): Promise<BlobId[]> {
  const texts = Array.from({ length: count }, (_, at) => Buffer.from(`${name} ${at}\n`));
  return Promise.all(texts.map(async (text) => (await objects.write('blob', text)) as BlobId));
}

test('when the repository for pushes and fetches is packed, its loose objects and refs become one pack and one file of refs', async () => {
  const objects = await TravelObjects.open(temporaryDirectory('lines'));
  const ids = await written(objects, 'content', 600);
  const refs = new Map(ids.slice(0, 30).map((id, at) => [`refs/lines/a/${at}`, id]));
  await objects.writeRefs(refs);
  await objects.pack();
  assert.equal([looseIn(objects), packsOf(objects)], [0, 1]);
  const found = await objects.refsBelow('refs/lines/');
  assert.equal(Object.fromEntries(found), Object.fromEntries(refs));
  assert.is(Math.min(...(await objects.sizes(ids))) > 0, true);
  const [, other = ''] = ids;
  await objects.writeRefs(new Map([['refs/lines/a/0', other]]));
  assert.is((await objects.refsBelow('refs/lines/a/')).get('refs/lines/a/0'), other);
  await objects.close();
});

test('when the repository for pushes and fetches is packed, many packs become few packs, and no object changes', async () => {
  const objects = await TravelObjects.open(temporaryDirectory('lines'));
  const all: BlobId[] = [];
  for (let fetch = 0; fetch < 25; fetch += 1) {
    const ids = await written(objects, `fetch ${fetch}`, 3);
    all.push(...ids);
    const args = ['pack-objects', '-q', 'objects/pack/pack'];
    execFileSync('git', args, { cwd: objects.gitDir, input: `${ids.join('\n')}\n`, stdio: 'pipe' });
    execFileSync('git', ['prune-packed', '-q'], { cwd: objects.gitDir });
  }
  assert.is(packsOf(objects), 25);
  assert.is(Math.min(...(await objects.sizes(all))) > 0, true); // the reader has opened the packs
  await objects.pack();
  assert.is(packsOf(objects), 1);
  for (const id of all.filter((_, at) => at % 30 === 0))
    for await (const bytes of objects.read(id)) assert.match(bytes.toString(), /^fetch \d+ \d\n$/);
  await objects.close();
});

test('a repository for pushes and fetches with too many packs is replaced by an empty repository', async () => {
  const directory = temporaryDirectory('heads');
  const objects = await TravelObjects.open(directory);
  await written(objects, 'content', 600);
  await objects.pack();
  await objects.close();
  const kept = await TravelObjects.open(directory, { renewsAbovePacks: 1 });
  assert.is(packsOf(kept), 1);
  await kept.close();
  const renewed = await TravelObjects.open(directory, { renewsAbovePacks: 0 });
  assert.is(packsOf(renewed), 0);
  await renewed.close();
});

test.run();
