// Sticky context: which files go with every request, how much room they have, what is left out. It reads files
// through the interface below only, and neither globs nor walks: the session knows the work tree.
import { CheckpointdError } from '../base/errors.ts';
import { fromText, parseTreePath, toText } from '../base/tree-path.ts';
import { contextMessage } from './context-message.ts';
import { windowTokensOf } from './model.ts';
import { refuse, textLength, wellFormed } from './open-object.ts';
import type { ConversationState, Settings } from './state.ts';

export interface ContextFile {
  /** Path in the work tree, as text. */
  readonly path: string;
  readonly bytes: number;
}

/** The work tree as context needs it. */
export interface ContextFiles {
  /** The regular files that a path or glob names, inside the work tree, never through a link out of it. */
  match(pattern: string): Promise<readonly ContextFile[]>;
  /** The file as text (UTF-8, replacement characters where it is not), or undefined when it is gone or unreadable. */
  read(path: string): Promise<string | undefined>;
}

export interface BuiltContext {
  /** '' when there is nothing to send. */
  readonly message: string;
  /** UTF-8 bytes of the message: 002's context_message_length. */
  readonly messageLength: number;
  readonly files: readonly ContextFile[];
  /** Files left out because all together were over the budget: the largest first. */
  readonly dropped: readonly ContextFile[];
  /** Files that matched and could not be read. */
  readonly unreadable: readonly string[];
  /** Patterns that name no file at present. */
  readonly unmatched: readonly string[];
  readonly totalBytes: number;
  readonly budgetBytes: number;
  readonly warnings: readonly string[];
}

/** Bytes that count as one token, in budgets only; models differ, and a bound needs no better. */
export const bytesPerToken = 4;

/** The room for context files in tokens: three quarters of the window (C9), 150,000 by default. */
export function contextBudgetTokens(settings: Settings): number {
  return Math.floor((windowTokensOf(settings.modelInfo) * 3) / 4);
}

/** How full the model's window is (C26): `critical` when text alone reaches it. */
export interface WindowUse {
  /** UTF-16 units of the context message and of the valid part of the history. */
  readonly chars: number;
  readonly windowChars: number;
  readonly level: 'none' | 'critical';
}

/** Estimates the use of the window; walks the valid history, so it is for asking, not for every append. */
export function windowUse(state: ConversationState, contextLength: number): WindowUse {
  const { start, end } = state.validRange;
  let chars = contextLength;
  for (let index = start; index < end; index += 1) {
    const entry = state.history.at(index);
    if (entry !== undefined) chars += textLength(entry.user) + textLength(entry.assistant);
  }
  const windowChars = windowTokensOf(state.modelInfo) * bytesPerToken;
  return { chars, windowChars, level: chars >= windowChars ? 'critical' : 'none' };
}

/** Checks and normalises paths and globs. @throws InvalidParams, PathOutsideWorkTree */
export function checkContextPaths(paths: readonly unknown[]): string[] {
  return paths.map((given, index) => {
    const path = wellFormed(given, `paths[${index}]`);
    const normal = toText(parseTreePath(fromText(path)));
    if (normal === '') refuse(`paths[${index}]`, 'must name a file or a glob inside the work tree.');
    return normal;
  });
}

/** The paths without `removed`. @throws UnknownEntry when one of them is not there: nothing is removed then */
export function withoutPaths(present: readonly string[], removed: readonly string[]): string[] {
  const missing = removed.find((path) => !present.includes(path));
  if (missing !== undefined) {
    throw new CheckpointdError(
      'UnknownEntry',
      `${JSON.stringify(missing)} is not a context path. List the paths with conversation/context.`,
      { details: { path: missing } },
    );
  }
  return present.filter((path) => !removed.includes(path));
}

/** Chooses and reads the files and builds the message. The largest files go first when the budget is too small. */
export async function buildContext(
  settings: Settings,
  summary: string | undefined,
  agentPrompt: string | undefined,
  workTree: ContextFiles,
): Promise<BuiltContext> {
  const { matched, unmatched } = await matchAll(settings.contextPaths, workTree);
  const budgetBytes = contextBudgetTokens(settings) * bytesPerToken;
  const contents = new Map<string, string>();
  const unreadable: string[] = [];
  const read: ContextFile[] = [];
  // Chosen by the sizes that were listed, so that a file over the budget is not even read, and once more by the
  // sizes that were read, because a file may have grown between.
  for (const file of withinBudget(matched, budgetBytes).kept) {
    const content = await workTree.read(file.path);
    if (content === undefined) unreadable.push(file.path);
    else {
      contents.set(file.path, content);
      read.push({ path: file.path, bytes: Buffer.byteLength(content) });
    }
  }
  const { kept: files } = withinBudget(read, budgetBytes);
  const keptPaths = new Set(files.map((file) => file.path));
  const dropped = matched.filter(({ path }) => !keptPaths.has(path) && !unreadable.includes(path));
  const message = contextMessage({
    summary,
    files: files.map(({ path }) => ({ path, content: contents.get(path) ?? '' })),
    agentPrompt,
  });
  return {
    message,
    messageLength: Buffer.byteLength(message),
    files,
    dropped,
    unreadable,
    unmatched,
    totalBytes: sum(files),
    budgetBytes,
    warnings: warningsOf(dropped, unreadable, budgetBytes),
  };
}

async function matchAll(
  patterns: readonly string[],
  workTree: ContextFiles,
): Promise<{ matched: ContextFile[]; unmatched: string[] }> {
  const matched = new Map<string, ContextFile>();
  const unmatched: string[] = [];
  for (const pattern of patterns) {
    const files = await workTree.match(pattern);
    if (files.length === 0) unmatched.push(pattern);
    for (const file of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
      if (!matched.has(file.path)) matched.set(file.path, file);
    }
  }
  return { matched: [...matched.values()], unmatched };
}

function withinBudget(files: readonly ContextFile[], budget: number): { kept: ContextFile[] } {
  const largestFirst = [...files].sort((a, b) => b.bytes - a.bytes);
  const gone = new Set<string>();
  let total = sum(files);
  for (const file of largestFirst) {
    if (total <= budget) break;
    gone.add(file.path);
    total -= file.bytes;
  }
  return { kept: files.filter((file) => !gone.has(file.path)) };
}

function sum(files: readonly ContextFile[]): number {
  return files.reduce((total, file) => total + file.bytes, 0);
}

function warningsOf(
  dropped: readonly ContextFile[],
  unreadable: readonly string[],
  budget: number,
): string[] {
  const warnings = dropped.map(
    ({ path, bytes }) =>
      `The context file ${path} (${bytes} bytes) was left out: all context files together may have ${budget} bytes, three quarters of the model's window. Remove some, or set a model with a larger window.`,
  );
  return warnings.concat(
    unreadable.map((path) => `The context file ${path} could not be read and was left out.`),
  );
}
