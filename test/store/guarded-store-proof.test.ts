// Tests contents and directories that were damaged in the store without the daemon's knowledge. On every strategy, the
// next capture replaces the damaged data by intact data, and its checkpoint can be restored.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../support/failures.ts';
import { git, InProcessDaemon, repository, write } from '../support/in-process-daemon.ts';
import { sql } from '../support/stores/sqlite.ts';

interface Kept {
  readonly daemon: InProcessDaemon;
  readonly root: string;
  readonly session: string;
}

const turn = { kind: 'turn' } as const;
const wanted = 'the content that is damaged\n'.repeat(40);
const large = 'a large one\n'.repeat(20_000);
const huge = 'a content of several chunks\n'.repeat(100_000);
const held = { 'd/a.txt': wanted, 'd/large.txt': large, 'd/huge.txt': huge };
const other = { 'd/a.txt': 'other\n', 'd/large.txt': 'other\n', 'd/huge.txt': 'other\n' };

/** Overwrites the middle of a file, even if its permission bits forbid this. */
function damage(file: string, at = (length: number): number => Math.floor(length / 2)): void {
  const bytes = readFileSync(file);
  const from = at(bytes.length);
  for (let i = from; i < Math.min(bytes.length, from + 8); i += 1) bytes[i] = (bytes[i] ?? 0) ^ 0xff;
  chmodSync(file, 0o600);
  writeFileSync(file, bytes);
}

const looseFile = (gitDir: string, id: string): string =>
  join(gitDir, 'objects', id.slice(0, 2), id.slice(2));
const shadowOf = ({ daemon, session }: Kept): string => join(daemon.storage, session);

/** Returns the ids that plain git reports for the contents and the directory of tag 1. */
function idsOf(gitDir: string, ref: string): string[] {
  return [...Object.keys(held), 'd'].map((path) => git(gitDir, 'rev-parse', `${ref}:${path}`).trim());
}

type Damage = (kept: Kept) => void;

const damages: Readonly<Record<string, Readonly<Record<string, Damage>>>> = {
  shadow: {
    'damage to loose objects': (kept) => {
      for (const id of idsOf(shadowOf(kept), '1')) damage(looseFile(shadowOf(kept), id));
    },
    'damage to packed objects': (kept) => {
      const gitDir = shadowOf(kept);
      const ids = idsOf(gitDir, '1');
      git(gitDir, 'repack', '-a', '-d', '-q', '--depth=0');
      const packs = join(gitDir, 'objects', 'pack');
      const name = readdirSync(packs).find((each) => each.endsWith('.idx')) ?? '';
      for (const line of git(gitDir, 'verify-pack', '-v', join(packs, name)).split('\n')) {
        const [id = '', , , , offset] = line.split(/ +/);
        if (ids.includes(id)) damage(join(packs, name.replace(/idx$/, 'pack')), () => Number(offset) + 6);
      }
    },
  },
  local: {
    'damage to loose objects': (kept) => {
      const gitDir = join(kept.root, '.git');
      const ids = idsOf(gitDir, `refs/checkpointd/${kept.session}/tags/1`);
      for (const id of ids) damage(looseFile(gitDir, id)); // the daemon's copy is a hard link to this file
    },
  },
  sqlite: {
    'damage to rows and chunks': ({ daemon }) => {
      const zeros = 'zeroblob(length(content))';
      sql(daemon.storage, `UPDATE checkpoint_blobs SET content = ${zeros} WHERE content IS NOT NULL`);
      sql(daemon.storage, `UPDATE checkpoint_blob_chunks SET content = ${zeros}`);
      sql(daemon.storage, `UPDATE checkpoint_chunks SET content = ${zeros}`);
    },
    'the loss of chunks': ({ daemon }) => void sql(daemon.storage, 'DELETE FROM checkpoint_blob_chunks'),
    'the loss of shared chunks': ({ daemon }) => void sql(daemon.storage, 'DELETE FROM checkpoint_chunks'),
  },
};

async function prepared(strategy: string): Promise<Kept> {
  const daemon = new InProcessDaemon();
  const root = repository();
  const { session } = await daemon.open(root, { strategy, conversationId: 'c', retention: 'keep' });
  write(root, held);
  await daemon.call('checkpoint/create', { session, ...turn });
  write(root, other);
  await daemon.call('checkpoint/create', { session, ...turn });
  return { daemon, root, session };
}

/**
 * Writes the original contents and makes another checkpoint. Checks that the checkpoint is reported as complete and can
 * be restored.
 */
async function assertMadeWhole({ daemon, root, session }: Kept): Promise<void> {
  write(root, held);
  const made = await daemon.call('checkpoint/create', { session, ...turn });
  assert.ok(made.complete);
  rmSync(join(root, 'd'), { recursive: true });
  const { failed } = await daemon.call('checkpoint/restore', {
    session,
    tag: made.checkpoint.id,
    mode: 'hard',
  });
  assert.equal(failed, []);
  for (const [path, content] of Object.entries(held))
    assert.is(readFileSync(join(root, path), 'utf8'), content, path);
}

for (const [strategy, kinds] of Object.entries(damages)) {
  for (const [what, harm] of Object.entries(kinds)) {
    test(`${strategy}: after ${what} between two runs, the next create stores the contents again`, async () => {
      const kept = await prepared(strategy);
      await kept.daemon.call('session/close', { session: kept.session });
      harm(kept);
      await kept.daemon.open(kept.root, { strategy, conversationId: 'c' });
      await assertMadeWhole(kept);
      await kept.daemon.close();
    });

    test(`${strategy}: after store/verify has reported ${what}, the next create stores the contents again`, async () => {
      const kept = await prepared(strategy);
      harm(kept);
      assert.not.ok((await kept.daemon.call('store/verify', { session: kept.session })).ok);
      await assertMadeWhole(kept);
      await kept.daemon.close();
    });
  }
}

test('local: if the user’s gc removed a content that the daemon relies on, only the first create fails', async () => {
  const { daemon, root, session } = await prepared('local');
  await daemon.call('checkpoint/delete', { session, tag: '1' });
  const kept = join(daemon.storage, session, 'local', 'kept');
  for (const name of readdirSync(kept)) rmSync(join(kept, name), { recursive: true });
  mkdirSync(join(kept, 'pack'));
  git(join(root, '.git'), 'gc', '-q', '--prune=now');
  write(root, held);
  const first = await failure(daemon.call('checkpoint/create', { session, ...turn }));
  assert.equal([first.kind, first.effects], ['DataCorrupt', 'none']);
  await daemon.call('checkpoint/create', { session, ...turn });
  write(root, other);
  await daemon.call('checkpoint/restore', { session, tag: '3', mode: 'hard' });
  assert.is(readFileSync(join(root, 'd/a.txt'), 'utf8'), wanted);
  await daemon.close();
});

test.run();
