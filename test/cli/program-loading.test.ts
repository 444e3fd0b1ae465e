// Tests the choice of the files that a command loads. Agents and people have to wait while the command loads these
// files.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../support/daemon-rig.ts';
import { daemonEntry } from '../support/wire-client.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const own = /dist\/program\/(?!main)[\w/-]+\.c?js/g;

/**
 * Returns the files and packages of this repository that a command line loads. Leaves out the files and packages that
 * the daemon loads.
 */
function loaded(words: readonly string[], options: object): string[] {
  const { stderr } = spawnSync(process.execPath, [daemonEntry, ...words], {
    ...options,
    encoding: 'utf8',
    input: '{}',
    maxBuffer: 64 * 1024 * 1024,
  });
  // Counts only packages of this repository, because Node itself may be installed in another node_modules.
  const packages = stderr
    .split(root)
    .flatMap((part) => /^node_modules\/(?:@[\w-]+\/)?[\w-]+(?=\/)/.exec(part)?.[0] ?? []);
  return [...new Set([...(stderr.match(own) ?? []), ...packages])];
}

test('`list` and the hooks load only the main file; other commands load three more files; no command loads a package', () =>
  withRig(async (rig) => {
    const { client } = await rig.opened();
    const env = { ...rig.environment, NODE_DEBUG: 'esm,module' };
    for (const words of [['list'], ['complete-tags'], ['hook', 'claude-code']])
      assert.equal(loaded([...words, `--storage=${rig.storage}`], { env, cwd: rig.work }), [], words[0]);
    const files = loaded(['status', `--storage=${rig.storage}`], { env, cwd: rig.work });
    assert.equal(files.sort(), [
      'dist/program/compiled-code.cjs',
      'dist/program/daemon-code.cjs',
      'dist/program/program.cjs',
    ]);
    await client.close();
  }));

test('if a work tree has several sessions, `list` still loads only the main file', () =>
  withRig(async (rig) => {
    const client = await rig.start();
    for (const conversationId of ['one', 'two']) await rig.open(client, { conversationId });
    const env = { ...rig.environment, NODE_DEBUG: 'esm,module' };
    const words = ['list', `--storage=${rig.storage}`];
    assert.equal(loaded(words, { env, cwd: rig.work }), []);
    assert.match((await rig.command('list')).stderr, /has 2 sessions/);
    await client.close();
  }));

test('the help of every command is complete', () =>
  withRig(async (rig) => {
    const run = async (...words: string[]): Promise<string> => {
      const ran = rig.run(words);
      assert.is(await ran.code, 0, `${words.join(' ')}: ${ran.stderr}`);
      return ran.stdout;
    };
    const all = await run('help');
    const names = [...all.matchAll(/^ {2}([a-z]+)(?: |\|)/gm)].map(([, name = '']) => name);
    for (const name of ['status', 'list', 'console', 'mcp', 'enable', 'completion'])
      assert.ok(names.includes(name), `${name} in\n${all}`);
    assert.not.match(all, /complete-tags/);
    for (const name of names.filter((each) => each !== 'help')) {
      const help = await run(name, '--help');
      assert.match(help, new RegExp(`^Usage: checkpointd ${name} `), name);
      assert.match(help, /Exit codes: 0 done/, name);
      assert.match(await run('help', name), new RegExp(`^Usage: checkpointd ${name} `), name);
    }
  }));

test.run();
