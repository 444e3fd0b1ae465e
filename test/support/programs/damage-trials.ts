// A process that damages one file of a kept session, uses the session in every way, and says what came of it; over and
// over, on one strategy. Arguments: strategy, seed, first trial, number of trials. One line of JSON a trial: what was
// damaged, and what broke that should not have. It is a process of its own because a defect may end it.
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
import { InProcessDaemon, repository, write } from '../in-process-daemon.ts';
import { temporaryDirectory } from '../temporary.ts';

const [strategy = 'shadow', seedText = '1', firstText = '0', countText = '10'] = process.argv.slice(2);
const root = repository();
const top = temporaryDirectory('damage');
const storage = join(top, 'storage');
const saved = { storage: join(top, 'saved-storage'), git: join(top, 'saved-git') };

/** Random numbers below 1 that depend on the seed and the trial alone. */
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
  const all = readdirSync(directory, { recursive: true, withFileTypes: true });
  return all.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

const theirs = new Set(filesBelow(join(root, '.git')));

async function makeSession(): Promise<void> {
  const house = new InProcessDaemon(storage);
  const { session } = await house.open(root, { strategy, conversationId: 'c', retention: 'keep' });
  const append = (content: string): Promise<unknown> =>
    house.call('conversation/append', { session, entry: { user: { content }, assistant: { content } } });
  write(root, { 'd/big': 'line of text\n'.repeat(9000), 'd/e/f.txt': '1\n' });
  chmodSync(join(root, 'd/e/f.txt'), 0o600);
  await append('eins');
  await house.call('checkpoint/create', { session, kind: 'turn', name: 'first', message: 'grüße' });
  write(root, { 'a.txt': '2\n' });
  await house.call('checkpoint/create', { session, kind: 'tool', toolName: 'fs_write' });
  await append('zwei');
  write(root, { 'a.txt': '3\n', 'new.txt': 'new\n' });
  await house.call('checkpoint/create', { session, kind: 'turn', message: 'two' });
  await house.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  await house.close();
}

/** Damages one file of ours; returns what it did. */
function damage(trial: number): string {
  const random = randomOf(trial);
  const below = (limit: number): number => Math.floor(random() * limit);
  const ours = [
    ...filesBelow(storage),
    ...(strategy === 'local' ? filesBelow(join(root, '.git')).filter((file) => !theirs.has(file)) : []),
  ].filter((file) => statSync(file).size > 0);
  ours.sort();
  // Half of the trials by file and half by byte: else the one database, or the many small files, would get them all.
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

function putBack(): void {
  rmSync(storage, { recursive: true, force: true });
  cpSync(saved.storage, storage, { recursive: true, verbatimSymlinks: true });
  if (strategy === 'local') {
    rmSync(join(root, '.git'), { recursive: true });
    cpSync(saved.git, join(root, '.git'), { recursive: true });
  }
  write(root, { 'a.txt': 'present\n' });
}

const limitMs = 60_000;

async function use(broken: string[]): Promise<string[]> {
  const house = new InProcessDaemon(storage);
  const kinds: string[] = [];
  let session = '';
  const attempt = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const slow = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
    });
    try {
      await Promise.race([work(), slow]);
    } catch (error) {
      if (error instanceof CheckpointdError && error.kind !== 'InternalError')
        kinds.push(`${what}: ${error.kind}`);
      else broken.push(`${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    } finally {
      clearTimeout(timer);
    }
  };
  await attempt('session/list', () => house.call('session/list', {}));
  await attempt('session/open', async () => {
    ({ session } = await house.open(root, { strategy, conversationId: 'c', retention: 'keep' }));
  });
  if (session !== '') {
    await attempt('list', () => house.call('checkpoint/list', { session }));
    await attempt('diff', () =>
      house.call('checkpoint/diff', { session, from: '0', to: '2', format: 'unified' }),
    );
    await attempt('files', () => house.call('checkpoint/files', { session, tag: '1' }));
    await attempt('history', () => house.call('conversation/history', { session }));
    await attempt('verify', () => house.call('store/verify', { session }));
    await attempt('create', () => house.call('checkpoint/create', { session, kind: 'turn' }));
    await attempt('restore', () => house.call('checkpoint/restore', { session, tag: '1.1', mode: 'hard' }));
    await attempt('undo', () => house.call('checkpoint/undo', { session }));
    await attempt('delete', () => house.call('checkpoint/delete', { session, tag: '1.1' }));
    await attempt('gc', () => house.call('store/gc', { session }));
    await attempt('close', () => house.call('session/close', { session }));
  }
  await attempt('end', () => house.close());
  return kinds;
}

process.on('uncaughtException', (error) => {
  console.log(JSON.stringify({ broken: [`uncaught: ${error.stack ?? error.message}`] }));
  process.exit(3);
});

await makeSession();
cpSync(storage, saved.storage, { recursive: true, verbatimSymlinks: true });
if (strategy === 'local') cpSync(join(root, '.git'), saved.git, { recursive: true });
for (let trial = Number(firstText); trial < Number(firstText) + Number(countText); trial += 1) {
  putBack();
  const broken: string[] = [];
  const damaged = damage(trial);
  process.stdout.write(`${JSON.stringify({ begins: trial, damaged })}\n`);
  const kinds = await use(broken);
  process.stdout.write(`${JSON.stringify({ trial, damaged, kinds, broken })}\n`);
}
