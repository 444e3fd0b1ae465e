// Sticky context: which files go with every request, how much room they have, what is left out. It reads files
// through the interface below only, and neither matches nor walks: the session knows the work tree.
import { attempt, isA } from '../base/attempt.ts';
import { CheckpointdError } from '../base/errors.ts';
import { checkPatterns } from '../tree/globs.ts';
import { fromText, parseTreePath, toText } from '../tree/tree-path.ts';
import { type ClientObject, isObject, refuse, wellFormed } from './client-object.ts';
import type { Idempotency, Timeline } from './log/timeline.ts';
import { defaultWindowTokens } from './settings.ts';
import type { ConversationSettings, ConversationState } from './state/state.ts';

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

/** Texts that the client adds to the message: outputs of its hooks, the instruction of its agent. */
export interface ContextAdditions {
  readonly hooks?: readonly string[] | undefined;
  readonly agentPrompt?: string | undefined;
}

/** Bytes that count as one token, in budgets only; models differ, and a bound needs no better. */
export const bytesPerToken = 4;

/** Paths and globs that a conversation may have. */
const contextPathsMax = 1000;

function windowTokensOf({ modelInfo }: ConversationSettings): number {
  return modelInfo?.contextWindowTokens ?? defaultWindowTokens;
}

/** The room for context files in tokens: three quarters of the window (C9), 150,000 by default. */
export function contextBudgetTokens(settings: ConversationSettings): number {
  return Math.floor((windowTokensOf(settings) * 3) / 4);
}

/** How full the model's window is: `critical` when text alone reaches it. */
export interface WindowUse {
  /** UTF-16 units of the context message and of the valid part of the history. */
  readonly characters: number;
  /** The size of the window, by {@link bytesPerToken}. */
  readonly maxCharacters: number;
  readonly level: 'none' | 'critical';
}

export function windowUse(state: ConversationState, contextLength: number): WindowUse {
  const characters = contextLength + state.validChars;
  const maxCharacters = windowTokensOf(state) * bytesPerToken;
  return { characters, maxCharacters, level: characters >= maxCharacters ? 'critical' : 'none' };
}

/** Checks and normalises paths and globs that are to be stored. @throws InvalidParams, PathOutsideWorkTree */
export function checkContextPaths(paths: readonly unknown[]): string[] {
  const checked = normalContextPaths(paths);
  checkPatterns(checked, 'paths');
  return checked;
}

/** Normalises paths and globs of any length, as they were stored. @throws InvalidParams, PathOutsideWorkTree */
function normalContextPaths(paths: readonly unknown[]): string[] {
  return paths.map((given, index) => {
    const path = wellFormed(given, `paths[${index}]`);
    const normal = toText(parseTreePath(fromText(path)));
    if (normal === '') refuse(`paths[${index}]`, 'must name a file or a glob inside the work tree.');
    return normal;
  });
}

/** @throws LimitExceeded */
function checkPathCount(count: number): void {
  if (count <= contextPathsMax) return;
  throw new CheckpointdError(
    'LimitExceeded',
    `A conversation has at most ${contextPathsMax} context paths. Remove some, or name several files with one glob.`,
    { details: { limit: contextPathsMax } },
  );
}

/** The files within the budget, by the sizes the work tree lists; none is read. */
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

/** Reads the files and builds the message. The largest files go first when the budget is too small. */
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

// Builds the message that carries the sticky context to a model, with its markers exactly, newlines included.

const contextEntryStart = '--- CONTEXT ENTRY BEGIN ---\n';
const contextEntryEnd = '--- CONTEXT ENTRY END ---\n\n';

const summaryPreamble =
  'What follows is a summary of the conversation up to now, tool uses and results included. The messages it ' +
  'stands for are no longer there: rely on it, and say so where an answer rests on it.\n\n';

interface ContextParts {
  readonly summary: string | undefined;
  readonly files: readonly { readonly path: string; readonly content: string }[];
  /** Outputs of the client's hooks, one context entry each. */
  readonly hooks: readonly string[];
  readonly agentPrompt: string | undefined;
}

/** The message, or '' when there is no context at all: then nothing is to be sent. */
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

// The context files of a conversation as its session uses them: paths added and removed, the message built, its
// length remembered until something it was built from changes. The watcher reports what changed on disk.

/** The values that the message of a cached length was built from. The cache compares them by identity. */
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

  /** Bytes of the message as last built; undefined when it would be another one now (C25). */
  get messageLength(): number | undefined {
    if (this.#cached === undefined) return undefined;
    const now = this.#ingredients();
    const isSame = this.#cached.ingredients.every((ingredient, index) => ingredient === now[index]);
    return isSame ? this.#cached.length : undefined;
  }

  /** Bytes of the message as last built, whatever has changed since; 0 before the first. For estimates. */
  get lastMessageLength(): number {
    return this.#lastMessageLength;
  }

  /** Adds paths and globs; those that are there already stay where they are. @throws PathOutsideWorkTree */
  add(paths: readonly unknown[], idempotency?: Idempotency): { added: string[] } {
    const present = this.paths;
    const added = [...new Set(checkContextPaths(paths))].filter((path) => !present.includes(path));
    const operation = { op: 'setContextPaths', paths: [...present, ...added] } as const;
    checkPathCount(operation.paths.length);
    return this.#timeline.commit(operation, () => ({ added }), idempotency);
  }

  /** Removes paths and globs; those that are not there make no difference. @throws PathOutsideWorkTree */
  remove(paths: readonly unknown[], idempotency?: Idempotency): { removed: string[] } {
    const present = this.paths;
    const removed = [...new Set(normalContextPaths(paths))].filter((path) => present.includes(path));
    const left = present.filter((path) => !removed.includes(path));
    return this.#timeline.commit({ op: 'setContextPaths', paths: left }, () => ({ removed }), idempotency);
  }

  /** The files that would go with a request now; reads none. */
  list(workTree: ContextFiles): Promise<ListedContext> {
    return listContext(this.#timeline.present.settings, workTree);
  }

  /** Reads the files and builds the message; remembers its length unless a file changed meanwhile. */
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

  /** Told by the watcher. Without paths, anything may have changed. A glob may match what is new: any change counts. */
  noteChanges(changed?: Iterable<string>): void {
    const hasGlob = this.paths.some((path) => /[*?[{]/.test(path));
    if (changed === undefined || hasGlob) return this.#forget();
    for (const path of changed) {
      const isNamed = this.paths.some((named) => path === named || path.startsWith(`${named}/`));
      if (isNamed || this.#cached?.files.has(path)) return this.#forget();
    }
    // A build in progress may have read a file before it changed, and its files are not known yet.
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

// Reads the agents of a client: which of them is active, and the paths and globs that its resources name. The daemon
// keeps the agents for the client and reads nothing else of them. The session adds the paths to a conversation.

interface AgentResources {
  /** How many agents there are. */
  readonly agents: number;
  /** Paths and globs of the work tree, normal, each once. */
  readonly paths: readonly string[];
  /** Resources that cannot be context files, and why. */
  readonly warnings: readonly string[];
}

/**
 * Reads agents given by name, or as `{agents, activeIdx}`. Active is the agent that `activeIdx` names, else the only
 * one, else the one named `default`; without any there are no resources.
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

/** The path or glob of a `file://` resource, or undefined when it is none, or none of the work tree. */
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
