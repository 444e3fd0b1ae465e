// The sticky context: files that the client sends to the model with every request. This module finds the files, limits
// their size, and lists the omitted files. This module reads files only through {@link ContextFiles}. The session,
// which has the work tree, implements this interface.
import { attempt, isA } from '../base/attempt.ts';
import { CheckpointdError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { checkPatterns } from '../tree/globs.ts';
import { fromText, parseTreePath, toText } from '../tree/tree-path.ts';
import { type ClientObject, refuse, wellFormed } from './client-object.ts';
import type { Idempotency, Timeline } from './log/timeline.ts';
import { defaultWindowTokens } from './settings.ts';
import type { ConversationSettings, ConversationState } from './state/state.ts';

export interface ContextFile {
  /** The path relative to the work tree, as text. */
  readonly path: string;
  readonly bytes: number;
}

/** A file, and the first path or glob that matches the file. */
export interface MatchedFile extends ContextFile {
  readonly pattern: string;
}

/** The functions with which this module reads the work tree. */
export interface ContextFiles {
  /** Returns the regular files that match a path or glob. Never follows a link out of the work tree. */
  match(pattern: string): Promise<readonly ContextFile[]>;
  /**
   * Returns the text of a file. Bytes that are not UTF-8 become replacement characters. Returns undefined
   * when the file is missing or unreadable.
   */
  read(path: string): Promise<string | undefined>;
}

/** The files that a client would send with a request now. */
export interface ListedContext {
  readonly patterns: readonly string[];
  readonly files: readonly MatchedFile[];
  /** The files that are omitted because the total size exceeds the limit. The largest files are omitted first. */
  readonly dropped: readonly MatchedFile[];
  /** The patterns that currently match no file. */
  readonly unmatched: readonly string[];
  /** The total size of `files` in bytes. */
  readonly size: number;
  /** The limit for the total size of the files in bytes. */
  readonly maxSize: number;
  readonly warnings: readonly string[];
}

export interface BuiltContext extends ListedContext {
  /** The message, or '' when there is nothing to send. */
  readonly message: string;
  /** The length of the message in UTF-8 bytes. In a document this is the field `context_message_length`. */
  readonly messageLength: number;
  /** The files that matched a pattern but could not be read. */
  readonly unreadable: readonly string[];
}

/** Texts that the client adds to the message: the outputs of the client's hooks, and an instruction for the agent. */
export interface ContextAdditions {
  readonly hooks?: readonly string[] | undefined;
  readonly agentPrompt?: string | undefined;
}

/** For the limits, this number of bytes counts as one token. Models differ, but the limits need no exact value. */
export const bytesPerToken = 4;

/** The maximum number of context paths and globs of a conversation. */
const contextPathsMax = 1000;

function windowTokensOf({ modelInfo }: ConversationSettings): number {
  return modelInfo?.contextWindowTokens ?? defaultWindowTokens;
}

/** Returns the limit for context files in tokens: three quarters of the window (C9), 150,000 by default. */
export function contextBudgetTokens(settings: ConversationSettings): number {
  return Math.floor((windowTokensOf(settings) * 3) / 4);
}

/** The part of the model's window that is used. At the level `critical`, the text alone fills the window. */
export interface WindowUse {
  /** The number of UTF-16 units in the context message and in the valid part of the history. */
  readonly characters: number;
  /** The size of the window in characters, computed with {@link bytesPerToken}. */
  readonly maxCharacters: number;
  readonly level: 'none' | 'critical';
}

export function windowUse(state: ConversationState, contextLength: number): WindowUse {
  const characters = contextLength + state.validChars;
  const maxCharacters = windowTokensOf(state) * bytesPerToken;
  return { characters, maxCharacters, level: characters >= maxCharacters ? 'critical' : 'none' };
}

/** Checks and normalises new paths and globs. @throws InvalidParams, PathOutsideWorkTree */
export function checkContextPaths(paths: readonly unknown[]): string[] {
  const checked = normalContextPaths(paths);
  checkPatterns(checked, 'paths');
  return checked;
}

/**
 * Normalises stored paths and globs. Does not check the length of these paths, because earlier versions did not limit
 * the length. @throws InvalidParams, PathOutsideWorkTree
 */
function normalContextPaths(paths: readonly unknown[]): string[] {
  return paths.map((given, index) => {
    const path = wellFormed(given, `paths[${index}]`);
    const normal = toText(parseTreePath(fromText(path)));
    if (normal === '') refuse(`paths[${index}]`, 'must name a file or a glob inside the work tree.');
    return normal;
  });
}

/** Checks the number of paths. @throws LimitExceeded */
function checkPathCount(count: number): void {
  if (count <= contextPathsMax) return;
  throw new CheckpointdError(
    'LimitExceeded',
    `A conversation has at most ${contextPathsMax} context paths. Remove some paths, or name several files with one glob.`,
    { details: { limit: contextPathsMax } },
  );
}

/**
 * Selects files whose total size is within the limit. Uses the sizes in the listing of the work tree, and does not read
 * the files.
 */
async function listContext(settings: ConversationSettings, workTree: ContextFiles): Promise<ListedContext> {
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

/** Reads the files and builds the message. If the files exceed the limit, omits the largest files. */
async function buildContext(
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
  // Selects again by the sizes of the contents that were read, because a file may have grown since the listing.
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
      // Checks the path, because even a pattern that looks harmless can match paths outside the work tree, for example
      // with braces.
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
  return `The context file ${path} (${bytes} bytes) was left out: all context files together may have ${budget} bytes, three quarters of the model's window. Remove some files, or set a model with a larger window.`;
}

// Builds the message with which the client sends the sticky context to a model. The markers and newlines of the message
// are fixed.

const contextEntryStart = '--- CONTEXT ENTRY BEGIN ---\n';
const contextEntryEnd = '--- CONTEXT ENTRY END ---\n\n';

const summaryPreamble =
  'This is a summary of the conversation so far, including tool uses and results. The messages that the ' +
  'summary replaces are no longer available. Rely on the summary, and say so when an answer rests on it.\n\n';

interface ContextParts {
  readonly summary: string | undefined;
  readonly files: readonly { readonly path: string; readonly content: string }[];
  /** The outputs of the client's hooks. Each output becomes one context entry. */
  readonly hooks: readonly string[];
  readonly agentPrompt: string | undefined;
}

/** Returns the message, or '' when there is no context to send. */
function contextMessage(parts: ContextParts): string {
  let message = '';
  if (parts.summary !== undefined) {
    message += `${contextEntryStart}${summaryPreamble}SUMMARY CONTENT:\n${parts.summary}\n${contextEntryEnd}`;
  }
  if (parts.files.length > 0) {
    const contents = parts.files.map(({ path, content }) => `[${path}]\n${content}\n`);
    message += `${contextEntryStart}${contents.join('')}${contextEntryEnd}`;
  }
  for (const output of parts.hooks) message += `${contextEntryStart}${output}\n${contextEntryEnd}`;
  if (parts.agentPrompt !== undefined) message += `Follow this instruction: ${parts.agentPrompt}`;
  return message;
}

// The sticky context of a session's conversation. Adds and removes paths, builds the message, and caches the length of
// the message until a file or a path of the context changes. The watcher reports changes on the disk.

/**
 * The cached length of a message, and the values from which the message was built. The cache compares these values by
 * identity.
 */
interface CachedLength {
  readonly ingredients: readonly unknown[];
  readonly length: number;
  readonly files: ReadonlySet<string>;
}

export class StickyContext {
  readonly #timeline: Timeline;
  #cached: CachedLength | undefined;
  #changes = 0;
  #lastMessageLength = 0;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  get paths(): readonly string[] {
    return this.#timeline.present.settings.contextPaths;
  }

  /**
   * The length in bytes of the last built message. Undefined when a new message could differ from the last message
   * (C25).
   */
  get messageLength(): number | undefined {
    if (this.#cached === undefined) return undefined;
    const now = this.#ingredients();
    const isSame = this.#cached.ingredients.every((ingredient, index) => ingredient === now[index]);
    return isSame ? this.#cached.length : undefined;
  }

  /**
   * The length in bytes of the last built message, even if this message is outdated; 0 before the first message. Used
   * for estimates.
   */
  get lastMessageLength(): number {
    return this.#lastMessageLength;
  }

  /**
   * Adds paths and globs. Paths and globs that the context already has keep their position.
   * @throws PathOutsideWorkTree
   */
  add(paths: readonly unknown[], idempotency?: Idempotency): { added: string[] } {
    const present = this.paths;
    const added = [...new Set(checkContextPaths(paths))].filter((path) => !present.includes(path));
    const operation = { op: 'setContextPaths', paths: [...present, ...added] } as const;
    checkPathCount(operation.paths.length);
    return this.#timeline.commit(operation, () => ({ added }), idempotency);
  }

  /** Removes paths and globs. Ignores unknown paths and globs. @throws PathOutsideWorkTree */
  remove(paths: readonly unknown[], idempotency?: Idempotency): { removed: string[] } {
    const present = this.paths;
    const removed = [...new Set(normalContextPaths(paths))].filter((path) => present.includes(path));
    const left = present.filter((path) => !removed.includes(path));
    return this.#timeline.commit({ op: 'setContextPaths', paths: left }, () => ({ removed }), idempotency);
  }

  /** Returns the files that a client would send with a request now. Does not read the files. */
  list(workTree: ContextFiles): Promise<ListedContext> {
    return listContext(this.#timeline.present.settings, workTree);
  }

  /**
   * Reads the files and builds the message. Caches the length of the message, unless a file changes while the message
   * is built.
   */
  async build(workTree: ContextFiles, additions: ContextAdditions = {}): Promise<BuiltContext> {
    const { thread, settings } = this.#timeline.present;
    const ingredients = this.#ingredients();
    const changes = this.#changes;
    const built = await buildContext(settings, thread.latestSummary?.text, additions, workTree);
    this.#lastMessageLength = built.messageLength;
    if (changes === this.#changes) {
      const files = new Set([...built.files, ...built.dropped].map(({ path }) => path));
      for (const path of built.unreadable) files.add(path);
      this.#cached = { ingredients, length: built.messageLength, files };
    }
    return built;
  }

  /**
   * Discards the cached length if a change may affect the message. The watcher calls this method. When no paths are
   * given, any file may have changed. If the context has a glob, every change may affect the message, because the glob
   * may match a new file.
   */
  invalidate(changed?: Iterable<string>): void {
    const hasGlob = this.paths.some((path) => /[*?[{]/.test(path));
    if (changed === undefined || hasGlob) return this.#forget();
    for (const path of changed) {
      const isNamed = this.paths.some((named) => path === named || path.startsWith(`${named}/`));
      if (isNamed || this.#cached?.files.has(path)) return this.#forget();
    }
    // Another call may be building a message, and may have read one of the changed files before the change.
    if (this.#cached === undefined) this.#changes += 1;
  }

  #forget(): void {
    this.#changes += 1;
    this.#cached = undefined;
  }

  #ingredients(): readonly unknown[] {
    const { thread, settings } = this.#timeline.present;
    return [thread.latestSummary, settings.contextPaths, settings.modelInfo];
  }
}

// Finds the active agent in the agents that a client has set, and the paths and globs in the resources of this agent.
// The daemon stores the agents for the client, and uses no other fields of an agent. The session adds the paths to a
// conversation.

interface AgentResources {
  /** The number of agents. */
  readonly agents: number;
  /** Paths and globs in the work tree, normalised and without duplicates. */
  readonly paths: readonly string[];
  /** The resources that cannot be context files, and the reason for each. */
  readonly warnings: readonly string[];
}

/**
 * Reads the agents from an object whose keys are the agents' names, or from `{agents, activeIdx}`. `activeIdx` names
 * the active agent. Without `activeIdx`, the active agent is the only agent, or the agent `default`. When no agent is
 * active, the result has no paths.
 */
export function agentResources(given: ClientObject): AgentResources {
  const byName = isObject(given.agents) ? given.agents : given;
  const names = Object.keys(byName);
  const named = given.activeIdx ?? given.active_idx;
  const otherwise = names.length === 1 ? names[0] : 'default';
  const name = typeof named === 'string' ? named : otherwise;
  const active = name !== undefined && Object.hasOwn(byName, name) ? byName[name] : undefined;
  const resources =
    isObject(active) && Array.isArray(active.resources) ? (active.resources as unknown[]) : [];
  const paths = new Set<string>();
  const warnings: string[] = [];
  for (const resource of resources) {
    const path = pathOf(resource);
    if (path === undefined) warnings.push(`A resource was left out: ${naming(resource)}.`);
    else if (paths.size < contextPathsMax) paths.add(path);
    else warnings.push(`The resource ${path} was left out: a context has at most ${contextPathsMax} paths.`);
  }
  return { agents: names.length, paths: [...paths], warnings };
}

/**
 * Returns the path or glob of a `file://` resource. Returns undefined for any other resource and for a path
 * outside the work tree.
 */
function pathOf(resource: unknown): string | undefined {
  if (typeof resource !== 'string' || !resource.startsWith('file://')) return undefined;
  const path = resource.slice('file://'.length);
  if (path.startsWith('~')) return undefined;
  return attempt(isA(CheckpointdError), () => checkContextPaths([path])[0]);
}

function naming(resource: unknown): string {
  if (typeof resource !== 'string') return 'it is not text';
  const reason = resource.startsWith('file://')
    ? 'names no file of the work tree'
    : 'is not a file: resource';
  return `"${resource.slice(0, 200)}" ${reason}`;
}
