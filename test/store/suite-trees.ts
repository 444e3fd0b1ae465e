// Two trees that the suite of the stores captures. One tree has every kind of file, and the other tree has every kind
// of name.
import { file, link, type PlainTree, plain, program } from '../support/trees/snapshots.ts';

export const sample: PlainTree = new Map([
  ...plain({ 'a.txt': 'alpha\n', 'src/main.ts': 'main\n', 'src/deep/er/file': 'deep\n' }),
  ['run.sh', program('#!/bin/sh\n')],
  ['link', link('a.txt')],
  ['src/secret', file('key\n', 0o600)],
]);

export const everyName: PlainTree = new Map(
  [
    'a',
    '\xff\xfe',
    'n\nl',
    'x y',
    '-f',
    ':(top)',
    '"q"',
    "it's",
    '\xc3\xbc',
    'CON',
    'a\\b',
    '\t',
    '{',
    '~',
    '*',
  ]
    .flatMap((name) => [name, `dir/${name}`, `d${name}/in`])
    .map((path) => [path, file(path)] as const),
);
