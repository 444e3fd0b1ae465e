import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Globs, isRestoreTemporary } from '../../src/tree/globs.ts';
import { fromText, type TreePath } from '../../src/tree/tree-path.ts';
import { parameters } from '../support/property.ts';

const test = suite('exclusions');

/** What the globs leave out, asked top down as the walker does. */
function leftOut(globs: Globs, path: string): boolean {
  const parts = path.split('/');
  return parts.some((_, i) => globs.matches(fromText(parts.slice(0, i + 1).join('/')), i < parts.length - 1));
}

test('globs agree with git where the languages overlap', () => {
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
        // Every path is a file below directories that exist, so that git can tell directories apart.
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

test('whether something may match below a directory', () => {
  const may = (glob: string, path: string): boolean => new Globs([glob]).mayMatchBelow(path as TreePath);
  assert.ok(may('build/out/*.js', 'build'));
  assert.ok(may('build/out/*.js', 'build/out'));
  assert.not.ok(may('build/out/*.js', 'build/out/deeper'));
  assert.not.ok(may('build/out/*.js', 'node_modules'));
  assert.ok(may('**/.env', 'node_modules/x/y'));
  assert.not.ok(may('.env', 'node_modules'), 'a base name does not open ignored directories');
  assert.ok(may('build/**', 'build/a/b'));
});

test('odd patterns match nothing or themselves, and no pattern is slow', () => {
  assert.not.ok(new Globs(['[z-a]']).matches('b' as TreePath, false));
  assert.ok(new Globs(['[a']).matches('[a' as TreePath, false));
  assert.ok(new Globs(['', '/']).isEmpty);
  assert.ok(new Globs(['é*']).matches(fromText('état'), false));
  const slow = new Globs([`${'**/'.repeat(30)}x`]);
  const started = performance.now();
  assert.not.ok(slow.matches(Array.from({ length: 200 }, () => 'a').join('/') as TreePath, false));
  assert.ok(performance.now() - started < 500);
});

test('temporary files of a restore are told by their exact form', () => {
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
