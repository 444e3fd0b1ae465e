// Gives tests a shadow repository in a temporary directory, and functions to use it.
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { Tag } from '../../../src/base/ids.ts';
import type { GitStore } from '../../../src/store/git/git-store.ts';
import { shadowDriver } from '../../../src/store/strategies.ts';
import { refusedAs } from '../../support/failures.ts';
import { inTemporary, storeOptions } from '../../support/git-oracle.ts';

export const tag = (text: string): Tag => text as Tag;

/** Returns a text that this process does not store itself. The text is so large that a git process stores it. */
export const large = (text: string): string => text.repeat(200_000);

export async function withShadow(body: (store: GitStore, shadow: string) => Promise<void>): Promise<void> {
  await inTemporary(async (directory) => {
    const store = await open(directory);
    try {
      await body(store, join(directory, 'session'));
    } finally {
      await store.close();
    }
  });
}

export const open = async (directory: string): Promise<GitStore> =>
  (await shadowDriver.open(storeOptions(directory))) as GitStore;

export async function rejects(promise: Promise<unknown>, kind: string): Promise<void> {
  try {
    await promise;
  } catch (error) {
    assert.ok(refusedAs(kind)(error), `${kind}, not ${String(error)}`);
    return;
  }
  assert.unreachable(`${kind} expected`);
}
