// Defines the tools that a model may call. Each tool makes one request to the daemon. Tools that overwrite or delete
// files are marked as destructive, and first show their plan.
import { inWords } from '../../client/reasons.ts';
import type { Checkpoint, RestoreResult, RevertResult } from '../../protocol/types.ts';
import { changesNothing, counts, reasonOf } from '../lines.ts';
import { allCheckpoints } from '../pages.ts';
import { plain } from '../terminal.ts';
import type { McpSession } from './session.ts';

type Schema = Readonly<Record<string, unknown>>;

export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Schema;
  readonly output: Schema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: false;
  };
  /**
   * Runs the tool. Returns the result of the request, and the same result as text for models that do not read
   * structured results.
   */
  readonly run: (
    session: McpSession,
    input: ToolInput,
    signal: AbortSignal,
  ) => Promise<{ readonly result: object; readonly text: string }>;
}

/** All fields that the input of any tool can have. Each tool receives only the fields of its own schema. */
export interface ToolInput {
  readonly tag?: string;
  readonly from?: string;
  readonly to?: string;
  readonly paths?: readonly string[];
  readonly author?: string;
  readonly message?: string;
  readonly name?: string;
  readonly mode?: 'soft' | 'hard';
  readonly conflicts?: 'leave' | 'markers' | 'fail';
  readonly confirm?: boolean;
  readonly limit?: number;
}

const reads = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;
const adds = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
} as const;
const destroys = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
} as const;

const tag = { type: 'string', description: 'A tag (3, 3.2), a name or an id.' };
const paths = {
  type: 'array',
  items: { type: 'string' },
  description: 'Only these paths, relative to the work tree, and all paths below them.',
};
const diffCharactersMax = 100_000;
const namesMax = 50;
/** The maximum number of files that are listed for a checkpoint. Any further files are only counted. */
const filesMax = 1000;

function object(properties: Schema, required: readonly string[] = []): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Returns a schema that allows additional fields, because later versions of the protocol may add fields. */
function open(required: Readonly<Record<string, string>>): Schema {
  const properties = Object.fromEntries(Object.entries(required).map(([key, type]) => [key, { type }]));
  return { type: 'object', properties, required: Object.keys(required) };
}

const restoreOutput = open({ restored: 'array', deleted: 'array', failed: 'array', conflicts: 'array' });

export const tools: readonly McpTool[] = [
  {
    name: 'checkpoint_list',
    title: 'List checkpoints',
    description:
      'Lists the checkpoints of this work tree, newest first: tag, time, changed files, description.',
    input: object({
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: 1000,
        description: 'Return at most this many checkpoints (default 50).',
      },
    }),
    output: open({ checkpoints: 'array', total: 'integer' }),
    annotations: reads,
    run: async (session, { limit = 50 }, signal) => {
      const all = await sessionCheckpoints(session, signal);
      const checkpoints = all.slice(-limit).reverse();
      const lines = checkpoints.map(lineOf);
      return {
        result: { checkpoints, total: all.length },
        text: lines.join('\n') || 'The session has no checkpoints.',
      };
    },
  },
  {
    name: 'checkpoint_show',
    title: 'Show a checkpoint',
    description:
      'Shows a checkpoint: its message, the files that changed since the previous checkpoint, and the files that it leaves out.',
    input: object({ tag }, ['tag']),
    output: open({ checkpoint: 'object', skipped: 'array', files: 'array', fileCount: 'integer' }),
    annotations: reads,
    run: async (session, input, signal) => {
      const shown = await session.ask('checkpoint/get', { tag: input.tag ?? '' }, { signal });
      const wanted = { tag: shown.checkpoint.id, changedOnly: true, limit: filesMax };
      const { files, fileCount } = await session.ask('checkpoint/files', wanted, { signal });
      const lines = files
        .slice(0, namesMax)
        .map(({ change, path }) => `${change ?? 'unchanged'}: ${plain(path)}`);
      if (fileCount > lines.length) lines.push(`and ${fileCount - lines.length} more`);
      const text = [lineOf(shown.checkpoint), shown.message ?? '', ...lines].join('\n');
      return { result: { ...shown, files, fileCount }, text };
    },
  },
  {
    name: 'checkpoint_diff',
    title: 'Compare checkpoints',
    description: 'Shows what changed between two checkpoints, or since a checkpoint, as a unified diff.',
    input: object({
      from: { ...tag, description: 'The earlier checkpoint (default: the base, 0).' },
      to: { ...tag, description: 'The later checkpoint (default: the work tree).' },
      paths,
    }),
    output: open({ files: 'array', stats: 'object' }),
    annotations: reads,
    run: async (session, { from, to, paths: only }, signal) => {
      const params = {
        from,
        to,
        ...pathsOf(only),
      };
      const result = await session.ask('checkpoint/diff', { ...params, format: 'unified' }, { signal });
      const { text = '', ...rest } = result;
      const isCut = text.length > diffCharactersMax;
      const shown = isCut ? text.slice(0, diffCharactersMax) : text;
      return {
        result: { ...rest, text: shown, ...(isCut ? { truncated: true } : {}) },
        text: `${shown || 'The two sides do not differ.'}${isCut ? '\n… the output is cut; name fewer paths to see the rest' : ''}`,
      };
    },
  },
  {
    name: 'checkpoint_create',
    title: 'Make a checkpoint',
    description: 'Saves all files of the work tree as they are now. Do this before a risky change.',
    input: object({
      message: { type: 'string', description: 'A description of the checkpoint.' },
      name: { type: 'string', description: 'A name for the checkpoint, unique in this session.' },
    }),
    output: open({ created: 'boolean', checkpoint: 'object' }),
    annotations: adds,
    run: async (session, { message, name }, signal) => {
      const result = await session.ask(
        'checkpoint/create',
        {
          kind: 'turn',
          message,
          name,
        },
        { signal, make: true },
      );
      return { result, text: `Made ${lineOf(result.checkpoint)}` };
    },
  },
  {
    name: 'checkpoint_restore',
    title: 'Restore files',
    description:
      'Restores the files of a checkpoint. Without `confirm` it changes nothing and returns the plan. Look at the plan, then repeat the call with `confirm: true`. Before a restore, checkpointd saves everything that would be lost. checkpoint_undo reverses a restore.',
    input: object(
      {
        tag,
        mode: {
          enum: ['soft', 'hard'],
          description: 'soft keeps files that were created later; hard also deletes them (default: soft).',
        },
        paths,
        author: {
          type: 'string',
          description:
            'Restore only what one agent wrote since the checkpoint. Give the name of the agent or the id of its own session. Files are skipped if checkpointd cannot distinguish their authors.',
        },
        confirm: { type: 'boolean', description: 'True to restore, instead of returning the plan.' },
      },
      ['tag'],
    ),
    output: restoreOutput,
    annotations: destroys,
    run: async (session, { tag: wanted = '', mode = 'soft', paths: only, author, confirm }, signal) => {
      const params = { tag: wanted, mode, scope: 'files' as const, ...pathsOf(only), author };
      const isReal = confirm === true;
      const result = await session.ask(
        'checkpoint/restore',
        { ...params, ...(isReal ? { confirm: true } : { dryRun: true }) },
        { signal },
      );
      const planned = changesNothing(result)
        ? 'The restore would change nothing.'
        : 'Nothing was changed. Repeat with confirm: true.';
      const end = isReal ? 'checkpoint_undo reverses the restore.' : planned;
      return { result, text: `${textOf(result)}\n${end}` };
    },
  },
  {
    name: 'checkpoint_revert',
    title: 'Revert a turn or tool',
    description:
      'Reverses the changes of one turn or tool, or of a range of checkpoints, and keeps all later changes. Without `confirm` it changes nothing and returns the plan with its conflicts. Look at the plan, then repeat the call with `confirm: true`. checkpoint_undo reverses a revert.',
    input: object({
      tag: {
        ...tag,
        description: 'The checkpoint of the turn or tool. Give either `tag`, or `from` and `to`.',
      },
      from: { ...tag, description: 'The earlier end of a range.' },
      to: { ...tag, description: 'The later end of the range (default: the work tree).' },
      paths,
      author: {
        type: 'string',
        description:
          'Revert only what one agent wrote. Give the name of the agent or the id of its own session. Without `tag` and `from`, the revert covers everything that the agent wrote since the first checkpoint. Files are skipped if checkpointd cannot distinguish their authors.',
      },
      conflicts: {
        enum: ['leave', 'markers', 'fail'],
        description:
          'What to do with files whose later changes conflict with the revert: leave them, write both versions with markers, or fail without any change (default: leave).',
      },
      confirm: { type: 'boolean', description: 'True to revert, instead of returning the plan.' },
    }),
    output: open({
      paths: 'array',
      restored: 'array',
      deleted: 'array',
      failed: 'array',
      conflicts: 'array',
    }),
    annotations: destroys,
    run: async (
      session,
      { tag: wanted, from, to, paths: only, author, conflicts = 'leave', confirm },
      signal,
    ) => {
      const isReal = confirm === true;
      const result = await session.ask(
        'checkpoint/revert',
        {
          tag: wanted,
          from,
          to,
          author,
          ...pathsOf(only),
          conflicts,
          ...(isReal ? { confirm: true } : { dryRun: true }),
        },
        { signal },
      );
      const planned = changesNothing(result)
        ? 'The revert would change nothing.'
        : 'Nothing was changed. Repeat with confirm: true.';
      const end = isReal ? 'checkpoint_undo reverses the revert.' : planned;
      return { result, text: `${textOf(result)}\n${end}` };
    },
  },
  {
    name: 'checkpoint_undo',
    title: 'Undo a restore',
    description: 'Reverses the last restore. The files are then as they were before that restore.',
    input: object({}),
    output: restoreOutput,
    annotations: destroys,
    run: async (session, _, signal) => {
      const result = await session.ask('checkpoint/undo', { confirm: true }, { signal });
      return { result, text: `${textOf(result)}\ncheckpoint_redo repeats the restore.` };
    },
  },
  {
    name: 'checkpoint_redo',
    title: 'Redo a restore',
    description: 'Repeats the restore that checkpoint_undo reversed.',
    input: object({}),
    output: restoreOutput,
    annotations: destroys,
    run: async (session, _, signal) => {
      const result = await session.ask('checkpoint/redo', { confirm: true }, { signal });
      return { result, text: textOf(result) };
    },
  },
];

/** Returns all pages of the listing, oldest first. */
export function sessionCheckpoints(session: McpSession, signal: AbortSignal): Promise<Checkpoint[]> {
  return allCheckpoints({ ask: (method, params) => session.ask(method, params, { signal }) });
}

export function lineOf({ tag: its, id, timestamp, stats, description }: Checkpoint): string {
  return `[${its ?? id}] ${timestamp} ${counts(stats)} ${plain(description)}`;
}

function textOf(result: RestoreResult | RevertResult): string {
  const would = result.dryRun === true ? 'would be ' : '';
  const reverted = 'paths' in result ? result.paths : [];
  const conflicts = new Map(
    reverted.flatMap((each) => (each.reason === undefined ? [] : [[each.path, reasonOf(each)] as const])),
  );
  const lists = {
    restored: result.restored,
    deleted: result.deleted,
    conflicts: result.conflicts.map(({ path }) => ({ path, because: conflicts.get(path) })),
    // In a revert, the skipped paths with the reason "conflict" are already listed as conflicts.
    skipped: result.skipped
      .filter(({ path, reason }) => reason !== 'conflict' || !conflicts.has(path))
      .map(explained),
    failed: result.failed.map(explained),
  };
  const parts = Object.entries(lists).flatMap(([what, paths]) =>
    paths.length === 0 ? [] : [`${would}${what} (${paths.length}): ${namesOf(paths)}`],
  );
  return parts.join('\n') || 'No file changes.';
}

interface NamedPath {
  readonly path: string;
  readonly because?: string | undefined;
}

const explained = ({ path, reason }: { readonly path: string; readonly reason: string }): NamedPath => ({
  path,
  because: inWords(reason),
});

/** The text is short, because the user of the model pays for every word. The structured result has all names. */
function namesOf(paths: readonly NamedPath[]): string {
  const names = paths
    .slice(0, namesMax)
    .map(({ path, because }) => plain(because === undefined ? path : `${path} (${because})`));
  return [...names, ...(paths.length > namesMax ? [`and ${paths.length - namesMax} more`] : [])].join(', ');
}

function pathsOf(only: readonly string[] | undefined): {
  readonly paths?: readonly { readonly path: string }[];
} {
  return only === undefined || only.length === 0 ? {} : { paths: only.map((path) => ({ path })) };
}
