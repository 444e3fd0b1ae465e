// The faults of the examples in protocol.json. Some faults are set in the seam of a daemon. Such a daemon runs as
// test/support/programs/faulty-daemon.ts, and reads the name of the fault from a file. Other faults change the
// surroundings: a missing git, another daemon, a lock that is taken, a damaged store. This module checks no results.
import { linkSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../scripts/conformance/match.ts';
import { databaseFile } from '../../src/store/sqlite/sqlite-store.ts';
import { frameOf } from '../support/frames.ts';
import { rewriteRecord } from '../support/stores/rewritten-record.ts';
import {
  another,
  breakRestore,
  changeLog,
  damage,
  fileOf,
  holdWorkTree,
  keptSession,
  slow,
  switchSeam,
} from './example-surroundings.ts';
import type { World } from './example-world.ts';

export interface WorldFault {
  /** Runs before the surroundings of the example are made. If a fault has `early`, the example gets its own daemon. */
  readonly early?: (world: World) => Promise<void> | void;
  /** Runs right before the request of the example, or as a step. */
  readonly make?: (world: World) => Promise<void> | void;
  /** Gets the id of the request. Returns frames that are sent together with the request in one write. */
  readonly behind?: (id: number) => readonly object[];
  /** The environment of the daemon. */
  readonly env?: NodeJS.ProcessEnv;
}

const seam = (name: string): WorldFault => ({ make: ({ host }) => switchSeam(host, name) });

/** A long text that needs six bytes per character in JSON. */
const control = '\u0001'.repeat(99_999);

/** Every fault that an example may name. */
export const worldFaults: Readonly<Record<string, WorldFault>> = {
  captureSlow: { make: slow },
  noSpace: seam('noSpace'),
  readOnlyStore: seam('readOnlyStore'),
  storeUnavailable: seam('storeUnavailable'),
  fewDescriptors: seam('fewDescriptors'),
  workTreeUnreadable: seam('workTreeUnreadable'),
  defect: seam('workTreeDefect'),
  restoreFailed: seam('restoreFailed'),
  gitMissing: { early: ({ host }) => rmSync(join(host.directory, 'bin', 'git')) },
  gitTooOld: { early: ({ host }) => writeFileSync(join(host.directory, 'git-mode'), 'gitTooOld\n') },
  gitFailed: { early: ({ host }) => writeFileSync(join(host.directory, 'git-mode'), 'gitFailed\n') },
  cancelled: { behind: (id) => [{ jsonrpc: '2.0', method: '$/cancelRequest', params: { id } }] },
  ending: {
    early: () => undefined,
    make: slow,
    behind: () => [{ jsonrpc: '2.0', id: 'ending', method: 'shutdown', params: {} }],
  },
  /** Sends 64 requests that wait for a restore. The restore waits until the work tree is unlocked. */
  serverBusy: {
    early: () => undefined,
    async make(world) {
      const session = await keptSession(world, { conversationId: 'busy' });
      await holdWorkTree(world);
      writeFileSync(join(world.workspace, 'src/a.txt'), 'changed\n');
      const method = 'checkpoint/restore';
      for (let i = 0; i < 64; i += 1)
        world.host.client.write(
          frameOf({ jsonrpc: '2.0', id: `busy-${i}`, method, params: { session, tag: '0' } }),
        );
    },
  },
  captureTimedOut: {
    async make(world) {
      const limits = { initTimeoutMs: 100 };
      const open = { workspace: world.workspace, conversationId: 'slow', limits };
      world.names.values.session = ((await world.request('session/open', open)) as Json).session;
      slow(world);
    },
  },
  workTreeBusy: { make: holdWorkTree },
  /** The session has an unfinished restore while another session makes a restore. */
  recoveryBusy: {
    async make(world) {
      await breakRestore(world, world.host.client, world.names.values.session, 'restoreHalfway');
      await holdWorkTree(world);
    },
  },
  interruptedRestore: {
    async make(world) {
      const other = await another(world);
      const open = { workspace: world.workspace, conversationId: 'example', retention: 'keep' } as const;
      const { session } = await other.request('session/open', open);
      await breakRestore(world, other, session, 'killedRestore');
      await other.exit();
    },
  },
  interruptedAndBusy: {
    async make(world) {
      await worldFaults.interruptedRestore?.make?.(world);
      await holdWorkTree(world);
    },
  },
  storeBusy: {
    async make(world) {
      const other = await another(world);
      const conversationId = world.names.values.session === undefined ? 'example' : 'elsewhere';
      const open = { workspace: world.workspace, conversationId, retention: 'keep' } as const;
      world.names.values.session = (await other.request('session/open', open)).session;
    },
  },
  /** Makes a session and writes to its database as another program would. */
  databaseLocked: {
    async make(world) {
      const session = await keptSession(world, { strategy: 'sqlite', conversationId: 'locked' });
      world.names.values.session = session;
      const { default: Database } = await import('libsql');
      const database = new Database(databaseFile(join(world.host.storage, 'checkpointd')));
      database.exec('BEGIN IMMEDIATE');
      world.after(() => database.close());
    },
  },
  storeVersion: {
    make: (world) =>
      changeLog(world, (file) => {
        const text = readFileSync(file, 'latin1');
        writeFileSync(
          file,
          text.replace(/^checkpointd session log \d+/, 'checkpointd session log 9'),
          'latin1',
        );
      }),
  },
  /** Makes a kept session in the format of a later version of checkpointd. */
  laterFormat: {
    async make(world) {
      const session = await keptSession(world, { conversationId: 'later' });
      await world.request('session/close', { session });
      rewriteRecord(fileOf(world, session, 'checkpointd/session.json'), (marker) => ({
        ...marker,
        format: 99,
      }));
      world.names.values.session = session;
    },
  },
  storeCorrupt: { make: (world) => changeLog(world, (file) => writeFileSync(file, 'What is this?\n')) },
  logCut: {
    async make(world) {
      const session = await keptSession(world, { conversationId: 'cut' });
      const entry = { user: { content: 'u' }, assistant: { content: 'a' } };
      await world.request('conversation/append', { session, entry });
      await world.request('checkpoint/create', { session, kind: 'turn' });
      await world.request('checkpoint/restore', { session, tag: '0' });
      await world.request('session/close', { session });
      const file = fileOf(world, session, 'checkpointd/session.log');
      truncateSync(file, readFileSync(file).indexOf(0x0a) + 1);
      world.names.values.session = await keptSession(world, { conversationId: 'cut' });
    },
  },
  /** The session has checkpoints from an earlier run. The session is opened with checkpoints disabled. */
  keptNotEnabled: {
    async make(world) {
      const open = { conversationId: 'kept' };
      const session = await keptSession(world, open);
      await world.request('session/close', { session });
      world.names.values.session = await keptSession(world, { ...open, init: 'never' });
    },
  },
  dataCorrupt: { make: (world) => damage(world, (type, text) => type === 'blob' && text === 'one\n') },
  contentsCorrupt: {
    make: (world) => damage(world, (type, text) => type === 'blob' && text.startsWith('one\n')),
  },
  /** Damages directories of two checkpoints that no process has in memory. */
  treeCorrupt: {
    async make(world) {
      const session = await keptSession(world, { conversationId: 'damaged' });
      for (const text of ['two\n', 'three\n']) {
        writeFileSync(join(world.workspace, 'src/a.txt'), text);
        await world.request('checkpoint/create', { session, kind: 'turn' });
      }
      await world.request('session/close', { session });
      world.names.values.session = await keptSession(world, { conversationId: 'damaged' });
      damage(world, (type) => type === 'tree');
    },
  },
  strategyMissing: {
    early: () => undefined,
    env: {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
        "import Module from 'node:module'; const load = Module._load; Module._load = (name, ...rest) => { if (name === 'libsql') throw Object.assign(new Error('no libsql'), { code: 'MODULE_NOT_FOUND' }); return load(name, ...rest); };",
      )}`,
    },
    async make(world) {
      world.names.values.session = await keptSession(world, { strategy: 'sqlite', init: 'never' });
    },
  },
  largeChange: {
    make: (world) => {
      for (let i = 0; i < 130; i += 1) writeFileSync(join(world.workspace, `large-${i}.txt`), `${control}\n`);
    },
  },
  longConversation: {
    async make(world) {
      const { session } = world.names.values;
      const message = control + control + control + control;
      const entry = {
        user: { content: message.slice(0, 399_000) },
        assistant: { content: message.slice(0, 399_000) },
      };
      for (let i = 0; i < 15; i += 1) await world.request('conversation/append', { session, entry });
    },
  },
  /**
   * Writes a file through a hard link outside the work tree. The kernel reports the write only in the directory of this
   * link. On a busy machine the watcher may lose events, and the daemon then reports no drift. Therefore the write is
   * repeated if needed.
   */
  drift: {
    async make(world) {
      const elsewhere = join(String(world.names.values.outside), 'same-file.txt');
      const create = { session: world.names.values.session, kind: 'turn' };
      linkSync(join(world.workspace, 'src/a.txt'), elsewhere);
      for (let i = 0; i < 5; i += 1) {
        await world.request('checkpoint/create', create);
        writeFileSync(elsewhere, `one\n${i}\n`);
        await world.request('checkpoint/create', create);
        if (await world.event(({ method }) => method === 'worktree/didDrift')) return;
      }
    },
  },
  manyPaths: {
    async make(world) {
      const paths = Array.from({ length: 1000 }, (_, i) => `context/${i}.txt`);
      await world.request('conversation/addContext', { session: world.names.values.session, paths });
    },
  },
};
