// A real day with the daemon, on a throw-away clone of a real repository: `npm start [-- path] [-- --verbose]`.
// The repository at the given path (default: this one) is cloned and never touched. Prints what a person wants to
// see; with --verbose also every frame that goes over the wire.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Checkpoint, CheckpointdClient } from '../src/client/client.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values: flags, positionals } = parseArgs({
  options: {
    verbose: { type: 'boolean', short: 'v', default: false },
    help: { type: 'boolean', short: 'h', default: false },
    tap: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
if (flags.help) {
  console.log(
    'npm start [-- path/to/repo] [-- --verbose]\n\nTakes the daemon through a day on a throw-away clone of the repository at the path.',
  );
  process.exit(0);
}
const source = resolve(positionals[0] ?? root);
const scratch = mkdtempSync(join(tmpdir(), 'checkpointd-demo-'));
const clone = join(scratch, basename(source) || 'repository');
const storage = join(scratch, 'storage');
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));

const bold = (text: string): string => (process.stdout.isTTY ? `\x1b[1m${text}\x1b[0m` : text);
function step(text: string): void {
  console.log(`\n${bold(text)}`);
}
function say(text: string): void {
  console.log(`  ${text}`);
}
function git(...args: string[]): string {
  return execFileSync('git', ['-C', clone, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

/** Every file of the work tree but .git, with kind, permission bits and content: what "exactly as before" means. */
function fingerprint(directory: string): string {
  const hash = createHash('sha256');
  const visit = (path: string): void => {
    for (const name of readdirSync(path, { encoding: 'latin1' }).sort()) {
      if (name === '.git') continue;
      const child = join(path, name);
      const bytes = Buffer.from(child, 'latin1');
      const stat = lstatSync(bytes);
      hash.update(`${child.slice(directory.length)}\0${stat.isDirectory() ? 'd' : stat.mode}\0`);
      if (stat.isDirectory()) visit(child);
      else
        hash.update(
          stat.isSymbolicLink() ? readlinkSync(bytes, { encoding: 'buffer' }) : readFileSync(bytes),
        );
    }
  };
  visit(directory);
  return hash.digest('hex');
}

/** What git says of the user's repository; the daemon must not change a letter of it. */
function repositoryState(): string {
  const index = createHash('sha256')
    .update(readFileSync(join(clone, '.git', 'index')))
    .digest('hex');
  return [git('rev-parse', 'HEAD'), git('for-each-ref'), git('stash', 'list'), index].join('\n');
}

function line({ tag, description, stats }: Checkpoint): string {
  const parts = [
    stats.added && `+${stats.added}`,
    stats.modified && `~${stats.modified}`,
    stats.deleted && `-${stats.deleted}`,
  ];
  return `[${tag ?? '—'}] ${description}  ${parts.filter(Boolean).join(' ')}`;
}

async function main(): Promise<void> {
  step(`A throw-away clone of ${source}`);
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', source, clone], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const tracked = git('ls-files').split('\n').filter(Boolean);
  say(`${tracked.length} files`);
  const before = repositoryState();
  const morning = fingerprint(clone);

  step('Starting the daemon over stdio');
  const started = performance.now();
  const client = await CheckpointdClient.start({
    clientInfo: { name: 'checkpointd demo' },
    ...(flags.verbose ? { command: process.execPath, args: [fileURLToPath(import.meta.url), '--tap'] } : {}),
  });
  say(
    `checkpointd ${client.server.serverInfo.version}, protocol ${client.server.protocolVersion}, ${Math.round(performance.now() - started)} ms`,
  );
  const opened = await client.request('session/open', { workspace: clone, storageDir: storage });
  const { session } = opened;
  if (!opened.checkpoints.enabled) throw new Error(opened.checkpoints.message ?? 'checkpoints are disabled');
  say(`session ${session}`);
  say(`shadow repository ${opened.shadowRepoPath ?? ''}`);
  if (opened.base !== undefined) say(line(opened.base));

  step('A turn: the user asks, the agent works');
  await client.request('conversation/setNextMessage', {
    session,
    message: { content: 'Please add a greeting and tidy up' },
  });
  say(line((await client.request('checkpoint/create', { session, kind: 'turn' })).checkpoint));
  writeFileSync(join(clone, 'GREETING.md'), 'Hello, world\n');
  say(
    line(
      (await client.request('checkpoint/create', { session, kind: 'tool', toolName: 'fs_write' })).checkpoint,
    ),
  );
  const edited = tracked.find(
    (file) => existsSync(join(clone, file)) && statSync(join(clone, file)).isFile(),
  );
  if (edited !== undefined)
    writeFileSync(
      join(clone, edited),
      `${readFileSync(join(clone, edited), 'latin1')}\nedited by the agent\n`,
      'latin1',
    );
  const removed = tracked.findLast((file) => file !== edited && existsSync(join(clone, file)));
  if (removed !== undefined) rmSync(join(clone, removed), { force: true });
  const { checkpoint: tool, capture } = await client.request('checkpoint/create', {
    session,
    kind: 'tool',
    toolName: 'execute_bash',
  });
  say(`${line(tool)}   (${capture.ms} ms)`);
  await client.request('conversation/append', {
    session,
    entry: { user: { content: 'Please add a greeting and tidy up' }, assistant: { content: 'Done.' } },
  });

  step('What is there');
  for (const checkpoint of (await client.request('checkpoint/list', { session })).checkpoints)
    say(line(checkpoint));
  const diff = await client.request('checkpoint/diff', { session, from: '1', to: '1.2', format: 'text' });
  console.log((diff.text ?? '').replace(/^/gm, '    ').trimEnd());

  step('The user is not happy: back to the start of the turn');
  const evening = fingerprint(clone);
  const dry = await client.request('checkpoint/restore', { session, tag: '1', mode: 'hard', dryRun: true });
  say(`would restore ${dry.restored.length} and delete ${dry.deleted.length} file(s)`);
  const back = await client.request('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  say(
    `restored ${back.restored.length}, deleted ${back.deleted.length}, failed ${back.failed.length}, in ${back.ms} ms`,
  );
  check(
    'every file is as it was in the morning, byte for byte and mode for mode',
    fingerprint(clone) === morning,
  );
  check('the conversation went back too', back.conversation?.historyLength === 0);

  step('Not so bad after all: undo');
  await client.request('checkpoint/undo', { session });
  check('every file is as it was in the evening', fingerprint(clone) === evening);
  check('HEAD, refs, stash and index of the repository are untouched', repositoryState() === before);

  step('Good night');
  const code = await client.close();
  check('the daemon ended with exit code 0', code === 0);
  check(
    'the shadow repository is gone',
    opened.shadowRepoPath !== undefined && !existsSync(opened.shadowRepoPath),
  );
}

let failures = 0;
function check(what: string, holds: boolean): void {
  say(`${holds ? '✓' : '✗'} ${what}`);
  if (!holds) failures += 1;
}

/** Stands between the client and the daemon and prints every frame to stderr. */
function tap(): void {
  const child = spawn(process.execPath, [join(root, 'dist/src/main.js')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const show = (arrow: string) => (chunk: Buffer) =>
    process.stderr.write(`${arrow} ${chunk.toString('utf8').replaceAll('\r\n', '⏎')}\n`);
  process.stdin.on('data', show('→'));
  child.stdout.on('data', show('←'));
  process.stdin.pipe(child.stdin);
  child.stdout.pipe(process.stdout);
  child.on('exit', (code) => process.exit(code ?? 1));
}

if (flags.tap) {
  tap();
} else {
  await main();
  console.log(failures === 0 ? '\nEverything held.' : `\n${failures} check(s) failed.`);
  process.exitCode = failures === 0 ? 0 : 1;
}
