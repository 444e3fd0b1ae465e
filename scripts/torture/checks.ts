// Sends all requests that read checkpoints, and compares the answers with the files of which the checkpoints were made.
import type { DiffFile, DiffFormat } from '../../src/protocol/types.ts';
import type { Episode } from './episode.ts';
import { isSame, type Manifest, nameOf, type PathRef } from './manifest.ts';
import { type Listed, list } from './oracle.ts';
import { Defect } from './tally.ts';

const formats: readonly DiffFormat[] = ['nameStatus', 'stat', 'unified', 'contents', 'text'];

interface Recorded extends Listed {
  readonly seq: number;
  readonly timestamp: string;
  readonly parent?: string;
  readonly previousTag?: string;
  readonly snapshot?: string;
}

interface ListedFile extends PathRef {
  readonly change?: string;
  readonly size: number;
  readonly mode: string;
}

/** Checks every checkpoint. @throws Defect when a checkpoint's record, details or diffs do not match its files */
export async function checkAll(episode: Episode): Promise<void> {
  const { seat, oracle } = episode;
  const all = (await list(seat)) as Recorded[];
  if (all.length === 0) return;
  assertOrder(all);
  assertOneSnapshotEach(episode, all);
  for (const each of all) await checkOne(episode, each, all);
  await seat.read('checkpoint/list');
  await seat.read('checkpoint/hasChanges');
  const [from, to] = all.filter(({ id }) => oracle.targetOf(seat, id) !== undefined).slice(-2);
  await seat.read('checkpoint/diff', { format: 'unified' });
  if (from === undefined || to === undefined) return;
  for (const format of formats) {
    const between = { from: from.id, to: to.id, format };
    const { files } = await seat.read<{ files: DiffFile[] }>('checkpoint/diff', between);
    const [one, other] = [oracle.targetOf(seat, from.id), oracle.targetOf(seat, to.id)];
    if (one !== undefined && other !== undefined) assertDifference(one, other, files, format);
  }
}

function assertOrder(all: readonly Recorded[]): void {
  all.forEach(({ seq, timestamp }, i) => {
    const before = all[i - 1];
    if (before !== undefined && (before.seq >= seq || before.timestamp > timestamp))
      throw new Defect(`checkpoint/list: ${timestamp} (${seq}) after ${before.timestamp} (${before.seq})`);
  });
}

/** Checks that two checkpoints have the same snapshot if and only if they have the same files. */
function assertOneSnapshotEach({ seat, oracle }: Episode, all: readonly Recorded[]): void {
  const byFiles = new Map<string, string | undefined>();
  const bySnapshot = new Map<string | undefined, string>();
  for (const { id, snapshot } of all) {
    const claim = oracle.targetOf(seat, id);
    if (claim === undefined) continue;
    const files = JSON.stringify([...claim].sort(([a], [b]) => (a < b ? -1 : 1)));
    if ((byFiles.get(files) ?? snapshot) !== snapshot || (bySnapshot.get(snapshot) ?? files) !== files)
      throw new Defect(
        `${id}: the snapshot ${snapshot} does not agree with a checkpoint whose files or whose snapshot are the same`,
      );
    byFiles.set(files, snapshot);
    bySnapshot.set(snapshot, files);
  }
}

async function checkOne(episode: Episode, one: Recorded, all: readonly Recorded[]): Promise<void> {
  const { seat, oracle, messages } = episode;
  const got = await seat.read<{ message?: string }>('checkpoint/get', { tag: one.id });
  const message = messages.get(one.id);
  if (message !== undefined && got.message !== message)
    throw new Defect(`${one.id}: the message is ${got.message}, not ${message}`);
  await seat.read('checkpoint/stats', { tag: one.id });
  type Files = { fileCount: number; totalSize: number; files: ListedFile[] };
  const { fileCount, totalSize, files } = await seat.read<Files>('checkpoint/files', { tag: one.id });
  const sum = files.reduce((sizes, { size }) => sizes + size, 0);
  if (fileCount !== files.length || totalSize !== sum)
    throw new Defect(
      `${one.id}: the answer counts ${fileCount} files of ${totalSize} bytes, but lists ${files.length} files of ${sum} bytes`,
    );
  const previous = all.find(({ tag }) => tag !== undefined && tag === one.previousTag);
  const [was, is] = [previous && oracle.targetOf(seat, previous.id), oracle.targetOf(seat, one.id)];
  if (was === undefined || is === undefined || previous === one) return;
  const changed = await seat.read<Files>('checkpoint/files', { tag: one.id, changedOnly: true });
  const kinds = changed.files.map(
    (file) => `${nameOf(file)}: ${file.change?.replace('typeChanged', 'modified')}`,
  );
  const right = changesOf(was, is);
  if (kinds.sort().join('\n') !== right.join('\n'))
    throw new Defect(`${one.id}: changed ${JSON.stringify(kinds)}, not ${JSON.stringify(right)}`);
}

function changesOf(was: Manifest, is: Manifest): string[] {
  const paths = [...new Set([...was.keys(), ...is.keys()])].filter(
    (path) => !isSame(was.get(path), is.get(path)),
  );
  return paths
    .map((path) => `${path}: ${was.has(path) ? (is.has(path) ? 'modified' : 'deleted') : 'added'}`)
    .sort();
}

/**
 * Checks that a diff names every added and removed path. If a file exists on one side only, the diff must show contents
 * for this side and none for the other side. A renamed file counts as two files.
 */
function assertDifference(
  one: Manifest,
  other: Manifest,
  files: readonly DiffFile[],
  format: DiffFormat,
): void {
  const named: string[] = [];
  for (const file of files) {
    const { change, oldPath, oldPathBytes } = file;
    if (
      (change === 'added' && file.before !== undefined) ||
      (change === 'deleted' && file.after !== undefined)
    )
      throw new Defect(`checkpoint/diff ${format}: ${nameOf(file)} is ${change}, but has both sides`);
    if (change === 'deleted') named.push(`${nameOf(file)}: deleted`);
    else if (change !== 'modified' && change !== 'typeChanged') named.push(`${nameOf(file)}: added`);
    if (change === 'renamed' && oldPath !== undefined) {
      const old = { path: oldPath, ...(oldPathBytes === undefined ? {} : { pathBytes: oldPathBytes }) };
      named.push(`${nameOf(old)}: deleted`);
    }
  }
  const right = changesOf(one, other).filter((line) => !line.endsWith(': modified'));
  if (named.sort().join('\n') !== right.join('\n'))
    throw new Defect(`checkpoint/diff ${format}: ${JSON.stringify(named)}, not ${JSON.stringify(right)}`);
}
