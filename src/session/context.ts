// The sticky context of a session: the files that its paths and globs name now, and the message that is built from
// these files. This module also checks whether the cached length of the message is still valid. The watcher reports
// changes (watching.ts). Because the watcher may miss a change, every look also compares file stamps.
import { CheckpointdError, isKind } from '../base/errors.ts';
import type { ClientObject } from '../conversation/client-object.ts';
import {
  agentResources,
  type BuiltContext,
  type ContextAdditions,
  checkContextPaths,
  type ListedContext,
} from '../conversation/context.ts';
import { lineCount } from '../conversation/line-tracker.ts';
import { type TreePath, toText } from '../tree/tree-path.ts';
import { contextPath, TreeContextFiles } from './context-files.ts';
import type { Session } from './session.ts';

export interface ContextNow {
  readonly listed: ListedContext;
  /**
   * The length in bytes of the message that was built last. Absent when a new message might differ from that message.
   */
  readonly messageLength?: number;
}

/** Returns the list of context files as they are now. Does not read the files. */
export function contextNow(session: Session, signal?: AbortSignal): Promise<ContextNow> {
  return withContextFiles(session, signal, async (tree) => {
    const { context } = session.parts.conversation;
    const listed = await context.list(tree);
    const isStale = session.contextSignature !== tree.signatureOf(pathsOf(listed));
    if (isStale && context.messageLength !== undefined) context.invalidate();
    const { messageLength } = context;
    return messageLength === undefined ? { listed } : { listed, messageLength };
  });
}

export function buildContextMessage(
  session: Session,
  additions: ContextAdditions,
  signal?: AbortSignal,
): Promise<BuiltContext> {
  return withContextFiles(session, signal, async (tree) => {
    const built = await session.parts.conversation.context.build(tree, additions);
    session.contextSignature = tree.signatureOf([...pathsOf(built), ...built.unreadable]);
    return built;
  });
}

/** Refuses paths that lead out of the work tree, by name or through a link. @throws PathOutsideWorkTree */
export async function checkContextTargets(session: Session, paths: readonly string[]): Promise<void> {
  const checked = checkContextPaths(paths);
  await withContextFiles(session, undefined, async (tree) => {
    for (const path of checked) {
      if (tree.find(contextPath(path)).is !== 'outside') continue;
      throw new CheckpointdError(
        'PathOutsideWorkTree',
        `"${path.slice(0, 200)}" is a symbolic link that leads out of the work tree. Copy the file into the work tree, or name another file.`,
        { details: { path: path.slice(0, 200) } },
      );
    }
  });
}

/** Returns the current number of lines of a file in the work tree; 0 for a missing file. */
export function linesNow(session: Session, path: TreePath, signal?: AbortSignal): Promise<number> {
  return withContextFiles(session, signal, async (tree) => lineCount((await tree.read(toText(path))) ?? ''));
}

async function withContextFiles<T>(
  session: Session,
  signal: AbortSignal | undefined,
  use: (tree: TreeContextFiles) => Promise<T>,
): Promise<T> {
  const tree = new TreeContextFiles(session, signal);
  try {
    return await use(tree);
  } finally {
    tree.close();
  }
}

function pathsOf({ files, dropped }: ListedContext): string[] {
  return [...files, ...dropped].map(({ path }) => path);
}

interface KeptAgents {
  /** The number of agents. */
  readonly agents: number;
  /** The paths and globs that were added to the context because the active agent names them as resources. */
  readonly context: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Stores the agents of a client. If the conversation has no context paths, it gets the resources of the active agent as
 * context paths. Otherwise the context paths of the conversation stay unchanged.
 */
export async function keepAgents(session: Session, given: ClientObject): Promise<KeptAgents> {
  const { conversation } = session.parts;
  const { agents, paths, warnings } = agentResources(given);
  conversation.settings.setRuntime({ agents: given });
  if (conversation.context.paths.length > 0) return { agents, context: [], warnings: [] };
  const inside: string[] = [];
  const left = [...warnings];
  for (const path of paths) {
    const refusal = await outsideReason(session, path);
    if (refusal === undefined) inside.push(path);
    else left.push(refusal);
  }
  const { added } = inside.length === 0 ? { added: [] } : conversation.context.add(inside);
  return { agents, context: added, warnings: left };
}

async function outsideReason(session: Session, path: string): Promise<string | undefined> {
  try {
    await checkContextTargets(session, [path]);
    return undefined;
  } catch (error) {
    if (isKind('PathOutsideWorkTree')(error)) return error.message;
    throw error;
  }
}
