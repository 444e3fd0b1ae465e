// The floors of src, lowest first: a folder may import itself and what stands above it in this list, nothing below.
// The linter's settings are generated from this table (lint/settings.ts); `because` is what it answers.

export interface Layer {
  readonly folder: string;
  /** Packages that this folder may import; every other package of `packages` is refused here. */
  readonly packages?: readonly string[];
  /** Folders of lower floors that it may not import all the same. */
  readonly not?: readonly string[];
  readonly because: string;
}

/** Each package has its importers, and what the linter says elsewhere. */
export const packages: Readonly<Record<string, string>> = {
  'vscode-jsonrpc': "The wire's library lives in rpc/ and in client/.",
  'vscode-jsonrpc/node': "The wire's library lives in rpc/ and in client/.",
  execa: 'git is started in git/ alone.',
  chokidar: 'chokidar is imported by the watcher alone.',
  'lru-cache': 'Caches live in checkpoint/ and store/.',
  libsql: 'SQLite lives in store/, loaded when used.',
};

const wire = ['vscode-jsonrpc', 'vscode-jsonrpc/node'];

export const layers: readonly Layer[] = [
  { folder: 'base', because: 'base is the ground: it imports node: only.' },
  { folder: 'queue', because: 'queue imports base only.' },
  {
    folder: 'git',
    packages: ['execa'],
    not: ['queue'],
    because: 'git is plumbing: bytes in, ids out; it knows no checkpoint.',
  },
  { folder: 'conversation', not: ['queue', 'git'], because: 'conversation imports base only.' },
  {
    folder: 'worktree',
    packages: ['chokidar'],
    not: ['queue', 'git', 'conversation'],
    because: 'worktree imports base only; stores and git come to it as values.',
  },
  {
    folder: 'store',
    packages: ['lru-cache', 'libsql'],
    not: ['queue', 'conversation'],
    because: 'store imports base, git and values of worktree.',
  },
  { folder: 'checkpoint', packages: ['lru-cache'], because: 'checkpoint imports what lies below it.' },
  {
    folder: 'protocol',
    not: ['base', 'queue', 'git', 'conversation', 'worktree', 'store', 'checkpoint'],
    because: 'protocol is generated and imports nothing.',
  },
  {
    folder: 'rpc',
    packages: wire,
    not: ['queue', 'git', 'worktree', 'store'],
    because: 'rpc translates; it reaches files and stores through checkpoint.',
  },
  {
    folder: 'client',
    packages: wire,
    not: ['base', 'queue', 'git', 'conversation', 'worktree', 'store', 'checkpoint'],
    because: 'client knows the wire and nothing of the daemon.',
  },
];
