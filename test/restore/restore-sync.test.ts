// A restore saves copies of the files that it will replace. The copies must be on the disk before the work tree
// changes. When the note of the restore gets its name, the safety checkpoint has been synced completely. scripts/torture/ cuts
// the power for real.
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { type SessionRig, withSessions } from '../support/session-rig.ts';

const turn = { kind: 'turn' } as const;

/** Returns the files below a directory. */
function filesBelow(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

/**
 * Returns all files on which a safety checkpoint depends: objects, refs and rows, and the session's log, list of
 * checkpoints and marker.
 */
function vital(rig: SessionRig, session: string): string[] {
  const directory = join(rig.storage, session);
  const own = join(directory, 'checkpointd');
  const git = join(rig.work, '.git');
  return [
    ...['session.json', 'session.log', 'published.log', 'checkpoints-enabled'].map((name) => join(own, name)),
    ...filesBelow(join(directory, 'objects')),
    ...filesBelow(join(directory, 'refs')),
    ...filesBelow(join(git, 'objects')),
    ...filesBelow(join(git, 'refs', 'checkpointd')),
    join(rig.storage, 'checkpointd.sqlite-wal'),
  ].filter((file) => existsSync(file) && basename(file) !== 'alternates');
}

/** When a file is synced, records its length. When a directory is synced, records the names in it. */
class Syncs {
  readonly #rig: SessionRig;
  readonly #lengths = new Map<string, number>();
  readonly #names = new Map<string, ReadonlySet<string>>();
  #session: string | undefined;
  #found: string[] | undefined;

  constructor(rig: SessionRig) {
    this.#rig = rig;
    installFault((call, target) => {
      if (call === 'fsync') this.#note(`/proc/self/fd/${target}`);
      if (call === 'rename' && target.includes('/restore.json.')) this.#found ??= this.#unsynced();
    });
  }

  /** Returns the files of the safety checkpoint that were not synced when the note got its name. */
  async unsyncedAtIntent(session: string, work: () => Promise<unknown>): Promise<string[]> {
    this.#session = session;
    this.#found = undefined;
    await work();
    assert.ok(this.#found, 'an intent was written');
    return this.#found;
  }

  #note(path: string): void {
    const { isDirectory, id, size } = identityOf(path);
    if (isDirectory) this.#names.set(id, new Set(readdirSync(path).map((name) => nameIn(path, name))));
    else this.#lengths.set(id, size);
  }

  /**
   * Returns the files whose current length or name was not synced. A sync of a directory also syncs the names in the
   * directory.
   */
  #unsynced(): string[] {
    const open = vital(this.#rig, this.#session ?? '').filter((file) => {
      const { id, size } = identityOf(file);
      const names = this.#names.get(identityOf(dirname(file)).id);
      return this.#lengths.get(id) !== size || !names?.has(nameIn(dirname(file), basename(file)));
    });
    return open.map((path) => relative(this.#rig.top, path));
  }
}

function identityOf(path: string): { id: string; size: number; isDirectory: boolean } {
  const stats = statSync(path, { bigint: true });
  return { id: `${stats.dev}:${stats.ino}`, size: Number(stats.size), isDirectory: stats.isDirectory() };
}

/** Returns a name with the identity of its file. Therefore a name counts as new when another file is renamed to it. */
function nameIn(directory: string, name: string): string {
  const ino = lstatSync(join(directory, name), { bigint: true, throwIfNoEntry: false })?.ino;
  return `${name}:${String(ino)}`;
}

const withSyncs = (body: (rig: SessionRig, syncs: Syncs) => Promise<void>): Promise<void> =>
  withSessions(async (rig) => {
    try {
      await body(rig, new Syncs(rig));
    } finally {
      installFault(undefined);
    }
  });

for (const strategy of ['shadow', 'local', 'sqlite']) {
  test(`${strategy}: before a restore changes a file, it syncs the saved copies of the files that it will replace (F92)`, () =>
    withSyncs(async (rig, syncs) => {
      rig.write('a', 'one\n');
      rig.write('deep/er/b', 'one\n');
      const opened = await rig.request('session/open', {
        workspace: rig.work,
        strategy,
        conversationId: 'c',
        retention: 'keep',
      });
      const { session } = opened;
      const shape = async (): Promise<string[]> => {
        rig.write('a', 'never captured before\n');
        rig.write('deep/er/b', 'nor this\n');
        return syncs.unsyncedAtIntent(session, () =>
          rig.request('checkpoint/restore', { session, tag: '0', mode: 'hard' }),
        );
      };
      assert.equal(await shape(), [], 'in the daemon that made all of it');
      await rig.request('checkpoint/create', { session, ...turn });
      rig.write('deep/c', 'later\n');
      await rig.request('checkpoint/create', { session, ...turn });
      await rig.sessions.close(session, 'abrupt');
      await rig.request('session/open', {
        workspace: rig.work,
        strategy,
        conversationId: 'c',
        retention: 'keep',
      });
      assert.equal(await shape(), [], 'in the next one, of what the one before had made');
    }));
}

test('shadow: before a restore changes a file, it syncs many saved contents in one pack (F92)', () =>
  withSyncs(async (rig, syncs) => {
    for (let n = 0; n < 400; n += 1) rig.write(`many/${n}`, `first ${n}\n`);
    const { session } = await rig.request('session/open', { workspace: rig.work, conversationId: 'c' });
    for (let n = 0; n < 400; n += 1) rig.write(`many/${n}`, `second ${n}\n`);
    const restore = (): Promise<unknown> =>
      rig.request('checkpoint/restore', { session, tag: '0', mode: 'hard', confirm: true });
    assert.equal(await syncs.unsyncedAtIntent(session, restore), []);
    const packs = readdirSync(join(rig.storage, session, 'objects', 'pack'));
    assert.ok(packs.length > 0, 'they are in packs');
    assert.ok(statSync(join(rig.work, 'many/0')).size > 0);
  }));

for (const strategy of ['shadow', 'local', 'sqlite'] as const) {
  test(`${strategy}: with durability "power", a restore is answered only after all its files are synced`, () =>
    withSessions(async (rig) => {
      for (let n = 0; n < 20; n += 1) rig.write(`deep/${n}`, `${n} one\n`);
      const { session } = await rig.request('session/open', {
        workspace: rig.work,
        strategy,
        durability: 'power',
      });
      for (let n = 0; n < 20; n += 1) rig.write(`deep/${n}`, `${n} two\n`);
      rig.write('later', 'made since\n');
      const synced = new Set<string>();
      installFault((call, target) => {
        if (call === 'fsync') synced.add(identityOf(`/proc/self/fd/${target}`).id);
      });
      try {
        await rig.request('checkpoint/restore', { session, tag: '0', mode: 'hard', confirm: true });
        const written = ['deep', '.', ...Array.from({ length: 20 }, (_, n) => `deep/${n}`)];
        const open = written.filter((path) => !synced.has(identityOf(join(rig.work, path)).id));
        assert.equal(open, []);
        const inTree = new Set(written.map((path) => identityOf(join(rig.work, path)).id));
        synced.clear();
        await rig.request('session/close', { session });
        assert.equal(
          [...synced].filter((id) => inTree.has(id)),
          [],
          'nothing of it is synced later',
        );
      } finally {
        installFault(undefined);
      }
    }));
}

test('if the sync of a restore fails, the restore stops before it changes anything', () =>
  withSessions(async (rig) => {
    const session = await rig.open();
    rig.write('a', 'one\n');
    await rig.request('checkpoint/create', { session: session.id, ...turn });
    rig.write('a', 'two\n');
    let isFailing = true;
    installFault((call) => {
      if (call === 'fsync' && isFailing) throw Object.assign(new Error('EIO'), { code: 'EIO' });
    });
    try {
      await rig.request('checkpoint/restore', { session: session.id, tag: '1', mode: 'hard' });
      assert.unreachable('it is not on the disk');
    } catch (error) {
      const { kind, effects } = error as { kind?: string; effects?: string };
      assert.equal([kind, effects], ['RestoreFailed', 'none']);
    } finally {
      isFailing = false;
      installFault(undefined);
    }
    assert.is(rig.read('a'), 'two\n');
    assert.not.ok(existsSync(session.parts.directory.intentFile));
    const again = (): Promise<unknown> =>
      rig.request('checkpoint/restore', { session: session.id, tag: '1', mode: 'hard' });
    const syncs = new Syncs(rig);
    try {
      assert.equal(
        await syncs.unsyncedAtIntent(session.id, again),
        [],
        'what could not be synced is not forgotten',
      );
    } finally {
      installFault(undefined);
    }
    assert.is(rig.read('a'), 'one\n');
  }));

test.run();
