// Runs a daemon with few file descriptors (ulimit -n). The daemon refuses a session that would take the last
// descriptors, and the error names the limit. Open sessions keep working.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../support/daemon-rig.ts';
import { git } from '../support/git-oracle.ts';
import { daemonEntry, failureOf } from '../support/wire-client.ts';

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
      // The first refusal is the one that is looked at: background work that ends after it can make room for a session.
      let refused: unknown;
      while (refused === undefined) {
        assert.ok(opened.length < sessionsMax, 'no opening was refused');
        const root = join(rig.top, `work-${opened.length}`);
        next = root;
        mkdirSync(root);
        git(root, 'init', '-q');
        writeFileSync(join(root, 'f'), 'one');
        await open(root).then(
          ({ session }) => opened.push({ session, root }),
          (error: unknown) => (refused = error),
        );
      }
      const failure = await failureOf(Promise.reject(refused as Error));
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
