// Recorded by scripts/record-first-session.ts from a real daemon. Do not edit.

export interface WireStep {
  /** The writer of the frame; 'note' marks a note between frames. */
  readonly who: 'client' | 'server' | 'note';
  /** The frame's body, or the note. */
  readonly text: string;
}

/** A whole session on the wire. */
export const firstSession: readonly WireStep[] = [
  {
    who: 'note',
    text: 'The client starts `checkpointd --stdio`, writes to its standard input and reads from its standard output. `→` marks messages of the client, and `←` messages of the daemon.',
  },
  {
    who: 'client',
    text: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"clientInfo":{"name":"first","version":"1"},"capabilities":{}}}',
  },
  {
    who: 'server',
    text: '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"1.0.0","serverInfo":{"name":"checkpointd","version":"0.1.0"},"schemaHash":"e7e40607075f79a3ce6fcbf2360484fa","capabilities":{"checkpointd":{"sessions":{"strategies":[{"name":"shadow","available":true,"retention":"session","needsRepository":false},{"name":"local","available":true,"retention":"keep","needsRepository":true},{"name":"sqlite","available":true,"retention":"keep","needsRepository":false}],"defaultStrategy":"shadow"},"checkpoints":{"diffFormats":["nameStatus","stat","unified","contents","text"],"restoreModes":["soft","hard"],"restoreScopes":["files","conversation","both"],"conflictPolicies":["overwrite","skip","fail"],"anchoredRestore":true,"fastCapture":true},"conversation":{"tangentFiles":true,"documentVersion":1},"ledger":{"conflicts":true},"worktree":{"watching":true},"store":{"verify":true},"remotes":{"schemes":["ssh","https","file"],"lineFormat":1},"operations":{"remembered":1000},"events":{"names":[]}}},"limits":{"maxQueued":256,"maxPageItems":1000,"maxListedPaths":10000,"maxReadBytes":8388608,"maxDiffFileBytes":1048576,"maxDiffTextBytes":33554432,"maxHistoryEntries":10000,"maxTranscriptLines":10000,"maxMessageCharacters":400000,"maxFileBytes":268435456,"maxHeaderBytes":4096,"maxBodyBytes":67108864,"maxInFlight":64}}}',
  },
  { who: 'client', text: '{"jsonrpc":"2.0","method":"initialized","params":{}}' },
  {
    who: 'note',
    text: '`/home/ada/project` is an empty git repository. Opening a session there makes the base, checkpoint `0`.',
  },
  {
    who: 'client',
    text: '{"jsonrpc":"2.0","id":2,"method":"session/open","params":{"workspace":"/home/ada/project","conversationId":"first"}}',
  },
  {
    who: 'server',
    text: '{"jsonrpc":"2.0","id":2,"result":{"session":"ses_gx6mfahp3qyswz31hk23zhkkby","workspace":"/home/ada/project","conversationId":"first","strategy":"shadow","retention":"session","resumed":false,"checkpoints":{"enabled":true},"shadowRepoPath":"/home/ada/.local/state/checkpointd/ses_gx6mfahp3qyswz31hk23zhkkby","base":{"id":"ckpt_nq81ms0k4x9qjh2f79kx","tag":"0","previousTag":"0","commit":"d78cd7c84403df68a1be1ef674f3cf57e5b55569","kind":"turn","seq":1,"timestamp":"2026-11-25T06:17:56.409Z","description":"Initial state","isTurn":true,"snapshot":"4b825dc642cb6eb9a060e54bf8d69288fbee4904","stats":{"added":0,"modified":0,"deleted":0},"historyLength":0},"skipped":[]}}',
  },
  {
    who: 'note',
    text: 'The agent writes `hello.txt`. The client makes a checkpoint of a turn, which contains this file.',
  },
  {
    who: 'client',
    text: '{"jsonrpc":"2.0","id":3,"method":"checkpoint/create","params":{"session":"ses_gx6mfahp3qyswz31hk23zhkkby","kind":"turn","message":"Say hello"}}',
  },
  {
    who: 'server',
    text: '{"jsonrpc":"2.0","id":3,"result":{"created":true,"checkpoint":{"id":"ckpt_32bq0kbbnkcethw4wysy","tag":"1","previousTag":"0","parent":"ckpt_nq81ms0k4x9qjh2f79kx","commit":"7aa5a49ebc42e66545df8dfe2eff3aa9817a5090","kind":"turn","seq":2,"timestamp":"2026-11-25T06:17:56.556Z","description":"Say hello","isTurn":true,"snapshot":"aaa96ced2d9a1c8e72c56b253a0e2fe78393feb7","stats":{"added":1,"modified":0,"deleted":0},"historyLength":0},"skipped":[],"complete":true,"capture":{"path":"fast","ms":17},"operation":"op_4vf0pvsgy1zbw9fkp51b"}}',
  },
  { who: 'note', text: 'A hard restore of the base deletes `hello.txt`.' },
  {
    who: 'client',
    text: '{"jsonrpc":"2.0","id":4,"method":"checkpoint/restore","params":{"session":"ses_gx6mfahp3qyswz31hk23zhkkby","tag":"0","mode":"hard"}}',
  },
  {
    who: 'server',
    text: '{"jsonrpc":"2.0","id":4,"result":{"restored":[],"deleted":[{"path":"hello.txt"}],"failed":[],"conflicts":[],"skipped":[],"safety":"ckpt_evmbsbemhyg7wjwmdtvs","conversation":{"historyLength":0,"transcriptLength":0,"validHistoryRange":{"start":0,"end":0}},"checkpoint":{"id":"ckpt_3mxjzh6y92apq9yg7rjh","previousTag":"0","parent":"ckpt_nq81ms0k4x9qjh2f79kx","commit":"e2be4998c4b6aa71620613c40e64ffcda5bf1383","kind":"restore","seq":4,"timestamp":"2026-11-25T06:17:56.651Z","description":"Restored to 0","isTurn":false,"snapshot":"4b825dc642cb6eb9a060e54bf8d69288fbee4904","stats":{"added":0,"modified":0,"deleted":0},"historyLength":0},"counts":{"restored":0,"deleted":1,"failed":0,"conflicts":0,"skipped":0},"ms":135,"operation":"op_zbyrhp1v32gscd1gp0kx"}}',
  },
  { who: 'note', text: 'The client ends the daemon, and the daemon exits with 0.' },
  { who: 'client', text: '{"jsonrpc":"2.0","id":5,"method":"shutdown"}' },
  { who: 'server', text: '{"jsonrpc":"2.0","id":5,"result":null}' },
  { who: 'client', text: '{"jsonrpc":"2.0","method":"exit"}' },
];
