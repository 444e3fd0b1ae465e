// Runs unmodified agents from the npm registry with a model that plays a script. The agents edit files by tools and
// shells, and the edits become checkpoints. A restore from the command line reverses the edits, and the agent is
// notified.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonRig, withRig } from '../../support/daemon-rig.ts';
import { git } from '../../support/git-oracle.ts';
import { endKeepers } from '../../support/programs/keepers.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { until } from '../../support/until.ts';
import { ModelServer } from './model-server.ts';

interface Agent {
  readonly name: string;
  readonly package: string;
  readonly program: string;
  /** The lines that `list` prints for the two tools. */
  readonly tools: readonly [edit: string, shell: string];
  readonly prepare: (home: string, server: string) => NodeJS.ProcessEnv;
  readonly words: (prompt: string, isResumed: boolean) => readonly string[];
}

const agents: readonly Agent[] = [
  {
    name: 'gemini',
    package: '@google/gemini-cli@0.61.0',
    program: 'gemini',
    tools: ['write_file', 'run_shell_command'],
    prepare: (home, server) => {
      mkdirSync(join(home, '.gemini'));
      const settings = { security: { auth: { selectedType: 'gemini-api-key' } } };
      writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
      return { GEMINI_CLI_HOME: home, GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: server };
    },
    words: (prompt, isResumed) => [
      '--approval-mode=yolo',
      '--skip-trust',
      '--model=gemini-2.5-flash',
      ...(isResumed ? ['--resume=latest'] : []),
      '--prompt',
      prompt,
    ],
  },
  {
    name: 'codex',
    package: '@openai/codex@0.169.0',
    program: 'codex',
    tools: ['apply_patch', 'Bash'],
    prepare: (home, server) => {
      mkdirSync(join(home, '.codex'));
      const lines = [
        'model = "gpt-5.5"',
        'model_provider = "mock"',
        '[model_providers.mock]',
        'name = "mock"',
        `base_url = "${server}/v1"`,
        'wire_api = "responses"',
        'requires_openai_auth = false',
      ];
      writeFileSync(join(home, '.codex', 'config.toml'), `${lines.join('\n')}\n`);
      return { CODEX_HOME: join(home, '.codex') };
    },
    words: (prompt, isResumed) => [
      'exec',
      ...(isResumed ? ['resume', '--last'] : []),
      '--dangerously-bypass-approvals-and-sandbox',
      '--dangerously-bypass-hook-trust',
      '--skip-git-repo-check',
      prompt,
    ],
  },
  {
    name: 'pi',
    package: '@earendil-works/pi-coding-agent@0.74.2',
    program: 'pi',
    tools: ['write', 'bash'],
    prepare: (home, server) => {
      const directory = join(home, '.pi', 'agent');
      mkdirSync(directory, { recursive: true });
      const mock = {
        baseUrl: `${server}/v1`,
        api: 'openai-completions',
        apiKey: 'none',
        models: [{ id: 'scripted' }],
      };
      writeFileSync(join(directory, 'models.json'), JSON.stringify({ providers: { mock } }));
      return { PI_CODING_AGENT_DIR: directory, PI_OFFLINE: '1' };
    },
    words: (prompt, isResumed) => [
      '--model',
      'mock/scripted',
      ...(isResumed ? ['--continue'] : []),
      '--print',
      prompt,
    ],
  },
];

const installed = process.env['CHECKPOINTD_TEST_AGENTS'];

/** Returns the path of the agent's program, or undefined if npm cannot install the agent. */
function install({ package: name, program }: Agent): string | undefined {
  const directory = installed ?? temporaryDirectory('agent');
  const path = join(directory, 'node_modules', '.bin', program);
  if (existsSync(path)) return path;
  const words = ['install', '--no-audit', '--no-fund', '--no-save', '--prefix', directory, name];
  const { status, stderr, error } = spawnSync('npm', words, {
    encoding: 'utf8',
    timeout: 300_000,
    shell: process.platform === 'win32',
  });
  if (status === 0 && existsSync(path)) return path;
  console.log(`skipped: ${name} cannot be installed here: ${error?.message ?? stderr.slice(-300)}`);
  return undefined;
}

interface Turn {
  readonly code: number | null;
  readonly output: string;
}

function runAgent(
  program: string,
  words: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<Turn> {
  const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const timer = setTimeout(() => child.kill('SIGKILL'), 180_000);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}

async function say(rig: DaemonRig, ...words: string[]): Promise<string> {
  const ran = rig.run(words);
  assert.is(await ran.code, 0, `${words.join(' ')}: ${ran.stderr}`);
  return ran.stdout;
}

/**
 * Plays the whole script: a prompt, edits by tool and by shell, checkpoints, a restore, undo, redo, and the agent's
 * next turn.
 */
async function day(agent: Agent, program: string, rig: DaemonRig, server: ModelServer): Promise<void> {
  const own = agent.prepare(rig.home, server.url);
  const environment = { ...rig.environment, ...own, TERM: 'dumb', CI: '1' };
  const bare = await rig.command('enable', '--agent', agent.name, '--yes');
  assert.is(bare.code, 0, bare.stderr);
  git(rig.work, 'add', '-A');
  git(rig.work, '-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-qm', 'x');

  const storage = `--storage=${rig.storage}`;
  const listed = (line: string) => async (): Promise<void> => {
    let list = '';
    await until('a checkpoint is listed', async () => {
      const ran = rig.run(['list', storage]);
      await ran.code;
      list = ran.stdout;
      return new RegExp(`^\\[${line}`, 'm').test(list);
    }).catch((error: unknown) => {
      throw new Error(`${line} is not in\n${list}\n${hookLog(rig)}`, { cause: error });
    });
  };
  const byTool = agent.name === 'codex' ? 'made.txt' : join(rig.work, 'made.txt');
  const [edit, shell] = agent.tools;
  const firstTurn = String.raw`1\] .*tidy up`;
  server.plays(
    { edit: byTool, content: 'by the tool\n', after: listed(firstTurn) },
    { shell: 'echo by the shell > a.txt', after: listed(String.raw`1\.1\] .*${edit}`) },
    { say: 'Done.' },
  );
  const first = await runAgent(program, agent.words('tidy up', false), rig.work, environment);
  const told = `${first.output}\nunknown: ${server.unknown.join(', ')}\n${hookLog(rig)}`;
  assert.is(first.code, 0, told);
  assert.equal(server.failures, [], told);
  assert.equal([rig.read('made.txt'), rig.read('a.txt')], ['by the tool\n', 'by the shell\n'], told);
  await listed(String.raw`1\.2\] .*${shell}`)();

  const before = { 'a.txt': 'a\n', 'made.txt': undefined };
  const after = { 'a.txt': 'by the shell\n', 'made.txt': 'by the tool\n' };
  const now = (): object => ({ 'a.txt': rig.read('a.txt'), 'made.txt': rig.read('made.txt') });
  await say(rig, 'restore', '1', '--hard', '--yes', storage);
  assert.equal(now(), before);
  await say(rig, 'undo', storage);
  assert.equal(now(), after);
  await say(rig, 'redo', storage);
  assert.equal(now(), before);

  const calls = server.asked.length;
  server.plays(
    { shell: 'echo once more > again.txt', after: listed(String.raw`2\] .*go on`) },
    { say: 'Done again.' },
  );
  const second = await runAgent(program, agent.words('go on', true), rig.work, environment);
  assert.is(second.code, 0, second.output);
  const heard = server.asked.slice(calls).join('\n');
  assert.match(heard, /The user restored files with checkpointd/, `${second.output}\n${hookLog(rig)}`);
  assert.match(heard, /a\.txt \(modified\)/);
  assert.match(heard, /made\.txt \(deleted\)/);
  assert.is(rig.read('again.txt'), 'once more\n');
  await listed(String.raw`2\.1\]`)();
  assert.is(rig.sessions().length, 1, 'a conversation that is resumed is the same session');
  await say(rig, 'verify', storage);
}

function hookLog(rig: DaemonRig): string {
  const file = join(rig.storage, 'hooks', 'hook.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : 'no log of hooks';
}

for (const agent of agents)
  test(`with the unmodified package ${agent.package}, a restore reverses edits by tools and shells, and the agent is informed`, async () => {
    const program = install(agent);
    if (program === undefined) return;
    const server = new ModelServer();
    await server.listen();
    await withRig(async (rig) => {
      try {
        await day(agent, program, rig, server);
      } finally {
        server.close();
        await endKeepers(rig.storage);
      }
    });
  });

test.run();
