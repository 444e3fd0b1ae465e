// A program that repeatedly damages one file of a kept session and then uses the session in every way. Arguments:
// strategy, seed, first trial, number of trials. For each trial the program prints the damage and each defect as JSON.
// A defect is the death of the process, an InternalError, or a wrong answer without a report of damage. The program
// runs as a separate process, because a defect may end the process.
import {
  chmodSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { CheckpointdError } from '../../../src/base/errors.ts';
import { entriesBelow } from '../entries-below.ts';
import { InProcessDaemon, repository, write } from '../in-process-daemon.ts';
import { sql } from '../stores/sqlite.ts';
import { temporaryDirectory } from '../temporary.ts';

const [strategy = 'shadow', seedText = '1', firstText = '0', countText = '10'] = process.argv.slice(2);
const root = repository();
const top = temporaryDirectory('damage');
const storage = join(top, 'storage');
const saved = {
  storage: join(top, 'saved-storage'),
  git: join(top, 'saved-git'),
  work: join(top, 'saved-work'),
};

/** Returns random numbers below 1 that depend only on the seed and the trial. */
function randomOf(trial: number): () => number {
  let state = (Number(seedText) * 0x9e3779b1 + trial * 0x85ebca6b) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function filesBelow(directory: string): string[] {
  return entriesBelow(directory)
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

const theirs = new Set(filesBelow(join(root, '.git')));

async function makeSession(): Promise<void> {
  const daemon = new InProcessDaemon(storage);
  const { session } = await daemon.open(root, { strategy, conversationId: 'c', retention: 'keep' });
  const append = (content: string): Promise<unknown> =>
    daemon.call('conversation/append', { session, entry: { user: { content }, assistant: { content } } });
  write(root, { 'd/big': 'line of text\n'.repeat(9000), 'd/e/f.txt': '1\n' });
  chmodSync(join(root, 'd/e/f.txt'), 0o600);
  await append('eins');
  await daemon.call('checkpoint/create', { session, kind: 'turn', name: 'first', message: 'grüße' });
  write(root, { 'a.txt': '2\n' });
  await daemon.call('checkpoint/create', { session, kind: 'tool', toolName: 'fs_write' });
  await append('zwei');
  write(root, { 'a.txt': '3\n', 'new.txt': 'new\n' });
  await daemon.call('checkpoint/create', { session, kind: 'turn', message: 'two' });
  await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  await daemon.close();
}

/** Damages a file of the daemon. Returns a description of the damage. */
function damage(trial: number): string {
  const random = randomOf(trial);
  const below = (limit: number): number => Math.floor(random() * limit);
  const ours = [
    ...filesBelow(storage),
    ...(strategy === 'local' ? filesBelow(join(root, '.git')).filter((file) => !theirs.has(file)) : []),
  ].filter((file) => statSync(file).size > 0);
  ours.sort();
  // In half of the trials, each file is equally likely to be damaged. In the other half, each byte is equally likely to
  // be damaged. The first rule alone would damage almost only the many small files, and the second rule alone almost
  // only the single large database.
  let file = ours[below(ours.length)] ?? '';
  if (random() < 0.5) {
    let left = below(ours.reduce((sum, each) => sum + statSync(each).size, 0));
    file = ours.find((each) => (left -= statSync(each).size) < 0) ?? file;
  }
  const { size } = statSync(file);
  const at = below(size);
  const name = relative(file.startsWith(root) ? root : storage, file);
  chmodSync(file, 0o600);
  if (random() < 0.25) {
    const length = random() < 0.2 ? 0 : at;
    truncateSync(file, length);
    return `${name} cut to ${length} of ${size}`;
  }
  const bytes = readFileSync(file);
  const bit = below(8);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  writeFileSync(file, bytes);
  return `${name} bit ${bit} of byte ${at} of ${size}`;
}

function copyBack(): void {
  rmSync(storage, { recursive: true, force: true });
  cpSync(saved.storage, storage, { recursive: true, verbatimSymlinks: true });
  if (strategy === 'local') {
    rmSync(join(root, '.git'), { recursive: true });
    cpSync(saved.git, join(root, '.git'), { recursive: true });
  }
  for (const name of readdirSync(root)) if (name !== '.git') rmSync(join(root, name), { recursive: true });
  cpSync(saved.work, root, { recursive: true });
  write(root, { 'a.txt': 'present\n' });
}

const limitMs = 60_000;

interface Use {
  /** The reports of damage: errors, warnings, and problems that store/verify found. */
  readonly told: string[];
  /** The answers that damage must not change, keyed by step. */
  readonly answers: ReadonlyMap<string, string>;
}

/** The fields in which two equal answers may differ. */
const momentary = new Set(['bytes', 'ms', 'lastUsedAt', 'holder', 'capture', 'watch', 'timestamp', 'usage']);

function asText(answer: unknown): string {
  return JSON.stringify(answer, (name, value: unknown) => (momentary.has(name) ? undefined : value));
}

async function use(broken: string[]): Promise<Use> {
  const daemon = new InProcessDaemon(storage);
  const told: string[] = [];
  const answers = new Map<string, string>();
  let session = '';
  const attempt = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const slow = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
    });
    try {
      const answer: unknown = await Promise.race([work(), slow]);
      if (typeof answer !== 'object' || answer === null) return;
      answers.set(what, asText(answer));
      for (const field of ['problems', 'warnings', 'damaged'])
        if (field in answer && asText(answer[field as keyof typeof answer]) !== '[]')
          told.push(`${what}: ${field}`);
    } catch (error) {
      if (error instanceof CheckpointdError && error.kind !== 'InternalError')
        told.push(`${what}: ${error.kind}`);
      else broken.push(`${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    } finally {
      clearTimeout(timer);
    }
  };
  const workTree = (): Record<string, string> =>
    Object.fromEntries(
      filesBelow(root)
        .filter((file) => !file.startsWith(join(root, '.git')))
        .sort()
        .map((file) => [relative(root, file), readFileSync(file, 'latin1').slice(0, 30)]),
    );
  await attempt('session/list', () => daemon.call('session/list', {}));
  await attempt('session/open', async () => {
    const opened = await daemon.open(root, { strategy, conversationId: 'c', retention: 'keep' });
    ({ session } = opened);
    return opened;
  });
  if (session !== '') {
    await attempt('list', () => daemon.call('checkpoint/list', { session }));
    await attempt('diff', () =>
      daemon.call('checkpoint/diff', { session, from: '0', to: '2', format: 'unified' }),
    );
    await attempt('files', () => daemon.call('checkpoint/files', { session, tag: '1' }));
    await attempt('history', () => daemon.call('conversation/history', { session }));
    await attempt('conversation', () => daemon.call('conversation/get', { session }));
    await attempt('ledger', () => daemon.call('ledger/history', { session, path: 'a.txt' }));
    await attempt('verify', () => daemon.call('store/verify', { session }));
    const added = daemon.call('checkpoint/create', { session, kind: 'turn' });
    await attempt('create', () => added.then(({ checkpoint }) => ({ tag: checkpoint?.tag })));
    await attempt('restore', async () => {
      await daemon.call('checkpoint/restore', { session, tag: '1.1', mode: 'hard' });
      return workTree();
    });
    await attempt('undo', async () => {
      await daemon.call('checkpoint/undo', { session });
      return workTree();
    });
    await attempt('delete', async () => {
      await daemon.call('checkpoint/delete', { session, tag: '1.1' });
    });
    await attempt('gc', async () => {
      await daemon.call('store/gc', { session });
    });
    await attempt('close', async () => {
      await daemon.call('session/close', { session });
    });
  }
  await attempt('end', () => daemon.close());
  return { told, answers };
}

process.on('uncaughtException', (error) => {
  console.log(JSON.stringify({ broken: [`uncaught: ${error.stack ?? error.message}`] }));
  process.exit(3);
});

await makeSession();
// Moves the rows from the journal into the database itself. In the journal, SQLite's checksums would detect all damage.
if (strategy === 'sqlite') sql(storage, 'PRAGMA wal_checkpoint(TRUNCATE)');
cpSync(storage, saved.storage, { recursive: true, verbatimSymlinks: true });
if (strategy === 'local') cpSync(join(root, '.git'), saved.git, { recursive: true });
cpSync(root, saved.work, { recursive: true, filter: (path) => path !== join(root, '.git') });
/** Describes the first place at which two answers differ. */
function difference(answer: string, expected: string): string {
  let at = 0;
  while (at < expected.length && answer[at] === expected[at]) at += 1;
  at = Math.max(0, at - 40);
  return `…${answer.slice(at, at + 150)}… instead of …${expected.slice(at, at + 150)}…`;
}

copyBack();
const sound = await use([]);
if (sound.told.length > 0) throw new Error(`the undamaged session tells of damage: ${sound.told.join(', ')}`);
for (let trial = Number(firstText); trial < Number(firstText) + Number(countText); trial += 1) {
  copyBack();
  const broken: string[] = [];
  const damaged = damage(trial);
  process.stdout.write(`${JSON.stringify({ begins: trial, damaged })}\n`);
  const { told, answers } = await use(broken);
  for (const [step, answer] of told.length > 0 ? [] : answers)
    if (answer !== sound.answers.get(step))
      broken.push(`${step}: nothing told, and ${difference(answer, sound.answers.get(step) ?? '')}`);
  process.stdout.write(`${JSON.stringify({ trial, damaged, told, broken })}\n`);
}
