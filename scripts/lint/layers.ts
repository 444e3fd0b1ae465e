// The layers of src, lowest first. A folder may import from itself and from the folders before it in this list. The
// linter's settings are made from this table by lint/settings.ts. `because` is the linter's message.

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

/** The linter's message for each package. The message says which folders may import the package. */
export const packages: Readonly<Record<string, string>> = {
  'vscode-jsonrpc': 'Only rpc/ imports vscode-jsonrpc.',
  'vscode-jsonrpc/node': 'Only rpc/ imports vscode-jsonrpc.',
  execa: 'Only git/process/ starts git.',
  chokidar: 'Only watch/ imports chokidar.',
  'lru-cache': 'Only checkpoints/ and store/ have caches.',
  commander: 'Only cli/ and flags.ts parse the command line.',
  'jsonc-parser': 'Settings files of agents are edited in cli/.',
  'smol-toml': 'Settings files of agents are edited in cli/.',
  '@modelcontextprotocol/server': 'Only cli/mcp/ serves MCP.',
  '@inquirer/select': 'Only cli/ asks the user to choose.',
  libsql: 'Only store/sqlite/ imports SQLite, and loads it at the first use.',
  ws: 'Only inspector/ serves WebSockets.',
  vue: "The inspector's page is in inspector/page/.",
  pinia: "The inspector's page is in inspector/page/.",
  '@codemirror/merge': 'Differences are shown in inspector/page/.',
  '@codemirror/state': 'Differences are shown in inspector/page/.',
  '@codemirror/view': 'Differences are shown in inspector/page/.',
};

export const layers: readonly Layer[] = [
  { folder: 'base', because: 'base is the lowest layer and imports only node: modules.' },
  { folder: 'tree', because: 'tree defines trees as pure values, and imports only base.' },
  {
    folder: 'git',
    packages: ['execa'],
    because: 'git reads and writes the data of git, and does not know checkpoints.',
  },
  {
    folder: 'conversation',
    not: ['git'],
    because: 'conversation stores messages, and knows files of the work tree only by their paths.',
  },
  {
    folder: 'watch',
    packages: ['chokidar'],
    not: ['git', 'conversation'],
    because: 'watch reports changes in a directory, and captures nothing.',
  },
  {
    folder: 'work-tree',
    not: ['git', 'conversation'],
    because: "work-tree opens the user's files safely; capture and restore use them.",
  },
  {
    folder: 'capture',
    not: ['conversation'],
    because:
      'capture makes a snapshot of the work tree, and writes the contents to a sink that its caller gives.',
  },
  {
    folder: 'store',
    packages: ['lru-cache', 'libsql'],
    not: ['conversation', 'watch'],
    because: 'store only stores snapshots; from capture it knows only the sink.',
  },
  {
    folder: 'checkpoints',
    packages: ['lru-cache'],
    not: ['watch'],
    because:
      'checkpoints has the parts that exist while checkpoints are enabled, and does not know sessions.',
  },
  {
    folder: 'restore',
    not: ['watch'],
    because: 'restore makes a work tree equal to a snapshot, and does not know sessions.',
  },
  {
    folder: 'remote',
    not: ['watch', 'work-tree'],
    because: 'remote pushes checkpoints to a git remote and fetches them; it does not know open sessions.',
  },
  {
    folder: 'session',
    because: 'session defines a session, its beginning and its end; the requests of clients are in commands.',
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
    because: 'wire has the parts that rpc and the client share: frames, and paths on this machine.',
  },
  {
    folder: 'commands',
    because: 'commands carries out the requests of clients; rpc reads and answers them.',
  },
  {
    folder: 'rpc',
    packages: ['vscode-jsonrpc', 'vscode-jsonrpc/node'],
    not: ['git', 'watch', 'work-tree', 'capture', 'store', 'checkpoints', 'restore', 'remote'],
    because: 'rpc reads requests and sends answers; only commands gives it access to files and stores.',
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
    because:
      'client knows only wire and protocol; from base it imports only modules that do not know the daemon.',
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
    because:
      'inspector is a page and its server; it is a client, and the command line connects it to a session.',
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
    because: 'cli is a client like any other, and reaches the daemon only through client/.',
  },
];
