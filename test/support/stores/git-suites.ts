// Opens the stores of the two strategies that use git, for the suite for all strategies. Git checks the files of the
// stores afterwards.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { localDriver, shadowDriver } from '../../../src/store/strategies.ts';
import { git, storeOptions } from '../git-oracle.ts';
import type { OpenStore, SuiteHooks } from './store-rig.ts';

interface Suite {
  readonly open: OpenStore;
  readonly hooks: SuiteHooks;
}

export const shadowSuite: Suite = {
  open: (directory) => shadowDriver.open(storeOptions(directory)),
  hooks: {
    afterwards: (directory) =>
      void git(directory, '--git-dir=session', 'fsck', '--strict', '--full', '--no-dangling'),
    lose: (directory, blob) => rmSync(join(directory, 'session', 'objects', blob.slice(0, 2), blob.slice(2))),
  },
};

export const localSuite: Suite = {
  open: (directory) => {
    const work = join(directory, 'work');
    if (!existsSync(work)) {
      mkdirSync(work);
      git(work, 'init', '-q');
    }
    return localDriver.open(storeOptions(directory, { gitDirectory: join(work, '.git') }));
  },
  hooks: {
    afterwards: (directory) =>
      void git(directory, '--git-dir=session/local/refs.git', 'fsck', '--strict', '--full', '--no-dangling'),
    // Runs the user's own prune, because the daemon never deletes objects in the user's repository.
    collect: (directory) => void git(join(directory, 'work'), 'prune', '--expire=now'),
    lose: (directory, blob) => {
      for (const objects of ['work/.git/objects', 'session/local/kept', 'session/local/incoming']) {
        rmSync(join(directory, objects, blob.slice(0, 2), blob.slice(2)), { force: true });
      }
    },
  },
};
