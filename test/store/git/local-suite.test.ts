import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { localDriver } from '../../../src/store/git/local-driver.ts';
import { git, storeOptions } from '../../support/git-oracle.ts';
import { storeSuite } from '../suite.ts';

storeSuite(
  'local',
  (directory) => {
    const work = join(directory, 'work');
    if (!existsSync(work)) {
      mkdirSync(work);
      git(work, 'init', '-q');
    }
    return localDriver.open(storeOptions(directory, { gitDirectory: join(work, '.git') }));
  },
  {
    afterwards: (directory) =>
      void git(directory, '--git-dir=session/local/refs.git', 'fsck', '--strict', '--full', '--no-dangling'),
    // What no ref holds any more is for the user's own gc to remove: we never delete in their repository.
    collect: (directory) => void git(join(directory, 'work'), 'prune', '--expire=now'),
    lose: (directory, blob) => {
      for (const objects of ['work/.git/objects', 'session/local/kept', 'session/local/incoming']) {
        rmSync(join(directory, objects, blob.slice(0, 2), blob.slice(2)), { force: true });
      }
    },
  },
);
