// Sticky context: which files go with every request, how much room they have, what is left out. It reads files
// through the interface below only, and neither matches nor walks: the session knows the work tree.
import { CheckpointdError } from '../../base/errors.ts';
import { checkPatterns } from '../../tree/globs.ts';
import { fromText, parseTreePath, toText } from '../../tree/tree-path.ts';
import { refuse, wellFormed } from '../client-object.ts';
import { windowTokensOf } from '../model.ts';
import type { ConversationSettings, ConversationState } from '../state/state.ts';
import { contextMessage } from './context-message.ts';

export interface ContextFile {
  /** Path in the work tree, as text. */
  readonly path: string;
  readonly bytes: number;
}

/** A file and the first path or glob that brought it in. */
export interface MatchedFile extends ContextFile {
  readonly pattern: string;
}

/** The work tree as context needs it. */
export interface ContextFiles {
  /** The regular files that a path or glob names, inside the work tree, never through a link out of it. */
  match(pattern: string): Promise<readonly ContextFile[]>;
  /** The file as text (UTF-8, replacement characters where it is not), or undefined when it is gone or unreadable. */
  read(path: string): Promise<string | undefined>;
}

/** The files that go with a request at present. */
export interface ListedContext {
  readonly patterns: readonly string[];
  readonly files: readonly MatchedFile[];
  /** Files left out because all together were over the budget: the largest first. */
  readonly dropped: readonly MatchedFile[];
  /** Patterns that name no file at present. */
  readonly unmatched: readonly string[];
  /** Bytes of `files`. */
  readonly size: number;
  /** Bytes that they may have together. */
  readonly maxSize: number;
  readonly warnings: readonly string[];
}

export interface BuiltContext extends ListedContext {
  /** '' when there is nothing to send. */
  readonly message: string;
  /** UTF-8 bytes of the message: `context_message_length` of a document. */
  readonly messageLength: number;
  /** Files that matched and could not be read. */
  readonly unreadable: readonly string[];
}

/** What the client adds to the message: outputs of its hooks, the instruction of its agent. */
export interface ContextAdditions {
  readonly hooks?: readonly string[] | undefined;
  readonly agentPrompt?: string | undefined;
}

/** Bytes that count as one token, in budgets only; models differ, and a bound needs no better. */
export const bytesPerToken = 4;

/** Paths and globs that a conversation may have. */
export const contextPathsMax = 1000;

/** The room for context files in tokens: three quarters of the window (C9), 150,000 by default. */
export function contextBudgetTokens(settings: ConversationSettings): number {
  return Math.floor((windowTokensOf(settings.modelInfo) * 3) / 4);
}

/** How full the model's window is: `critical` when text alone reaches it. */
export interface WindowUse {
  /** UTF-16 units of the context message and of the valid part of the history. */
  readonly characters: number;
  /** What the window holds, by {@link bytesPerToken}. */
  readonly maxCharacters: number;
  readonly level: 'none' | 'critical';
}

/** Estimates the use of the window. */
export function windowUse(state: ConversationState, contextLength: number): WindowUse {
  const characters = contextLength + state.validChars;
  const maxCharacters = windowTokensOf(state.modelInfo) * bytesPerToken;
  return { characters, maxCharacters, level: characters >= maxCharacters ? 'critical' : 'none' };
}

/** Checks and normalises paths and globs that are to be stored. @throws InvalidParams, PathOutsideWorkTree */
export function checkContextPaths(paths: readonly unknown[]): string[] {
  const checked = normalContextPaths(paths);
  checkPatterns(checked, 'paths');
  return checked;
}

/** Normalises paths and globs of any length, as they were stored. @throws InvalidParams, PathOutsideWorkTree */
export function normalContextPaths(paths: readonly unknown[]): string[] {
  return paths.map((given, index) => {
    const path = wellFormed(given, `paths[${index}]`);
    const normal = toText(parseTreePath(fromText(path)));
    if (normal === '') refuse(`paths[${index}]`, 'must name a file or a glob inside the work tree.');
    return normal;
  });
}

/** @throws LimitExceeded */
export function checkPathCount(count: number): void {
  if (count <= contextPathsMax) return;
  throw new CheckpointdError(
    'LimitExceeded',
    `A conversation has at most ${contextPathsMax} context paths. Remove some, or name a directory's files by one glob.`,
    { details: { limit: contextPathsMax } },
  );
}

/** The files within the budget, by the sizes the work tree lists; none is read. */
export async function listContext(
  settings: ConversationSettings,
  workTree: ContextFiles,
): Promise<ListedContext> {
  const { matched, unmatched } = await matchAll(settings.contextPaths, workTree);
  const maxSize = contextBudgetTokens(settings) * bytesPerToken;
  const { kept, dropped } = withinBudget(matched, maxSize);
  return {
    patterns: settings.contextPaths,
    files: kept,
    dropped,
    unmatched,
    size: sum(kept),
    maxSize,
    warnings: dropped.map((file) => overBudget(file, maxSize)),
  };
}

/** Reads the files and builds the message. The largest files go first when the budget is too small. */
export async function buildContext(
  settings: ConversationSettings,
  summary: string | undefined,
  additions: ContextAdditions,
  workTree: ContextFiles,
): Promise<BuiltContext> {
  const listed = await listContext(settings, workTree);
  const contents = new Map<string, string>();
  const unreadable: string[] = [];
  const read: MatchedFile[] = [];
  for (const file of listed.files) {
    const content = await workTree.read(file.path);
    if (content === undefined) unreadable.push(file.path);
    else {
      contents.set(file.path, content);
      read.push({ ...file, bytes: Buffer.byteLength(content) });
    }
  }
  // Once more, by the sizes that were read: a file may have grown since it was listed.
  const { kept: files, dropped: grown } = withinBudget(read, listed.maxSize);
  const message = contextMessage({
    summary,
    files: files.map(({ path }) => ({ path, content: contents.get(path) ?? '' })),
    hooks: (additions.hooks ?? []).map((output) => wellFormed(output, 'hooks')),
    agentPrompt:
      additions.agentPrompt === undefined ? undefined : wellFormed(additions.agentPrompt, 'agentPrompt'),
  });
  const dropped = [...listed.dropped, ...grown];
  const warnings = dropped
    .map((file) => overBudget(file, listed.maxSize))
    .concat(unreadable.map((path) => `The context file ${path} could not be read and was left out.`));
  const messageLength = Buffer.byteLength(message);
  return { ...listed, files, dropped, size: sum(files), warnings, message, messageLength, unreadable };
}

async function matchAll(
  patterns: readonly string[],
  workTree: ContextFiles,
): Promise<{ matched: MatchedFile[]; unmatched: string[] }> {
  const matched = new Map<string, MatchedFile>();
  const unmatched: string[] = [];
  for (const pattern of patterns) {
    const files = await workTree.match(pattern);
    if (files.length === 0) unmatched.push(pattern);
    for (const file of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
      // Braces and the like can lead out where the pattern itself did not look so.
      parseTreePath(fromText(file.path));
      if (!matched.has(file.path)) matched.set(file.path, { ...file, pattern });
    }
  }
  return { matched: [...matched.values()], unmatched };
}

function withinBudget(
  files: readonly MatchedFile[],
  budget: number,
): { kept: MatchedFile[]; dropped: MatchedFile[] } {
  const dropped: MatchedFile[] = [];
  let total = sum(files);
  for (const file of [...files].sort((a, b) => b.bytes - a.bytes)) {
    if (total <= budget) break;
    dropped.push(file);
    total -= file.bytes;
  }
  const gone = new Set(dropped);
  return { kept: files.filter((file) => !gone.has(file)), dropped };
}

function sum(files: readonly ContextFile[]): number {
  return files.reduce((total, file) => total + file.bytes, 0);
}

function overBudget({ path, bytes }: ContextFile, budget: number): string {
  return `The context file ${path} (${bytes} bytes) was left out: all context files together may have ${budget} bytes, three quarters of the model's window. Remove some, or set a model with a larger window.`;
}
