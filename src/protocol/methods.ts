// Generated from protocol/protocol.json by scripts/generate-protocol.ts. Do not edit.

/** The facts that dispatch needs about a method. */
export interface MethodFacts {
  readonly kind: 'request' | 'notification';
  readonly direction: 'clientToServer' | 'serverToClient' | 'both';
  /**
   * `session`: runs alone in the session's queue. `remote`: one at a time for each remote. `global`: one at a time in
   * the daemon. `none`: starts at once.
   */
  readonly lane: 'session' | 'remote' | 'global' | 'none';
  readonly effects: 'none' | 'store' | 'workspace' | 'process';
  /** `key`: takes an `idempotencyKey`. `natural`: a repetition has no further effect. `safe`: has no effect at all. */
  readonly idempotency: 'safe' | 'key' | 'natural' | 'none';
  readonly cancellable: boolean;
  readonly progress: boolean;
  /** True when the parameters of the method name a session. */
  readonly namesSession: boolean;
}

/** The version of the protocol, as in the answer to `initialize`. */
export const protocolVersion = '1.0.0';

/** The hash of the protocol's shape, as in the answer to `initialize`. */
export const schemaHash = '5b7100a993e70adb10b28890df7b5199';

/** Every method and event. Look up names with `Object.hasOwn`, because a client may send `constructor`. */
export const methods = {
  'initialize': { kind: 'request', direction: 'clientToServer', lane: 'global', effects: 'process', idempotency: 'none', cancellable: false, progress: false, namesSession: false },
  'initialized': { kind: 'notification', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: false },
  'shutdown': { kind: 'request', direction: 'clientToServer', lane: 'global', effects: 'process', idempotency: 'none', cancellable: false, progress: false, namesSession: false },
  'exit': { kind: 'notification', direction: 'clientToServer', lane: 'global', effects: 'process', idempotency: 'none', cancellable: false, progress: false, namesSession: false },
  '$/cancelRequest': { kind: 'notification', direction: 'both', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: false },
  '$/progress': { kind: 'notification', direction: 'serverToClient', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: false },
  '$/setTrace': { kind: 'notification', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: false },
  '$/logTrace': { kind: 'notification', direction: 'serverToClient', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: false },
  'window/logMessage': { kind: 'notification', direction: 'serverToClient', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: false },
  'rpc.discover': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: false },
  'session/open': { kind: 'request', direction: 'clientToServer', lane: 'global', effects: 'store', idempotency: 'key', cancellable: true, progress: true, namesSession: false },
  'session/close': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'session/delete': { kind: 'request', direction: 'clientToServer', lane: 'global', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'session/list': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: false },
  'session/get': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'checkpoint/init': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: true, progress: true, namesSession: true },
  'checkpoint/create': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: true, progress: true, namesSession: true },
  'checkpoint/list': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'checkpoint/get': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'checkpoint/expand': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'checkpoint/hasChanges': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: true, progress: true, namesSession: true },
  'checkpoint/stats': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: true, progress: false, namesSession: true },
  'checkpoint/diff': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: true, progress: true, namesSession: true },
  'checkpoint/files': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: true, progress: false, namesSession: true },
  'checkpoint/readFile': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: true, progress: false, namesSession: true },
  'checkpoint/restore': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'workspace', idempotency: 'key', cancellable: true, progress: true, namesSession: true },
  'checkpoint/revert': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'workspace', idempotency: 'key', cancellable: true, progress: true, namesSession: true },
  'checkpoint/undo': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'workspace', idempotency: 'key', cancellable: true, progress: true, namesSession: true },
  'checkpoint/redo': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'workspace', idempotency: 'key', cancellable: true, progress: true, namesSession: true },
  'checkpoint/delete': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'checkpoint/rename': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'checkpoint/clean': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'conversation/get': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'conversation/history': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'conversation/transcript': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'conversation/append': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'conversation/appendTranscript': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'conversation/setNextMessage': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'conversation/clear': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'conversation/setValidRange': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'conversation/compact': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'conversation/forget': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'conversation/enterTangent': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: true, progress: true, namesSession: true },
  'conversation/exitTangent': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: true, progress: true, namesSession: true },
  'conversation/tangent': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'conversation/addContext': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'conversation/removeContext': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'conversation/context': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'conversation/setTools': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'conversation/setAgents': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'conversation/setModel': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'conversation/setMcpEnabled': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'conversation/recordLines': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'conversation/export': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'workspace', idempotency: 'natural', cancellable: false, progress: false, namesSession: true },
  'conversation/import': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'ledger/recordWrite': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'ledger/history': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'worktree/status': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'store/usage': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'store/gc': { kind: 'request', direction: 'clientToServer', lane: 'session', effects: 'store', idempotency: 'key', cancellable: true, progress: true, namesSession: true },
  'store/verify': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: true, progress: true, namesSession: true },
  'operation/get': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'remote/add': { kind: 'request', direction: 'clientToServer', lane: 'global', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: false },
  'remote/list': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: false },
  'remote/remove': { kind: 'request', direction: 'clientToServer', lane: 'global', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: false },
  'remote/push': { kind: 'request', direction: 'clientToServer', lane: 'remote', effects: 'store', idempotency: 'key', cancellable: true, progress: true, namesSession: true },
  'remote/fetch': { kind: 'request', direction: 'clientToServer', lane: 'remote', effects: 'store', idempotency: 'key', cancellable: true, progress: true, namesSession: false },
  'remote/sessions': { kind: 'request', direction: 'clientToServer', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: true, progress: false, namesSession: false },
  'remote/delete': { kind: 'request', direction: 'clientToServer', lane: 'remote', effects: 'store', idempotency: 'key', cancellable: false, progress: false, namesSession: true },
  'session/import': { kind: 'request', direction: 'clientToServer', lane: 'global', effects: 'store', idempotency: 'key', cancellable: true, progress: true, namesSession: true },
  'session/didOpen': { kind: 'notification', direction: 'serverToClient', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'checkpoint/didCreate': { kind: 'notification', direction: 'serverToClient', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'checkpoint/didRestore': { kind: 'notification', direction: 'serverToClient', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'checkpoint/didFail': { kind: 'notification', direction: 'serverToClient', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'worktree/didChange': { kind: 'notification', direction: 'serverToClient', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'worktree/didDrift': { kind: 'notification', direction: 'serverToClient', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'conversation/didChange': { kind: 'notification', direction: 'serverToClient', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'conversation/didFillWindow': { kind: 'notification', direction: 'serverToClient', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'remote/didFindLine': { kind: 'notification', direction: 'serverToClient', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
  'remote/didPush': { kind: 'notification', direction: 'serverToClient', lane: 'none', effects: 'none', idempotency: 'safe', cancellable: false, progress: false, namesSession: true },
} as const satisfies Readonly<Record<string, MethodFacts>>;

export type MethodName = keyof typeof methods;

/** The code of each kind of error. */
export const errorCodes = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  JsonRpcInternalError: -32603,
  ServerNotInitialized: -32002,
  RequestCancelled: -32800,
  ServerCancelled: -32802,
  InvalidTag: 1001,
  UnknownCheckpoint: 1002,
  UnknownSession: 1003,
  CheckpointsDisabled: 1004,
  IdempotencyConflict: 1005,
  CursorExpired: 1006,
  DuplicateName: 1007,
  PathOutsideWorkTree: 1008,
  LimitExceeded: 1009,
  InvalidName: 1010,
  WorkTreeMissing: 2001,
  NotADirectory: 2002,
  ProtectedWorkTree: 2003,
  WorkTreeBusy: 2004,
  StorageInsideWorkTree: 2005,
  WorkTreeUnreadable: 2006,
  CaptureTimedOut: 2007,
  StoreUnavailable: 3001,
  StoreCorrupt: 3002,
  StoreVersion: 3003,
  NoSpace: 3004,
  StrategyUnavailable: 3005,
  StoreBusy: 3006,
  ReadOnlyStore: 3007,
  RestoreFailed: 4001,
  Conflict: 4002,
  PreconditionFailed: 4003,
  ConfirmationRequired: 4004,
  DataCorrupt: 4005,
  NothingToUndo: 4006,
  UnknownPart: 4007,
  GitMissing: 5001,
  GitTooOld: 5002,
  GitFailed: 5003,
  NotARepository: 5004,
  UnknownEntry: 6001,
  InvalidRange: 6002,
  DocumentInvalid: 6003,
  DocumentVersion: 6004,
  MessageTooLarge: 6005,
  TangentDisabled: 6006,
  UnknownRemote: 7001,
  InvalidRemote: 7002,
  RemoteUnreachable: 7003,
  RemoteRefused: 7004,
  RemoteCorrupt: 7005,
  ServerBusy: 9001,
  ResponseTooLarge: 9002,
  InternalError: 9003,
} as const;

export type ErrorName = keyof typeof errorCodes;
