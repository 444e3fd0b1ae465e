// Tests the fast path of `list` and of tag completion. The fast path asks the daemon that has the session open. The
// fast path must parse the words of a command line exactly like the command-line library.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CliCommand, Given } from '../../src/cli/command.ts';
import { completeTags, list } from '../../src/cli/commands/list.ts';
import { plainWords } from '../../src/cli/plain-command.ts';
import { addSessionCommand, givenBy } from '../../src/cli/session-command.ts';
import { type DaemonRig, withRig } from '../support/daemon-rig.ts';

async function run(rig: DaemonRig, ...words: string[]): Promise<string> {
  const program = await rig.command(...words);
  assert.is(program.code, 0, program.stderr);
  return program.stderr + program.stdout;
}

test('for an open session, the fast path of the command `list` prints the usual output and opens nothing', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    await client.request('checkpoint/create', { session, kind: 'turn', message: 'one', name: 'first' });
    assert.is(await run(rig, 'complete-tags'), '0\n1\nfirst\n');
    const plain = await run(rig, 'list');
    assert.match(plain, /^\[0\].*\n\[1\].* one \(first\) {2}\(here\)\n$/);
    // The fast path leaves a path in the form `-Cdirectory` to the library.
    assert.is(await run(rig, 'list', `-C${rig.work}`), plain);
    assert.is(await run(rig, 'list', '--session', session.slice(0, 10)), plain);
    await client.close();
    const opened = readFileSync(rig.log, 'utf8').match(/session\/open/g);
    assert.is(opened?.length, 2, 'by the editor, and for -Cdirectory');
  }));

test('if a work tree has several sessions, the fast path of `list` says once which session it chose', () =>
  withRig(async (rig) => {
    const client = await rig.start();
    await rig.open(client, { conversationId: 'one' });
    await rig.open(client, { conversationId: 'two' });
    const told = await run(rig, 'list');
    assert.is(told.match(/has 2 sessions; using the most recently used session, ses_/g)?.length, 1, told);
    assert.match(told, /^\[0\]/m);
    assert.is(await run(rig, 'list', '-C', join(rig.work, 'deep')), told);
    await client.close();
  }));

test('the fast path of `list` refuses a missing directory like any other command', () =>
  withRig(async (rig) => {
    const { client } = await rig.opened();
    const words = ['list', '-C', 'nowhere', `--storage=${rig.storage}`];
    const [plain, read] = [rig.run(words), rig.run(['list', `--storage=${rig.storage}`, '-Cnowhere'])];
    assert.equal([await plain.code, await read.code], [2, 2]);
    assert.match(plain.stderr, /^checkpointd: .*nowhere is not a directory/);
    assert.is(plain.stderr, read.stderr);
    await client.close();
  }));

/**
 * Parses the words with the command-line library. Returns undefined if the library refuses the words or answers them
 * itself (help).
 */
function byLibrary(command: CliCommand, words: readonly string[]): Given | undefined {
  let given: Given | undefined;
  const program = new Command('checkpointd')
    .exitOverride()
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
    .hook('preAction', (_, made) => {
      if (made.args.length > 0) throw Object.assign(new Error('a word too many'), { exitCode: 2 });
      given = givenBy(made.opts());
      throw new Error('it has been read');
    });
  addSessionCommand(program, command, undefined, () => undefined);
  try {
    program.parse([command.name, ...words], { from: 'user' });
  } catch (error) {
    if (given === undefined && !(error instanceof Error && 'exitCode' in error)) throw error;
  }
  return given;
}

const word = fc.oneof(
  fc.constantFrom('--json', '--no-pager', '-C', '--directory', '--session', '--storage', '--', '-', '', '-h'),
  fc.constantFrom(
    '--directory=a',
    '--storage=b=c',
    '--session=',
    '--json=1',
    '-Cd',
    '--sto=x',
    '--help',
    'help',
  ),
  fc.constantFrom('.', 'a b', 'ses_1', '/x', '--pager', '--constructor=1', '--directory=\n', '__proto__'),
  fc.string(),
);

test('the fast path parses plain options like the command-line library, and leaves all other options to this library', () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), fc.constantFrom(list, completeTags), (words, command) => {
      const plain = plainWords(words, command);
      if (plain !== undefined) assert.equal(plain, byLibrary(command, words), JSON.stringify(words));
    }),
    { numRuns: 2000 },
  );
});

test('the fast path accepts the options that people and shells usually pass', () => {
  for (const words of [
    [],
    ['--json'],
    ['--storage=/s'],
    ['-C', 'a', '--session', 'ses_1'],
    ['-C', 'a', '--no-pager'],
  ])
    assert.equal(plainWords(words, list), byLibrary(list, words), words.join(' '));
  for (const words of [
    ['--help'],
    ['-h'],
    ['a'],
    ['a', 'b'],
    ['--jsno'],
    ['--storage'],
    ['--', 'a'],
    ['-Ca'],
  ])
    assert.is(plainWords(words, list), undefined, words.join(' '));
});

test.run();
