import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { shadowDriver } from '../../../src/store/git/shadow-driver.ts';
import { git, storeOptions } from '../../support/git-oracle.ts';
import { storeSuite } from '../suite.ts';

storeSuite('shadow', (directory) => shadowDriver.open(storeOptions(directory)), {
  afterwards: (directory) =>
    void git(directory, '--git-dir=session', 'fsck', '--strict', '--full', '--no-dangling'),
  lose: (directory, blob) => rmSync(join(directory, 'session', 'objects', blob.slice(0, 2), blob.slice(2))),
});
