// What is read without the library of the command line means what that library makes of it.
import { Command } from 'commander';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CliCommand, Given } from '../../../src/cli/command.ts';
import { completeTags } from '../../../src/cli/commands/complete-tags.ts';
import { list } from '../../../src/cli/commands/list.ts';
import { plainWords } from '../../../src/cli/plain/plain-words.ts';
import { addSessionCommand, givenBy } from '../../../src/cli/session-command.ts';

/** As the library reads the words; undefined for what it refuses, or answers itself (help). */
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

/** As the plain commands tell of themselves. */
const flagsOf = ({ paged, withoutJson }: CliCommand): string[] => [
  ...(withoutJson === true ? [] : ['--json']),
  ...(paged === true ? ['--no-pager'] : []),
];

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

test('plain words are read as the library reads them, and what is not plain is left to it', () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), fc.constantFrom(list, completeTags), (words, command) => {
      const plain = plainWords(words, flagsOf(command));
      if (plain !== undefined) assert.equal(plain, byLibrary(command, words), JSON.stringify(words));
    }),
    { numRuns: 2000 },
  );
});

test('what people and shells type is plain', () => {
  for (const words of [
    [],
    ['--json'],
    ['--storage=/s'],
    ['-C', 'a', '--session', 'ses_1'],
    ['-C', 'a', '--no-pager'],
  ])
    assert.equal(plainWords(words, flagsOf(list)), byLibrary(list, words), words.join(' '));
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
    assert.is(plainWords(words, flagsOf(list)), undefined, words.join(' '));
});

test.run();
