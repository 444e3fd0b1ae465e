import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Globs, isRestoreTemporary } from '../../src/tree/globs.ts';
import { NamePattern } from '../../src/tree/name-pattern.ts';
import { fromText, type TreePath } from '../../src/tree/tree-path.ts';
import { parameters } from '../support/property.ts';

const test = suite('exclusions');

/** Returns the paths that the globs exclude. Starts at the root, as a capture does. */
function leftOut(globs: Globs, path: string): boolean {
  const parts = path.split('/');
  return parts.some((_, i) => globs.matches(fromText(parts.slice(0, i + 1).join('/')), i < parts.length - 1));
}

test('a glob matches the same paths as the git ignore pattern of the same text', () => {
  const directory = mkdtempSync(join(tmpdir(), 'ckpt-globs-'));
  const env = { PATH: process.env.PATH ?? '', HOME: directory, GIT_CONFIG_NOSYSTEM: '1' };
  const part = fc.constantFrom(
    'a',
    'b',
    'ab',
    '*',
    '?',
    '**',
    'a*',
    '*b',
    '[ab]',
    '[!a]',
    '[a-c]?',
    '\\*',
    'c.d',
    'a**b',
    '*.*',
  );
  const pattern = fc
    .tuple(
      fc.constantFrom('', '/'),
      fc.array(part, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '', '/'),
    )
    .map(([lead, parts, end]) => `${lead}${parts.join('/')}${end}`);
  const name = fc.constantFrom('a', 'b', 'ab', 'aab', '*', 'c.d', 'c', 'bb', 'axb');
  const paths = fc.array(
    fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
    { minLength: 5, maxLength: 12 },
  );
  try {
    execFileSync('git', ['init', '-q', directory], { env });
    fc.assert(
      fc.property(pattern, paths, (glob, wanted) => {
        writeFileSync(join(directory, '.gitignore'), `${glob}\n`);
        // Every path is a file in existing directories, so that git can recognise directories.
        const made: string[] = [];
        for (const path of new Set(wanted)) {
          try {
            mkdirSync(join(directory, 'w', path, '..'), { recursive: true });
            writeFileSync(join(directory, 'w', path), '');
            made.push(path);
          } catch (error) {
            if (
              !(
                error instanceof Error &&
                'code' in error &&
                ['EEXIST', 'EISDIR', 'ENOTDIR'].includes(String(error.code))
              )
            )
              throw error;
          }
        }
        writeFileSync(join(directory, 'w', '.gitignore'), `${glob}\n`);
        writeFileSync(join(directory, '.gitignore'), '');
        const files = execFileSync(
          'git',
          ['-C', join(directory, 'w'), 'ls-files', '-z', '-o', '--exclude-standard'],
          { env, encoding: 'utf8' },
        );
        const kept = new Set(files.split('\0'));
        const globs = new Globs([glob]);
        const isFile = (path: string): boolean => !made.some((other) => other.startsWith(`${path}/`));
        for (const path of made.filter(isFile)) {
          assert.is(leftOut(globs, path), !kept.has(path), `${glob} on ${path}`);
        }
        rmSync(join(directory, 'w'), { recursive: true, force: true });
      }),
      parameters(150),
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test('a glob says for each directory whether it can match a path below this directory', () => {
  const may = (glob: string, path: string): boolean => new Globs([glob]).mayMatchBelow(path as TreePath);
  assert.ok(may('build/out/*.js', 'build'));
  assert.ok(may('build/out/*.js', 'build/out'));
  assert.not.ok(may('build/out/*.js', 'build/out/deeper'));
  assert.not.ok(may('build/out/*.js', 'node_modules'));
  assert.ok(may('**/.env', 'node_modules/x/y'));
  assert.not.ok(may('.env', 'node_modules'), 'a base name does not open ignored directories');
  assert.ok(may('build/**', 'build/a/b'));
});

test('a malformed pattern matches nothing, or only its own text', () => {
  assert.not.ok(new Globs(['[z-a]']).matches('b' as TreePath, false));
  assert.ok(new Globs(['[a']).matches('[a' as TreePath, false));
  assert.ok(new Globs(['', '/']).isEmpty);
  assert.ok(new Globs(['é*']).matches(fromText('état'), false));
});

/** Matches in the simple way, by trying every length for every star. */
function matchesPlainly(pattern: string, name: string): boolean {
  if (pattern === '') return name === '';
  if (pattern.startsWith('*')) {
    return Array.from({ length: name.length + 1 }, (_, taken) => name.slice(taken)).some((left) =>
      matchesPlainly(pattern.slice(1), left),
    );
  }
  const first = /^(\?|\[!?[ab]\]|\\.|.)/.exec(pattern)?.[0] ?? '';
  const isNegated = first.startsWith('[!');
  const wanted = first === '?' ? 'ab*' : first.replace(/[[\]!\\]/g, '');
  const matches = name !== '' && wanted.includes(name.charAt(0)) !== isNegated;
  return matches && matchesPlainly(pattern.slice(first.length), name.slice(1));
}

function matchesPartsPlainly(parts: readonly string[], names: readonly string[]): boolean {
  const [part, ...others] = parts;
  if (part === undefined) return names.length === 0;
  if (part !== '**') {
    const [name, ...below] = names;
    return name !== undefined && matchesPlainly(part, name) && matchesPartsPlainly(others, below);
  }
  const least = others.length === 0 ? 1 : 0; // a final `**` needs a name
  return names
    .concat('')
    .map((_, taken) => names.slice(taken))
    .some((left, taken) => taken >= least && matchesPartsPlainly(others, left));
}

test('globs give the same results as a simple matcher that tries every length for each star', () => {
  const token = fc.constantFrom('a', 'b', '*', '*', '?', '[a]', '[!b]', '\\*');
  const part = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.array(token, { minLength: 1, maxLength: 6 }).map((tokens) => tokens.join('')),
    },
    { weight: 1, arbitrary: fc.constant('**') },
  );
  const name = fc
    .array(fc.constantFrom('a', 'b', '*'), { minLength: 1, maxLength: 7 })
    .map((characters) => characters.join(''));
  const parts = fc.array(part, { minLength: 1, maxLength: 4 });
  const names = fc.array(name, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(parts, names, (parts, names) => {
      const glob = `/${parts.join('/')}`;
      const got = new Globs([glob]).matches(names.join('/') as TreePath, false);
      assert.is(got, matchesPartsPlainly(parts, names), `${glob} on ${names.join('/')}`);
    }),
    parameters(2000),
  );
});

test('matching a name of n bytes with a pattern of m bytes takes at most n × m steps', () => {
  const counted = (text: string): { length: number; charCodeAt(index: number): number; steps: number } => ({
    length: text.length,
    steps: 0,
    charCodeAt(index) {
      this.steps += 1;
      return text.charCodeAt(index);
    },
  });
  const of = (pattern: string, text: string): void => {
    const name = counted(text);
    new NamePattern(pattern).matches(name);
    assert.ok(name.steps <= pattern.length * text.length, `${pattern}: ${name.steps} steps`);
  };
  const name = counted('a'.repeat(120));
  assert.not.ok(new NamePattern(`${'*a'.repeat(50)}b`).matches(name));
  assert.ok(name.steps > 0 && name.steps <= 101 * 120, `${name.steps} steps`);
  for (const stars of [1, 5, 6, 60]) of(`${'*a'.repeat(stars)}b`, 'a'.repeat(255));
  fc.assert(
    fc.property(fc.stringMatching(/^[ab*?]{1,40}$/), fc.stringMatching(/^[ab]{1,60}$/), of),
    parameters(500),
  );
});

test('matching a path of n parts with a pattern of m parts takes at most n × m comparisons of names', () => {
  const whole = Object.getOwnPropertyDescriptor(NamePattern.prototype, 'matches');
  if (whole === undefined) throw new Error('NamePattern has no method to count');
  let compared = 0;
  NamePattern.prototype.matches = function count(this: NamePattern, name): boolean {
    compared += 1;
    return whole.value.call(this, name) as boolean;
  };
  try {
    const path = Array.from({ length: 200 }, () => 'a').join('/') as TreePath;
    assert.not.ok(new Globs([`${'**/a/'.repeat(30)}b`]).matches(path, false));
    assert.ok(compared > 0 && compared <= 61 * 200, `${compared} names compared`);
  } finally {
    Object.defineProperty(NamePattern.prototype, 'matches', whole);
  }
});

test('only a name of the exact form counts as a temporary file of a restore', () => {
  assert.ok(isRestoreTemporary(`.ckpt-tmp-${'0z'.repeat(10)}-7`));
  for (const name of [
    '.ckpt-tmp-x-1',
    `.ckpt-tmp-${'0z'.repeat(10)}-`,
    `a.ckpt-tmp-${'0z'.repeat(10)}-7`,
    '.ckpt-tmp-',
  ]) {
    assert.not.ok(isRestoreTemporary(name), name);
  }
});

test.run();
