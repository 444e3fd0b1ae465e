// Defines the methods and events that the inspector's page and server use in addition to the daemon's protocol.

/** A session of this storage. The session may be open or closed. */
export interface InspectedSession {
  readonly session: string;
  readonly workspace: string;
  readonly conversationId: string;
  readonly agent: string;
  readonly strategy: string;
  readonly retention: 'session' | 'keep';
  readonly created: string;
  readonly lastUsedMs: number;
  /** The number of checkpoints. Absent when the server cannot find out the number without opening the session. */
  readonly checkpoints?: number | undefined;
  readonly firstPrompt?: string;
}

export interface OwnRequests {
  /** Returns the server's version, the storage, and the session of the directory in which the command was run. */
  readonly 'inspector/hello': {
    readonly params: Record<string, never>;
    readonly result: { readonly version: string; readonly storage: string; readonly session: string };
  };
  readonly 'inspector/sessions': {
    readonly params: Record<string, never>;
    readonly result: { readonly sessions: readonly InspectedSession[] };
  };
  /** Makes a link for one more window. Returns the fragment of the link's URL. */
  readonly 'inspector/link': {
    readonly params: Record<string, never>;
    readonly result: { readonly fragment: string };
  };
}

/**
 * The daemon's methods that concern a whole storage. The page's request does not name the storage. Instead, its
 * parameter `via` names a session, and the daemon of that session answers.
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
  /** The daemon of a session has ended, and the server tries to reach the session again. */
  readonly 'inspector/didLose': { readonly session: string; readonly why: string };
  /** The server has reached the session again. The page's data about the session may be outdated. */
  readonly 'inspector/didReach': { readonly session: string };
}

/** The kinds of errors that only this server sends. */
export const ownErrors = { gone: 'DaemonGone', refused: 'RefusedHere' } as const;

/**
 * The subprotocol of the WebSocket. To send its secret, a page also offers a second subprotocol: `secretPrefix`
 * followed by the secret.
 */
export const socketProtocol = 'checkpointd';
export const secretPrefix = 'secret.';
