// The layers of src, lowest first. A folder may import from itself and from the folders before it in this list.
// lint/settings.ts makes the linter's settings from this table. `because` is the linter's message.

export interface Layer {
  readonly folder: string;
  /**
   * Packages that this folder may import. In this folder, the linter refuses all other packages of the table
   * `packages`.
   */
  readonly packages?: readonly string[];
  /** Exceptions: folders of lower layers that this folder must not import. */
  readonly not?: readonly string[];
  readonly because: string;
}

/** The linter's message for each package. The message names the folders that may import the package. */
export const packages: Readonly<Record<string, string>> = {
  'vscode-jsonrpc': "The wire's library lives in rpc/.",
  'vscode-jsonrpc/node': "The wire's library lives in rpc/.",
  execa: 'git is started in git/process/ alone.',
  chokidar: 'chokidar is imported by watch/ alone.',
  'lru-cache': 'Caches live in checkpoints/ and store/.',
  commander: 'The command line is read in cli/ and in flags.ts.',
  'jsonc-parser': 'Settings files of agents are edited in cli/.',
  'smol-toml': 'Settings files of agents are edited in cli/.',
  '@modelcontextprotocol/server': 'MCP is served in cli/mcp/.',
  '@inquirer/select': 'People choose in cli/.',
  libsql: 'SQLite lives in store/sqlite/, loaded when used.',
  ws: 'WebSockets are served in inspector/.',
  vue: "The inspector's page is in inspector/page/.",
  pinia: "The inspector's page is in inspector/page/.",
  '@codemirror/merge': 'Differences are shown in inspector/page/.',
  '@codemirror/state': 'Differences are shown in inspector/page/.',
  '@codemirror/view': 'Differences are shown in inspector/page/.',
};

export const layers: readonly Layer[] = [
  { folder: 'base', because: 'base is the ground: it imports node: only.' },
  { folder: 'tree', because: 'tree says what a tree is: pure values over base.' },
  {
    folder: 'git',
    packages: ['execa'],
    because: 'git is plumbing: bytes in, ids out; it knows no checkpoint.',
  },
  {
    folder: 'conversation',
    not: ['git'],
    because: 'conversation is what was said; it knows no file of the work tree but by its path.',
  },
  {
    folder: 'watch',
    packages: ['chokidar'],
    not: ['git', 'conversation'],
    because: 'watch tells what changed in a directory; it captures nothing.',
  },
  {
    folder: 'work-tree',
    not: ['git', 'conversation'],
    because:
      "work-tree reaches files of the user's directory safely; what is done with them is in capture and restore.",
  },
  {
    folder: 'capture',
    not: ['conversation'],
    because: 'capture turns the work tree into a snapshot; where that is kept comes to it as a sink.',
  },
  {
    folder: 'store',
    packages: ['lru-cache', 'libsql'],
    not: ['conversation', 'watch'],
    because: 'store only stores; of capture it knows the sink that it offers.',
  },
  {
    folder: 'checkpoints',
    packages: ['lru-cache'],
    not: ['watch'],
    because: 'checkpoints holds what exists while checkpoints are enabled; it knows no session.',
  },
  {
    folder: 'restore',
    not: ['watch'],
    because: 'restore makes a work tree equal a snapshot; it knows no session.',
  },
  {
    folder: 'remote',
    not: ['watch', 'work-tree'],
    because:
      'remote carries checkpoints to a git remote and back, as values; it knows no session that is open.',
  },
  {
    folder: 'session',
    because:
      'session holds what a session is and how it begins and ends; what a client can ask for is in commands.',
  },
  {
    folder: 'protocol',
    not: [
      'base',
      'tree',
      'git',
      'conversation',
      'watch',
      'work-tree',
      'capture',
      'store',
      'checkpoints',
      'restore',
      'remote',
      'session',
    ],
    because: 'protocol is generated and imports nothing.',
  },
  {
    folder: 'wire',
    not: [
      'tree',
      'git',
      'conversation',
      'watch',
      'work-tree',
      'capture',
      'store',
      'checkpoints',
      'restore',
      'remote',
      'session',
      'protocol',
    ],
    because: 'wire is what the door and the client share: frames, and places on this machine.',
  },
  { folder: 'commands', because: 'commands is what a client can ask for; how it is asked is in rpc.' },
  {
    folder: 'rpc',
    packages: ['vscode-jsonrpc', 'vscode-jsonrpc/node'],
    not: ['git', 'watch', 'work-tree', 'capture', 'store', 'checkpoints', 'restore', 'remote'],
    because: 'rpc is a door; it reaches files and stores through commands.',
  },
  {
    folder: 'client',
    not: [
      'tree',
      'git',
      'conversation',
      'watch',
      'work-tree',
      'capture',
      'store',
      'checkpoints',
      'restore',
      'remote',
      'session',
      'commands',
      'rpc',
    ],
    because: 'client knows the wire and nothing of the daemon; of base it takes what knows no daemon either.',
  },
  {
    folder: 'inspector',
    packages: ['ws', 'vue', 'pinia', '@codemirror/merge', '@codemirror/state', '@codemirror/view'],
    not: [
      'tree',
      'git',
      'conversation',
      'watch',
      'work-tree',
      'capture',
      'store',
      'checkpoints',
      'restore',
      'session',
      'commands',
      'rpc',
    ],
    because: 'inspector is a page and its server: a client, which the command line brings to a session.',
  },
  {
    folder: 'cli',
    packages: ['commander', 'jsonc-parser', 'smol-toml', '@modelcontextprotocol/server', '@inquirer/select'],
    not: [
      'tree',
      'git',
      'conversation',
      'watch',
      'work-tree',
      'capture',
      'store',
      'checkpoints',
      'restore',
      'remote',
      'session',
      'commands',
      'rpc',
    ],
    because: 'cli is a client like any other: what it needs is in client/ and on the wire.',
  },
];
