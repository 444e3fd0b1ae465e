// Opens a store in a new directory for one test, and checks its files afterwards.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../../src/base/errors.ts';
import type { BlobId } from '../../../src/base/ids.ts';
import type { SnapshotStore } from '../../../src/store/snapshot-store.ts';

/** Opens the store in `directory`. Makes a new store if the directory is empty. */
export type OpenStore = (directory: string) => Promise<SnapshotStore>;

export interface SuiteHooks {
  /** Checks the files of a closed store, by git fsck or integrity_check. Throws if it finds a fault. */
  readonly afterwards?: (directory: string) => void | Promise<void>;
  /** The store leaves some garbage to the user's own gc. Removes this garbage. */
  readonly collect?: (directory: string) => void | Promise<void>;
  /** Removes the stored content of a blob while the store is closed, so that the store does not notice. */
  readonly lose?: (directory: string, blob: BlobId) => void | Promise<void>;
}

export interface Rig {
  readonly directory: string;
  readonly store: SnapshotStore;
  /** Closes the store and opens it again. */
  reopen(): Promise<SnapshotStore>;
}

/** Runs `body` with a new store in a new directory, closes the store, and checks its files. */
export async function withStore(
  open: OpenStore,
  hooks: SuiteHooks,
  body: (rig: Rig) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'checkpointd-store-'));
  let store = await open(directory);
  const rig: Rig = {
    directory,
    get store() {
      return store;
    },
    reopen: async () => {
      await store.close();
      store = await open(directory);
      return store;
    },
  };
  try {
    await body(rig);
    await store.close();
    await hooks.afterwards?.(directory);
  } finally {
    store.kill();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Expects a promise that rejects with a CheckpointdError. Resolves with the kind of this error. */
export async function kindOf(promise: Promise<unknown>): Promise<string> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.instance(outcome, CheckpointdError);
  return outcome instanceof CheckpointdError ? outcome.kind : 'none';
}

/** Adds one test, whose body gets a new store. */
export type Check = (title: string, body: (rig: Rig) => Promise<void>) => void;
