// Random edits of a work tree, for property tests of captures: files, links, ignore files and removals. The names of
// the files are hard to quote, sort and decode.
import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';

const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'c', 'd', 'x.o', 'y.log', 'build', 'keep') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '-f',
      ':x',
      ':(top)x',
      '*',
      '"q"',
      'é',
      'tab\there',
      'new\nline',
      ' s ',
      'r\r',
      'a.b',
      'a-',
      'a0',
      '!n',
      '#h',
      '\\',
    ),
  },
);
export const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const rule = fc.constantFrom(
  '*.o',
  '!x.o',
  'build/',
  '/a',
  '!/a/b',
  'a/*',
  '!a/b',
  '**/keep',
  '# comment',
  '',
  'b',
  '*.log',
  '!y.log',
  'c/**',
  'd/x.o',
  '\\:x',
  '\\!n',
);
export type Step =
  | { kind: 'file' | 'exec'; path: string; content: string }
  | { kind: 'link'; path: string; content: string }
  | { kind: 'rules'; path: string; content: string }
  | { kind: 'remove'; path: string; content: string };
export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('file' as const, 'exec' as const),
      path,
      content: fc.string({ maxLength: 8 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('link' as const),
      path,
      // A later step may write through the link, and must not make a file outside.
      content: fc.constantFrom('a', '..', '/dev/null/nowhere', 'b/c'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rules' as const),
      path: fc.oneof(fc.constant(''), path),
      content: fc.array(rule, { maxLength: 4 }).map((rules) => rules.join('\n')),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('remove' as const), path, content: fc.constant('') }),
  },
);

/** Makes the step if the tree allows it. A step is impossible when a file has the path of a needed directory. */
export function applyStep(root: string, one: Step): void {
  const target = join(root, one.path);
  try {
    if (one.kind === 'remove') {
      lstatSync(target); // in newer versions of Node, removing a file through a circle of links throws an error without a code
      rmSync(target, { recursive: true, force: true });
      return;
    }
    mkdirSync(one.kind === 'rules' ? target : join(target, '..'), { recursive: true });
    if (one.kind === 'rules') writeFileSync(join(target, '.gitignore'), one.content);
    else if (one.kind === 'link') symlinkSync(one.content, target);
    else {
      writeFileSync(target, one.content);
      chmodSync(target, one.kind === 'exec' ? 0o755 : 0o644);
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!['EEXIST', 'EISDIR', 'ENOTDIR', 'ENOENT', 'ELOOP'].includes(code)) throw error;
  }
}
