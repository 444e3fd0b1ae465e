// Runs a daemon with few file descriptors (ulimit -n). The daemon refuses a session that would take the last
// descriptors, and the error names the limit. Open sessions keep working.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionOpenResult } from '../../src/protocol/types.ts';
import { withRig } from '../support/daemon-rig.ts';
import { WireFailure } from '../support/frames.ts';
import { git } from '../support/git-oracle.ts';
import { daemonEntry } from '../support/wire-client.ts';

/** The number of open files that the daemon may have. */
const limit = 120;
const limited = ['sh', '-c', `ulimit -n ${limit} && exec "$0" "$@"`, process.execPath, daemonEntry] as const;
/** More sessions than the descriptors allow. */
const sessionsMax = 40;

for (const strategy of ['shadow', 'sqlite'] as const)
  test(`${strategy}: if too few descriptors are left, session/open fails and names the limit, and open sessions keep working`, () =>
    withRig(async (rig) => {
      if (process.platform !== 'linux') return console.log('skipped: the system does not report the number');
      const client = await rig.start({ command: limited });
      const opened: { readonly session: string; readonly root: string }[] = [];
      const open = (root: string) => rig.open(client, { strategy, workspace: root, conversationId: root });
      let next = '';
      let failure: WireFailure | undefined;
      for (let count = 0; failure === undefined; count += 1) {
        assert.ok(count < sessionsMax, 'no opening was refused');
        next = join(rig.top, `work-${count}`);
        mkdirSync(next);
        git(next, 'init', '-q');
        writeFileSync(join(next, 'f'), 'one');
        const answer = await open(next).catch((error: unknown) => error);
        // A second request might succeed, because background work of the sessions may end meanwhile.
        if (answer instanceof WireFailure) failure = answer;
        else opened.push({ session: (answer as SessionOpenResult).session, root: next });
      }
      assert.equal([failure.kind, failure.data?.effects], ['LimitExceeded', 'none'], failure.message);
      assert.match(failure.message, `of ${limit} file descriptors`);
      assert.match(failure.message, 'ulimit -n');
      const { details } = failure.data ?? {};
      assert.equal([details?.['limit'], details?.['max']], ['openFiles', limit]);
      assert.ok(opened.length >= 2, `${opened.length} sessions were opened`);
      // Uses all open sessions at once, with their files and git processes.
      const create = ({ session }: { readonly session: string }) =>
        client.request('checkpoint/create', { session, kind: 'turn' });
      for (const { root } of opened) writeFileSync(join(root, 'f'), 'two');
      const made = await Promise.all(opened.map(create));
      assert.ok(made.every(({ checkpoint }) => checkpoint?.tag === '1'));
      for (const { session, root } of opened) {
        writeFileSync(join(root, 'f'), 'three');
        const { counts } = await client.request('checkpoint/restore', { session, tag: '0', mode: 'hard' });
        assert.is(counts.restored, 1);
      }
      // After some sessions are closed, a new session can use their descriptors.
      for (const { session } of opened) await client.request('session/close', { session });
      await open(next);
      await client.close();
    }));

test.run();
