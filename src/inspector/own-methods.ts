// The methods and events between the inspector's page and its server, in addition to the daemon's protocol.

/** A session of this storage, open or not. */
export interface InspectedSession {
  readonly session: string;
  readonly workspace: string;
  readonly conversationId: string;
  readonly agent: string;
  readonly strategy: string;
  readonly retention: 'session' | 'keep';
  readonly created: string;
  readonly lastUsedMs: number;
  /** Absent: the number is known only after an opening of the session. */
  readonly checkpoints?: number;
  readonly firstPrompt?: string;
}

export interface OwnRequests {
  /** The server's version, the storage, and the session that the command was run in. */
  readonly 'inspector/hello': {
    readonly params: Record<string, never>;
    readonly result: { readonly version: string; readonly storage: string; readonly session: string };
  };
  readonly 'inspector/sessions': {
    readonly params: Record<string, never>;
    readonly result: { readonly sessions: readonly InspectedSession[] };
  };
  /** Makes a link for one more window. The answer is the fragment of its URL. */
  readonly 'inspector/link': {
    readonly params: Record<string, never>;
    readonly result: { readonly fragment: string };
  };
}

/**
 * The daemon's requests about a storage. In such a request the page names, in `via`, the session whose daemon
 * answers, and no storage.
 */
export const storageMethods = [
  'remote/fetch',
  'remote/list',
  'remote/sessions',
  'session/import',
  'session/list',
] as const;
export type StorageMethod = (typeof storageMethods)[number];

export interface OwnEvents {
  /** The daemon of a session is gone; the server tries to reach the session again. */
  readonly 'inspector/didLose': { readonly session: string; readonly why: string };
  /** The session can be reached again. The page's data about the session may be outdated. */
  readonly 'inspector/didReach': { readonly session: string };
}

/** The kinds of errors that only this server sends. */
export const ownErrors = { gone: 'DaemonGone', refused: 'RefusedHere' } as const;

/** The protocol of the WebSocket. A page offers a second protocol: `secretPrefix` followed by its secret. */
export const socketProtocol = 'checkpointd';
export const secretPrefix = 'secret.';
