// The adapters for agents compile as in a user's project. With a real daemon, the adapters behave like the agents' own
// classes.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repository } from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const place = temporaryDirectory('adapters');

/** The calls of Roo Code, under the names that Roo Code uses. */
const usage = `
import { ShadowCheckpointService, type CheckpointEventMap } from './roo-code.ts';
import CheckpointTracker from './cline.ts';
export async function roo(service: ShadowCheckpointService): Promise<string | undefined> {
  service.once('initialize', ({ created, duration, baseHash }) => void [created, duration, baseHash]);
  service.on('checkpoint', ({ fromHash: from, toHash: to, suppressMessage }) => void [from, to, suppressMessage]);
  service.on('error', (data: CheckpointEventMap['error']) => void data.error.message);
  await service.initShadowGit(async () => undefined);
  const diff = await service.getDiff({ from: service.baseHash ?? '' });
  diff.map(({ paths, content }) => [paths.relative, paths.absolute, content.before, content.after]);
  return (await service.saveCheckpoint('x', { allowEmpty: true, suppressMessage: true }))?.commit;
}
export async function cline(): Promise<number | undefined> {
  const tracker = await CheckpointTracker.create('1', '/storage', '/work');
  const hash = await tracker?.commit();
  return hash === undefined ? 0 : tracker?.getDiffCount(hash);
}
// @ts-expect-error a hash is text
export const wrong = (service: ShadowCheckpointService) => service.restoreCheckpoint(1);
`;

interface RooService {
  readonly baseHash: string | undefined;
  readonly isInitialized: boolean;
  on(event: string, listener: (data: object) => void): void;
  getCheckpoints(): string[];
  initShadowGit(): Promise<{ created: boolean }>;
  saveCheckpoint(message: string, options?: object): Promise<{ commit: string } | undefined>;
  restoreCheckpoint(hash: string): Promise<void>;
  getDiff(range: object): Promise<{ paths: { relative: string }; content: object }[]>;
  dispose(): Promise<void>;
}

interface ClineTracker {
  commit(): Promise<string | undefined>;
  resetHead(hash: string): Promise<void>;
  getDiffSet(from: string, to?: string): Promise<{ relativePath: string; before: string; after: string }[]>;
  getDiffCount(from: string, to?: string): Promise<number>;
  dispose(): Promise<void>;
}

function compiled(): void {
  mkdirSync(join(place, 'node_modules'));
  symlinkSync(root, join(place, 'node_modules', 'checkpointd'), 'junction');
  writeFileSync(join(place, 'package.json'), '{ "type": "module" }');
  for (const name of ['task-session', 'roo-code', 'cline'])
    writeFileSync(
      join(place, `${name}.ts`),
      readFileSync(join(root, 'protocol/clients/agents', `${name}.ts`), 'utf8'),
    );
  writeFileSync(join(place, 'usage.ts'), usage);
  const options = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2023,esnext.disposable',
    '--rewriteRelativeImportExtensions',
    '--types',
    'node',
    '--typeRoots',
    join(root, 'node_modules/@types'),
  ];
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), ...options, 'usage.ts'],
    { cwd: place, encoding: 'utf8' },
  );
  assert.is(status, 0, stdout);
}

const load = async <T>(name: string): Promise<T> =>
  (await import(pathToFileURL(join(place, `${name}.js`)).href)) as T;

const read = (work: string, name: string): string | undefined => {
  const file = join(work, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
};

test('the adapters for agents compile, and using an adapter wrongly is a compiler error', compiled);

test("our adapter for Roo Code can save, compare, restore and resume a task, and sends the events of Roo Code's service", async () => {
  const { ShadowCheckpointService: Service } = await load<{
    ShadowCheckpointService: {
      new (...words: unknown[]): unknown;
      create(options: object): RooService;
      deleteTask(task: object): Promise<void>;
    };
  }>('roo-code');
  const work = repository();
  const shadowDir = temporaryDirectory('roo');
  const options = { taskId: 'task-1', workspaceDir: work, shadowDir };
  const service = Service.create(options);
  const told: string[] = [];
  for (const event of ['initialize', 'checkpoint', 'restore', 'error'])
    service.on(event, (data) => told.push((data as { type: string }).type));
  assert.is(service.isInitialized, false);
  assert.is((await service.initShadowGit()).created, true);
  writeFileSync(join(work, 'a.txt'), 'one\n');
  const first = await service.saveCheckpoint('first');
  assert.is(await service.saveCheckpoint('nothing'), undefined);
  writeFileSync(join(work, 'a.txt'), 'two\n');
  writeFileSync(join(work, 'later.txt'), 'later\n');
  const [change] = await service.getDiff({ from: first?.commit });
  assert.equal(change?.content, { before: 'one\n', after: 'two\n' });
  await service.restoreCheckpoint(first?.commit ?? '');
  assert.equal([read(work, 'a.txt'), read(work, 'later.txt')], ['one\n', undefined]);
  assert.equal(told, ['initialize', 'checkpoint', 'restore']);
  await service.restoreCheckpoint('ckpt_nonsense').then(
    () => assert.unreachable('an unknown hash'),
    () => undefined,
  );
  assert.is(told.at(-1), 'error');
  const { baseHash } = service;
  await service.dispose();

  const again = Service.create(options);
  assert.is((await again.initShadowGit()).created, false);
  assert.is(again.baseHash, baseHash);
  assert.is(again.getCheckpoints()[0], first?.commit);
  await again.dispose();
  await Service.deleteTask({ taskId: 'task-1', globalStorageDir: shadowDir, workspaceDir: work });
  const anew = Service.create(options);
  assert.is((await anew.initShadowGit()).created, true);
  await anew.dispose();
});

test("our adapter for Cline can commit, compare and reset, as Cline's own tracker does", async () => {
  const { default: Tracker } = await load<{
    default: { create(...words: unknown[]): Promise<ClineTracker | undefined> };
  }>('cline');
  const work = repository();
  const storage = temporaryDirectory('cline');
  assert.is(await Tracker.create('1', storage, work, false), undefined);
  const tracker = await Tracker.create('1', storage, work);
  assert.ok(tracker !== undefined);
  writeFileSync(join(work, 'a.txt'), 'one\n');
  const first = (await tracker.commit()) ?? '';
  writeFileSync(join(work, 'a.txt'), 'two\n');
  writeFileSync(join(work, 'later.txt'), 'later\n');
  const second = (await tracker.commit()) ?? '';
  assert.is(await tracker.getDiffCount(first, second), 2);
  const [change] = await tracker.getDiffSet(`HEAD ${first}`);
  assert.equal([change?.relativePath, change?.before, change?.after], ['a.txt', 'one\n', 'two\n']);
  await tracker.resetHead(`HEAD ${first}`);
  assert.equal([read(work, 'a.txt'), read(work, 'later.txt')], ['one\n', undefined]);
  await tracker.dispose();
});

test.run();
