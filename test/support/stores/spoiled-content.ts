// Removes or damages a stored content without the store's knowledge, on any strategy.
import { createHash } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { sql } from './sqlite.ts';

/** The content of a file whose stored copy the test damages. */
export const precious = 'precious\n';

export interface SpoiledSession {
  readonly storage: string;
  readonly workTree: string;
  readonly session: string;
}

/** For each strategy, a function that damages every stored copy of {@link precious}. */
export const spoilContent: Readonly<
  Record<string, (where: SpoiledSession, how: 'missing' | 'wrong') => void>
> = {
  shadow: ({ storage, session }, how) => spoilObject([join(storage, session, 'objects')], how),
  local: ({ storage, workTree, session }, how) =>
    spoilObject(
      [
        join(workTree, '.git', 'objects'),
        join(storage, session, 'local', 'kept'),
        join(storage, session, 'local', 'incoming'),
      ],
      how,
    ),
  sqlite: ({ storage }, how) => {
    const id = createHash('sha256').update(precious).digest('hex');
    assert.is(sql(storage, 'SELECT 1 FROM checkpoint_blobs WHERE hash = ?', id).length, 1);
    if (how === 'missing') sql(storage, 'DELETE FROM checkpoint_blobs WHERE hash = ?', id);
    else sql(storage, "UPDATE checkpoint_blobs SET content = x'00' WHERE hash = ?", id);
  },
};

const objectId = createHash('sha1').update(`blob ${precious.length}\0${precious}`).digest('hex');

function spoilObject(places: readonly string[], how: 'missing' | 'wrong'): void {
  let found = 0;
  for (const place of places) {
    const file = join(place, objectId.slice(0, 2), objectId.slice(2));
    if (!existsSync(file)) continue;
    found += 1;
    rmSync(file);
    if (how === 'wrong') writeFileSync(file, 'garbage');
  }
  assert.ok(found > 0, `the content lies in ${places.join(', ')}`);
}
