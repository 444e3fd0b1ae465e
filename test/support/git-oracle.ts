// Runs plain git in a clean environment, for comparison with a store. Also stores small snapshots as a capture would.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobId, SnapshotId } from '../../src/base/ids.ts';
import { installFault } from '../../src/base/seam.ts';
import type { SnapshotWriter } from '../../src/capture/snapshot-sink.ts';
import type { CheckpointRecord, SnapshotStore, StoreOptions } from '../../src/store/snapshot-store.ts';
import type { Directory, EntryMode } from '../../src/tree/tree.ts';
import type { TreePath } from '../../src/tree/tree-path.ts';
import { inReusedMemory } from './trees/snapshots.ts';

/** Runs git in `cwd` as a user without any settings. Throws git's message when git fails. */
export function git(cwd: string, ...args: string[]): string {
  return gitBytes(cwd, ...args).toString('utf8');
}

export function gitBytes(cwd: string, ...args: string[]): Buffer {
  const result = spawnSync('git', args, {
    cwd,
    maxBuffer: 1 << 28,
    env: {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'T',
      GIT_AUTHOR_EMAIL: 't@t',
      GIT_COMMITTER_NAME: 'T',
      GIT_COMMITTER_EMAIL: 't@t',
      LC_ALL: 'C',
    },
  });
  if (result.status !== 0) throw new Error(`git ${args.join(' ')}: ${result.stderr.toString()}`);
  return result.stdout;
}

/** Runs `body` with a new directory and removes it afterwards. */
export async function inTemporary(body: (directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'checkpointd-test-'));
  try {
    await body(directory);
  } finally {
    installFault(undefined);
    rmSync(directory, { recursive: true, force: true });
  }
}

export function storeOptions(directory: string, more: Partial<StoreOptions> = {}): StoreOptions {
  return {
    session: 'ses_test',
    sessionDirectory: join(directory, 'session'),
    storageDirectory: directory,
    workTree: join(directory, 'work'),
    conversationId: 'conversation',
    durability: 'process',
    ...more,
  };
}

/** A file of a test's tree. Paths are strings of latin1 bytes. */
export interface TestFile {
  readonly bytes: Uint8Array;
  readonly mode?: EntryMode;
  readonly permissions?: number;
}

/** Stores a whole tree, as a capture does. */
export async function capture(
  store: SnapshotStore,
  tree: Readonly<Record<string, TestFile | string>>,
): Promise<{ snapshot: SnapshotId; root: Directory }> {
  const writer = store.writer();
  try {
    return await captureWith(writer, store, tree);
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

async function captureWith(
  writer: SnapshotWriter,
  store: SnapshotStore,
  tree: Readonly<Record<string, TestFile | string>>,
): Promise<{ snapshot: SnapshotId; root: Directory }> {
  const root: Directory = { entries: new Map() };
  for (const [path, value] of Object.entries(tree)) {
    const file: TestFile = typeof value === 'string' ? { bytes: Buffer.from(value) } : value;
    const hash = store.hash(file.bytes.length);
    hash.update(file.bytes);
    const blob = hash.digest();
    await writer.addBlob(blob, inReusedMemory(file.bytes));
    const parts = path.split('/');
    const name = parts.pop() ?? '';
    let at = root;
    for (const part of parts) {
      const next = at.entries.get(part) ?? { entries: new Map() };
      if (!('entries' in next)) throw new Error(`${part} is a file and a directory`);
      at.entries.set(part, next);
      at = next;
    }
    const permissions = file.permissions === undefined ? {} : { permissions: file.permissions };
    at.entries.set(name, { mode: file.mode ?? '100644', blob, ...permissions });
  }
  return { snapshot: await writer.seal(root), root };
}

export async function readAll(store: SnapshotStore, blob: BlobId): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.read(blob)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Reads the contents of a snapshot from the store, by path. */
export async function contents(store: SnapshotStore, snapshot: SnapshotId): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { path, blob } of await store.entries(snapshot)) {
    found[path] = (await readAll(store, blob)).toString('latin1');
  }
  return found;
}

export function record(
  seq: number,
  snapshot: SnapshotId,
  more: Partial<CheckpointRecord> = {},
): CheckpointRecord {
  const id = `ckpt_${createHash('sha1').update(String(seq)).digest('hex').slice(0, 20)}`;
  return {
    id: id as CheckpointRecord['id'],
    seq,
    timestamp: new Date(1_700_000_000_000 + seq * 1000).toISOString(),
    kind: 'turn',
    description: `Turn ${seq}`,
    message: '',
    snapshot,
    conversation: seq,
    logLength: seq,
    historyLength: seq,
    currentTurn: seq,
    toolsInTurn: 0,
    skipped: [],
    ...more,
  };
}

export const path = (text: string): TreePath => text as TreePath;
