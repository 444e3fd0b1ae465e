// Generated from protocol/protocol.json by scripts/generate-protocol.ts. Do not edit.
// Checks parameters and results with generated code. Reads no schema at run time.
import type { Issue as FoundIssue } from './types.ts';

export type { Issue } from './types.ts';

/** The findings of one validation. */
interface Gathering {
  readonly issues: FoundIssue[];
  /** True to remove optional fields that are null, so that later code need not handle null. */
  readonly dropNulls: boolean;
}
type Check = (value: unknown, at: string, to: Gathering) => void;
type Fields = Record<string, unknown>;

const issuesMax = 50;
const depthMax = 512;
const loneSurrogate = /\p{Surrogate}/u;

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : typeof value;
}

function refuse(to: Gathering, at: string, message: string, expected: string): void {
  if (to.issues.length < issuesMax) to.issues.push({ path: at, message, expected });
}

function wrong(value: unknown, at: string, to: Gathering, expected: string): void {
  refuse(to, at, `is ${kindOf(value)}, should be ${expected}`, expected);
}

function string(value: unknown, at: string, to: Gathering): value is string {
  if (typeof value !== 'string') {
    wrong(value, at, to, 'string');
    return false;
  }
  if (loneSurrogate.test(value)) {
    refuse(to, at, 'holds a lone surrogate, should be well-formed Unicode', 'string');
    return false;
  }
  return true;
}

function text(value: unknown, at: string, to: Gathering, min: number, max: number): void {
  if (!string(value, at, to)) return;
  // JSON Schema counts code points; UTF-16 has at least as many units, so most strings need no count.
  const short = value.length < min || (value.length < 2 * min && [...value].length < min);
  if (short) refuse(to, at, `is shorter than ${min} characters`, `string of at least ${min} characters`);
  else if (value.length > max && (value.length > 2 * max || [...value].length > max))
    refuse(to, at, `is longer than ${max} characters`, `string of at most ${max} characters`);
}

function integer(value: unknown, at: string, to: Gathering, min: number, max: number): void {
  if (typeof value !== 'number') wrong(value, at, to, 'integer');
  else if (!Number.isSafeInteger(value)) refuse(to, at, 'is no exact integer', 'integer');
  else if (value < min || value > max)
    refuse(to, at, `is ${value}, should be from ${min} to ${max}`, `integer from ${min} to ${max}`);
}

function boolean(value: unknown, at: string, to: Gathering): void {
  if (typeof value !== 'boolean') wrong(value, at, to, 'boolean');
}

function nothing(value: unknown, at: string, to: Gathering): void {
  if (value !== null && value !== undefined) wrong(value, at, to, 'null');
}

function exactly(value: unknown, at: string, to: Gathering, constant: string): void {
  if (value !== constant) refuse(to, at, `should be "${constant}"`, `"${constant}"`);
}

function oneOf(value: unknown, at: string, to: Gathering, values: readonly string[]): void {
  if (typeof value !== 'string') wrong(value, at, to, values.join(' | '));
  else if (!values.includes(value)) refuse(to, at, `should be one of ${values.join(', ')}`, values.join(' | '));
}

function integerOrString(value: unknown, at: string, to: Gathering, min: number, max: number): void {
  if (typeof value === 'number') integer(value, at, to, min, max);
  else if (typeof value === 'string') string(value, at, to);
  else wrong(value, at, to, 'integer | string');
}

/** Returns the fields of an object. `[]` counts as `{}`, because clients in Lua cannot distinguish the two. */
function record(value: unknown, at: string, to: Gathering): Fields | undefined {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  if (Array.isArray(value) && value.length === 0) return {};
  wrong(value, at, to, 'object');
  return undefined;
}

function need(fields: Fields, name: string, at: string, to: Gathering, check: Check): void {
  const value = fields[name];
  if (value === undefined) refuse(to, `${at}/${name}`, 'is missing', 'present');
  else check(value, `${at}/${name}`, to);
}

function may(fields: Fields, name: string, at: string, to: Gathering, check: Check): void {
  const value = fields[name];
  if (value === undefined) return;
  if (value !== null) check(value, `${at}/${name}`, to);
  else if (to.dropNulls) delete fields[name];
}

function list(value: unknown, at: string, to: Gathering, min: number, max: number, check: Check): void {
  if (!Array.isArray(value)) {
    wrong(value, at, to, 'array');
    return;
  }
  if (value.length < min || value.length > max)
    refuse(to, at, `has ${value.length} items, should have from ${min} to ${max}`, `array of ${min} to ${max} items`);
  else for (let i = 0; i < value.length && to.issues.length < issuesMax; i += 1) check(value[i], `${at}/${i}`, to);
}

function pointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function map(value: unknown, at: string, to: Gathering, check: Check): void {
  const fields = record(value, at, to);
  if (fields === undefined) return;
  for (const [name, item] of Object.entries(fields)) {
    if (loneSurrogate.test(name)) refuse(to, at, 'has a name that is not well-formed Unicode', 'string');
    check(item, `${at}/${pointer(name)}`, to);
  }
}

/**
 * Checks open content: any JSON, with well-formed strings and a bounded depth. Uses its own stack instead of
 * recursion.
 */
function json(value: unknown, at: string, to: Gathering): void {
  if (typeof value === 'string') {
    string(value, at, to);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const values: unknown[] = [value];
  const depths: number[] = [1];
  while (values.length > 0) {
    const item = values.pop();
    const depth = depths.pop() ?? 0;
    if (typeof item === 'string' && loneSurrogate.test(item)) {
      refuse(to, at, 'holds a string with a lone surrogate', 'well-formed Unicode');
      return;
    }
    if (typeof item !== 'object' || item === null) continue;
    if (depth > depthMax) {
      refuse(to, at, `is nested more than ${depthMax} levels deep`, `at most ${depthMax} levels`);
      return;
    }
    for (const [name, child] of Object.entries(item)) {
      if (loneSurrogate.test(name)) {
        refuse(to, at, 'holds a name with a lone surrogate', 'well-formed Unicode');
        return;
      }
      if (typeof child === 'string' || (typeof child === 'object' && child !== null)) {
        values.push(child);
        depths.push(depth + 1);
      }
    }
  }
}

/** The fields of an open object that the protocol does not name. */
function others(fields: Fields, at: string, to: Gathering, known: ReadonlySet<string>): void {
  for (const [name, item] of Object.entries(fields)) if (!known.has(name)) json(item, `${at}/${pointer(name)}`, to);
}

function Json(v: unknown, p: string, g: Gathering): void {
  json(v, p, g);
}

function Null(v: unknown, p: string, g: Gathering): void {
  nothing(v, p, g);
}

function JsonObject(v: unknown, p: string, g: Gathering): void {
  map(v, p, g, Json);
}

function SessionId(v: unknown, p: string, g: Gathering): void {
  text(v, p, g, 1, 128);
}

function CheckpointId(v: unknown, p: string, g: Gathering): void {
  text(v, p, g, 1, 128);
}

function CheckpointRef(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function Tag(v: unknown, p: string, g: Gathering): void {
  text(v, p, g, 1, 32);
}

function SnapshotId(v: unknown, p: string, g: Gathering): void {
  text(v, p, g, 1, 128);
}

function CommitId(v: unknown, p: string, g: Gathering): void {
  text(v, p, g, 4, 64);
}

function OperationId(v: unknown, p: string, g: Gathering): void {
  text(v, p, g, 1, 128);
}

function EntryId(v: unknown, p: string, g: Gathering): void {
  text(v, p, g, 1, 128);
}

function IdempotencyKey(v: unknown, p: string, g: Gathering): void {
  text(v, p, g, 1, 256);
}

function Cursor(v: unknown, p: string, g: Gathering): void {
  text(v, p, g, 1, 4096);
}

function Timestamp(v: unknown, p: string, g: Gathering): void {
  text(v, p, g, 20, 30);
}

function Base64(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function PathText(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function Workspace(v: unknown, p: string, g: Gathering): void {
  text(v, p, g, 1, 9007199254740991);
}

function Milliseconds(v: unknown, p: string, g: Gathering): void {
  integer(v, p, g, 0, 9007199254740991);
}

function Bytes(v: unknown, p: string, g: Gathering): void {
  integer(v, p, g, 0, 9007199254740991);
}

function Count(v: unknown, p: string, g: Gathering): void {
  integer(v, p, g, 0, 9007199254740991);
}

function ProgressToken(v: unknown, p: string, g: Gathering): void {
  integerOrString(v, p, g, -9007199254740991, 9007199254740991);
}

function RequestId(v: unknown, p: string, g: Gathering): void {
  integerOrString(v, p, g, -9007199254740991, 9007199254740991);
}

function Strategy(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function Retention(v: unknown, p: string, g: Gathering): void {
  oneOf(v, p, g, ['session', 'keep']);
}

function InitMode(v: unknown, p: string, g: Gathering): void {
  oneOf(v, p, g, ['auto', 'force', 'never']);
}

function RecoverMode(v: unknown, p: string, g: Gathering): void {
  oneOf(v, p, g, ['conversation']);
}

function Durability(v: unknown, p: string, g: Gathering): void {
  oneOf(v, p, g, ['process', 'power']);
}

function CheckpointKind(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function CreateKind(v: unknown, p: string, g: Gathering): void {
  oneOf(v, p, g, ['turn', 'tool']);
}

function ListKind(v: unknown, p: string, g: Gathering): void {
  oneOf(v, p, g, ['turn', 'tool', 'all', 'every', 'safety']);
}

function PruneMode(v: unknown, p: string, g: Gathering): void {
  oneOf(v, p, g, ['now']);
}

function DisabledReason(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function SkipReason(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function CapturePath(v: unknown, p: string, g: Gathering): void {
  oneOf(v, p, g, ['fast', 'cold']);
}

function ColdReason(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function ChangeKind(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function DiffFormat(v: unknown, p: string, g: Gathering): void {
  oneOf(v, p, g, ['nameStatus', 'stat', 'unified', 'contents', 'text']);
}

function RestoreMode(v: unknown, p: string, g: Gathering): void {
  oneOf(v, p, g, ['soft', 'hard']);
}

function RestoreScope(v: unknown, p: string, g: Gathering): void {
  oneOf(v, p, g, ['files', 'conversation', 'both']);
}

function ConflictPolicy(v: unknown, p: string, g: Gathering): void {
  oneOf(v, p, g, ['overwrite', 'skip', 'fail']);
}

function RevertConflictPolicy(v: unknown, p: string, g: Gathering): void {
  oneOf(v, p, g, ['leave', 'markers', 'fail']);
}

function RevertOutcome(v: unknown, p: string, g: Gathering): void {
  oneOf(v, p, g, ['clean', 'alreadyGone', 'conflict']);
}

function RevertConflict(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function FailureReason(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function ContentEncoding(v: unknown, p: string, g: Gathering): void {
  oneOf(v, p, g, ['utf-8', 'base64']);
}

function NotRemovedReason(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function Author(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function WatchState(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function OperationState(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function Effects(v: unknown, p: string, g: Gathering): void {
  oneOf(v, p, g, ['none', 'committed', 'rolledBack', 'unknown']);
}

function TraceValue(v: unknown, p: string, g: Gathering): void {
  oneOf(v, p, g, ['off', 'messages', 'verbose']);
}

function EventName(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function ErrorKind(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function ProblemKind(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function WriteOperation(v: unknown, p: string, g: Gathering): void {
  oneOf(v, p, g, ['create', 'strReplace', 'insert', 'append']);
}

function PathRef(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'path', p, g, PathText);
  may(o, 'pathBytes', p, g, Base64);
}

function SkippedPath(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'path', p, g, PathText);
  may(o, 'pathBytes', p, g, Base64);
  need(o, 'reason', p, g, SkipReason);
}

function FailedPath(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'path', p, g, PathText);
  may(o, 'pathBytes', p, g, Base64);
  need(o, 'reason', p, g, FailureReason);
  may(o, 'message', p, g, string);
}

function ConflictPath(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'path', p, g, PathText);
  may(o, 'pathBytes', p, g, Base64);
  may(o, 'author', p, g, Author);
}

function Writer(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'author', p, g, Author);
  may(o, 'session', p, g, SessionId);
}

function RevertPath(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'path', p, g, PathText);
  may(o, 'pathBytes', p, g, Base64);
  need(o, 'outcome', p, g, RevertOutcome);
  may(o, 'partial', p, g, boolean);
  may(o, 'reason', p, g, RevertConflict);
  may(o, 'taken', p, g, Writer);
  may(o, 'later', p, g, Writer);
}

function FileStats(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'added', p, g, Count);
  need(o, 'modified', p, g, Count);
  need(o, 'deleted', p, g, Count);
}

function Checkpoint(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'id', p, g, CheckpointId);
  may(o, 'tag', p, g, Tag);
  may(o, 'formerTag', p, g, Tag);
  may(o, 'previousTag', p, g, Tag);
  may(o, 'parent', p, g, CheckpointId);
  need(o, 'kind', p, g, CheckpointKind);
  need(o, 'seq', p, g, (v, p, g) => integer(v, p, g, 0, 9007199254740991));
  need(o, 'timestamp', p, g, Timestamp);
  need(o, 'description', p, g, string);
  need(o, 'isTurn', p, g, boolean);
  may(o, 'toolName', p, g, string);
  may(o, 'name', p, g, string);
  may(o, 'detached', p, g, boolean);
  may(o, 'damaged', p, g, boolean);
  need(o, 'snapshot', p, g, SnapshotId);
  may(o, 'commit', p, g, CommitId);
  need(o, 'stats', p, g, FileStats);
  need(o, 'historyLength', p, g, Count);
  may(o, 'fileCount', p, g, Count);
  may(o, 'totalSize', p, g, Bytes);
}

function CheckpointsState(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'enabled', p, g, boolean);
  may(o, 'reason', p, g, DisabledReason);
  may(o, 'message', p, g, string);
}

function SessionLimits(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  may(o, 'maxFileBytes', p, g, Bytes);
  may(o, 'maxStoreBytes', p, g, Bytes);
  may(o, 'maxCheckpoints', p, g, (v, p, g) => integer(v, p, g, 1, 9007199254740991));
  may(o, 'maxAgeDays', p, g, (v, p, g) => integer(v, p, g, 0, 36500));
  may(o, 'keepSafetyMs', p, g, (v, p, g) => integer(v, p, g, 0, 9007199254740991));
  may(o, 'initTimeoutMs', p, g, (v, p, g) => integer(v, p, g, 1, 3600000));
  may(o, 'maxMessageCharacters', p, g, (v, p, g) => integer(v, p, g, 1, 16777216));
}

function CaptureCounts(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'fast', p, g, Count);
  need(o, 'cold', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, ColdCount));
}

function ColdCount(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'reason', p, g, ColdReason);
  need(o, 'count', p, g, Count);
}

function CaptureInfo(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'path', p, g, CapturePath);
  may(o, 'reason', p, g, ColdReason);
  need(o, 'ms', p, g, Milliseconds);
}

function HistoryRange(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'start', p, g, Count);
  need(o, 'end', p, g, Count);
}

function ConversationLengths(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'historyLength', p, g, Count);
  need(o, 'transcriptLength', p, g, Count);
  need(o, 'validHistoryRange', p, g, HistoryRange);
}

function RestoreCounts(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'restored', p, g, Count);
  need(o, 'deleted', p, g, Count);
  need(o, 'failed', p, g, Count);
  need(o, 'conflicts', p, g, Count);
  need(o, 'skipped', p, g, Count);
}

function RestoreResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'restored', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, PathRef));
  need(o, 'deleted', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, PathRef));
  need(o, 'failed', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, FailedPath));
  need(o, 'conflicts', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, ConflictPath));
  need(o, 'skipped', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, SkippedPath));
  may(o, 'safety', p, g, CheckpointId);
  may(o, 'checkpoint', p, g, Checkpoint);
  may(o, 'conversation', p, g, ConversationLengths);
  need(o, 'counts', p, g, RestoreCounts);
  may(o, 'dryRun', p, g, boolean);
  need(o, 'ms', p, g, Milliseconds);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function RevertResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'from', p, g, CheckpointId);
  may(o, 'to', p, g, CheckpointId);
  need(o, 'paths', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, RevertPath));
  need(o, 'restored', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, PathRef));
  need(o, 'deleted', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, PathRef));
  need(o, 'failed', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, FailedPath));
  need(o, 'conflicts', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, ConflictPath));
  need(o, 'skipped', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, SkippedPath));
  may(o, 'safety', p, g, CheckpointId);
  may(o, 'checkpoint', p, g, Checkpoint);
  need(o, 'counts', p, g, RestoreCounts);
  may(o, 'dryRun', p, g, boolean);
  may(o, 'text', p, g, string);
  may(o, 'encoding', p, g, ContentEncoding);
  need(o, 'ms', p, g, Milliseconds);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function HunkRef(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'path', p, g, PathText);
  may(o, 'pathBytes', p, g, Base64);
  need(o, 'id', p, g, string);
}

function DiffHunk(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'id', p, g, string);
  need(o, 'beforeStart', p, g, Count);
  need(o, 'beforeLines', p, g, Count);
  need(o, 'afterStart', p, g, Count);
  need(o, 'afterLines', p, g, Count);
}

function DiffFile(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'path', p, g, PathText);
  may(o, 'pathBytes', p, g, Base64);
  need(o, 'absolutePath', p, g, string);
  need(o, 'change', p, g, ChangeKind);
  may(o, 'oldPath', p, g, PathText);
  may(o, 'oldPathBytes', p, g, Base64);
  may(o, 'binary', p, g, boolean);
  may(o, 'before', p, g, string);
  may(o, 'after', p, g, string);
  may(o, 'truncated', p, g, boolean);
  may(o, 'linesAdded', p, g, Count);
  may(o, 'linesRemoved', p, g, Count);
  may(o, 'beforeSize', p, g, Bytes);
  may(o, 'afterSize', p, g, Bytes);
  may(o, 'beforeMode', p, g, FileMode);
  may(o, 'afterMode', p, g, FileMode);
  may(o, 'encoding', p, g, ContentEncoding);
  may(o, 'hunks', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, DiffHunk));
  may(o, 'unified', p, g, string);
}

function FileMode(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function CheckpointFile(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'path', p, g, PathText);
  may(o, 'pathBytes', p, g, Base64);
  may(o, 'change', p, g, ChangeKind);
  need(o, 'size', p, g, Bytes);
  need(o, 'mode', p, g, FileMode);
  may(o, 'hash', p, g, string);
}

function CacheFigures(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'hits', p, g, Count);
  need(o, 'misses', p, g, Count);
  need(o, 'size', p, g, Count);
  need(o, 'maxSize', p, g, Count);
}

function WatcherFigures(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'state', p, g, WatchState);
  need(o, 'watchedDirectories', p, g, Count);
  need(o, 'dirtyPaths', p, g, Count);
  need(o, 'overflows', p, g, Count);
  may(o, 'drifts', p, g, Count);
  may(o, 'reason', p, g, string);
}

function QueueFigures(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'length', p, g, Count);
  need(o, 'capacity', p, g, Count);
  may(o, 'running', p, g, string);
  may(o, 'poisoned', p, g, boolean);
}

function ManagerState(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  may(o, 'shadowRepoPath', p, g, string);
  need(o, 'workTreePath', p, g, string);
  need(o, 'checkpoints', p, g, Count);
  need(o, 'tagIndex', p, g, Count);
  need(o, 'currentTurn', p, g, Count);
  need(o, 'toolsInTurn', p, g, Count);
  may(o, 'pendingUserMessage', p, g, string);
  need(o, 'messageLocked', p, g, boolean);
  need(o, 'fileStatsCache', p, g, CacheFigures);
}

function SessionSummary(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'workspace', p, g, string);
  may(o, 'conversationId', p, g, string);
  need(o, 'strategy', p, g, Strategy);
  need(o, 'retention', p, g, Retention);
  need(o, 'open', p, g, boolean);
  may(o, 'holder', p, g, (v, p, g) => integer(v, p, g, 0, 9007199254740991));
  may(o, 'checkpoints', p, g, Count);
  may(o, 'bytes', p, g, Bytes);
  need(o, 'createdAt', p, g, Timestamp);
  need(o, 'lastUsedAt', p, g, Timestamp);
}

function ToolUseRef(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'id', p, g, (v, p, g) => text(v, p, g, 1, 9007199254740991));
  need(o, 'name', p, g, string);
  others(o, p, g, new Set<string>(['id', 'name']));
}

function ToolResultRef(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'toolUseId', p, g, (v, p, g) => text(v, p, g, 1, 9007199254740991));
  others(o, p, g, new Set<string>(['toolUseId']));
}

function UserMessage(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  may(o, 'content', p, g, string);
  may(o, 'toolResults', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, ToolResultRef));
  others(o, p, g, new Set<string>(['content', 'toolResults']));
}

function AssistantMessage(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  may(o, 'content', p, g, string);
  may(o, 'toolUses', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, ToolUseRef));
  others(o, p, g, new Set<string>(['content', 'toolUses']));
}

function RequestMetadata(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  may(o, 'requestId', p, g, string);
  may(o, 'messageId', p, g, string);
  may(o, 'requestStartTimestampMs', p, g, Milliseconds);
  may(o, 'streamEndTimestampMs', p, g, Milliseconds);
  may(o, 'timeToFirstChunk', p, g, Json);
  may(o, 'timeBetweenChunks', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, Json));
  may(o, 'userPromptLength', p, g, Bytes);
  may(o, 'responseSize', p, g, Bytes);
  may(o, 'chatConversationType', p, g, Json);
  may(o, 'toolUseIdsAndNames', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, Json));
  may(o, 'modelId', p, g, string);
  may(o, 'messageMetaTags', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, Json));
  others(o, p, g, new Set<string>(['requestId', 'messageId', 'requestStartTimestampMs', 'streamEndTimestampMs', 'timeToFirstChunk', 'timeBetweenChunks', 'userPromptLength', 'responseSize', 'chatConversationType', 'toolUseIdsAndNames', 'modelId', 'messageMetaTags']));
}

function NewHistoryEntry(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'user', p, g, UserMessage);
  need(o, 'assistant', p, g, AssistantMessage);
  may(o, 'requestMetadata', p, g, RequestMetadata);
}

function HistoryEntry(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'id', p, g, EntryId);
  need(o, 'user', p, g, UserMessage);
  need(o, 'assistant', p, g, AssistantMessage);
  may(o, 'requestMetadata', p, g, RequestMetadata);
}

function Summary(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'summary', p, g, string);
  may(o, 'metadata', p, g, RequestMetadata);
}

function Tool(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'name', p, g, (v, p, g) => text(v, p, g, 1, 9007199254740991));
  others(o, p, g, new Set<string>(['name']));
}

function ToolList(v: unknown, p: string, g: Gathering): void {
  list(v, p, g, 0, 9007199254740991, Tool);
}

function ToolsByOrigin(v: unknown, p: string, g: Gathering): void {
  map(v, p, g, ToolList);
}

function ModelInfo(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'modelId', p, g, (v, p, g) => text(v, p, g, 1, 9007199254740991));
  may(o, 'modelName', p, g, string);
  may(o, 'description', p, g, string);
  may(o, 'contextWindowTokens', p, g, (v, p, g) => integer(v, p, g, 1, 9007199254740991));
  may(o, 'tokenLimits', p, g, Json);
  may(o, 'features', p, g, Json);
  others(o, p, g, new Set<string>(['modelId', 'modelName', 'description', 'contextWindowTokens', 'tokenLimits', 'features']));
}

function FileLineTracker(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'prevFswriteLines', p, g, Count);
  need(o, 'beforeFswriteLines', p, g, Count);
  need(o, 'afterFswriteLines', p, g, Count);
  need(o, 'linesAddedByAgent', p, g, Count);
  need(o, 'linesRemovedByAgent', p, g, Count);
  need(o, 'isFirstWrite', p, g, boolean);
}

function FileLineTrackers(v: unknown, p: string, g: Gathering): void {
  map(v, p, g, FileLineTracker);
}

function ContextFile(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'path', p, g, PathText);
  may(o, 'pathBytes', p, g, Base64);
  need(o, 'bytes', p, g, Bytes);
  need(o, 'pattern', p, g, string);
}

function ContextWindow(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'characters', p, g, Count);
  need(o, 'maxCharacters', p, g, Count);
  need(o, 'level', p, g, WindowLevel);
}

function WindowLevel(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function ContextState(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'patterns', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
  need(o, 'files', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, ContextFile));
  need(o, 'dropped', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, ContextFile));
  may(o, 'unmatched', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
  need(o, 'size', p, g, Bytes);
  need(o, 'maxSize', p, g, Bytes);
}

function TangentState(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'mainHistoryLength', p, g, Count);
  may(o, 'mainNextMessage', p, g, UserMessage);
  need(o, 'mainTranscriptLength', p, g, Count);
  may(o, 'mainLatestSummary', p, g, Summary);
  need(o, 'mainValidHistoryRange', p, g, HistoryRange);
  need(o, 'tangentStartTime', p, g, Timestamp);
  may(o, 'files', p, g, boolean);
}

function CheckpointManagerRef(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'strategy', p, g, Strategy);
  need(o, 'enabled', p, g, boolean);
}

function HookOutput(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  may(o, 'name', p, g, string);
  need(o, 'output', p, g, string);
}

function Issue(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'path', p, g, string);
  need(o, 'message', p, g, string);
  may(o, 'expected', p, g, string);
}

function ErrorData(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'kind', p, g, ErrorKind);
  need(o, 'retryable', p, g, boolean);
  need(o, 'effects', p, g, Effects);
  may(o, 'operationId', p, g, OperationId);
  may(o, 'issues', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, Issue));
  may(o, 'details', p, g, JsonObject);
}

function ErrorFact(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'code', p, g, (v, p, g) => integer(v, p, g, -32899, 9999));
  need(o, 'kind', p, g, ErrorKind);
  need(o, 'message', p, g, string);
}

function ProgressBegin(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'kind', p, g, (v, p, g) => exactly(v, p, g, 'begin'));
  need(o, 'title', p, g, string);
  may(o, 'cancellable', p, g, boolean);
  may(o, 'message', p, g, string);
  may(o, 'percentage', p, g, (v, p, g) => integer(v, p, g, 0, 100));
  may(o, 'phase', p, g, string);
  may(o, 'filesDone', p, g, Count);
  may(o, 'filesTotal', p, g, Count);
  may(o, 'bytesDone', p, g, Bytes);
  may(o, 'bytesTotal', p, g, Bytes);
}

function ProgressReport(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'kind', p, g, (v, p, g) => exactly(v, p, g, 'report'));
  may(o, 'cancellable', p, g, boolean);
  may(o, 'message', p, g, string);
  may(o, 'percentage', p, g, (v, p, g) => integer(v, p, g, 0, 100));
  may(o, 'phase', p, g, string);
  may(o, 'filesDone', p, g, Count);
  may(o, 'filesTotal', p, g, Count);
  may(o, 'bytesDone', p, g, Bytes);
  may(o, 'bytesTotal', p, g, Bytes);
}

function ProgressEnd(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'kind', p, g, (v, p, g) => exactly(v, p, g, 'end'));
  may(o, 'message', p, g, string);
}

function ProgressValue(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  switch (o['kind']) {
    case 'begin':
      ProgressBegin(v, p, g);
      return;
    case 'report':
      ProgressReport(v, p, g);
      return;
    case 'end':
      ProgressEnd(v, p, g);
      return;
    default:
      oneOf(o['kind'], `${p}/kind`, g, ['begin', 'report', 'end']);
  }
}

function ClientInfo(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'name', p, g, string);
  may(o, 'version', p, g, string);
}

function EventOrigin(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  may(o, 'client', p, g, ClientInfo);
}

function CheckpointdClientCapabilities(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  may(o, 'events', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, EventName));
}

function ClientCapabilities(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  may(o, 'checkpointd', p, g, CheckpointdClientCapabilities);
}

function ServerInfo(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'name', p, g, string);
  need(o, 'version', p, g, string);
}

function StrategyCapability(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'name', p, g, Strategy);
  need(o, 'available', p, g, boolean);
  may(o, 'reason', p, g, string);
  need(o, 'retention', p, g, Retention);
  need(o, 'needsRepository', p, g, boolean);
}

function SessionsCapability(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'strategies', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, StrategyCapability));
  need(o, 'defaultStrategy', p, g, Strategy);
}

function CheckpointsCapability(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'diffFormats', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, DiffFormat));
  need(o, 'restoreModes', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, RestoreMode));
  need(o, 'restoreScopes', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, RestoreScope));
  need(o, 'conflictPolicies', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, ConflictPolicy));
  need(o, 'anchoredRestore', p, g, boolean);
  need(o, 'fastCapture', p, g, boolean);
}

function ConversationCapability(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'tangentFiles', p, g, boolean);
  need(o, 'documentVersion', p, g, (v, p, g) => integer(v, p, g, 1, 1000000));
}

function LedgerCapability(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'conflicts', p, g, boolean);
}

function WorktreeCapability(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'watching', p, g, boolean);
}

function StoreCapability(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'verify', p, g, boolean);
}

function OperationsCapability(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'remembered', p, g, Count);
}

function EventsCapability(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'names', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, EventName));
}

function CheckpointdServerCapabilities(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  may(o, 'sessions', p, g, SessionsCapability);
  may(o, 'checkpoints', p, g, CheckpointsCapability);
  may(o, 'conversation', p, g, ConversationCapability);
  may(o, 'ledger', p, g, LedgerCapability);
  may(o, 'worktree', p, g, WorktreeCapability);
  may(o, 'store', p, g, StoreCapability);
  may(o, 'remotes', p, g, RemotesCapability);
  may(o, 'operations', p, g, OperationsCapability);
  may(o, 'events', p, g, EventsCapability);
}

function ServerCapabilities(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'checkpointd', p, g, CheckpointdServerCapabilities);
}

function ServerLimits(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'maxHeaderBytes', p, g, Bytes);
  need(o, 'maxBodyBytes', p, g, Bytes);
  need(o, 'maxInFlight', p, g, Count);
  need(o, 'maxQueued', p, g, Count);
  need(o, 'maxPageItems', p, g, Count);
  need(o, 'maxListedPaths', p, g, Count);
  need(o, 'maxReadBytes', p, g, Bytes);
  need(o, 'maxDiffFileBytes', p, g, Bytes);
  need(o, 'maxDiffTextBytes', p, g, Bytes);
  need(o, 'maxHistoryEntries', p, g, Count);
  need(o, 'maxTranscriptLines', p, g, Count);
  need(o, 'maxMessageCharacters', p, g, Count);
  need(o, 'maxFileBytes', p, g, Bytes);
}

function InitializeParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  may(o, 'processId', p, g, (v, p, g) => integer(v, p, g, 0, 9007199254740991));
  may(o, 'clientInfo', p, g, ClientInfo);
  may(o, 'locale', p, g, string);
  may(o, 'capabilities', p, g, ClientCapabilities);
  may(o, 'trace', p, g, TraceValue);
  may(o, 'initializationOptions', p, g, Json);
}

function InitializeResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'protocolVersion', p, g, string);
  need(o, 'serverInfo', p, g, ServerInfo);
  need(o, 'schemaHash', p, g, string);
  need(o, 'capabilities', p, g, ServerCapabilities);
  need(o, 'limits', p, g, ServerLimits);
}

function InitializedParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
}

function ShutdownParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
}

function ExitParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
}

function CancelRequestParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'id', p, g, RequestId);
}

function ProgressParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'token', p, g, ProgressToken);
  need(o, 'value', p, g, ProgressValue);
}

function SetTraceParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'value', p, g, TraceValue);
}

function LogTraceParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'message', p, g, string);
  may(o, 'verbose', p, g, string);
}

function WindowLogMessageParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'type', p, g, (v, p, g) => integer(v, p, g, 1, 5));
  need(o, 'message', p, g, string);
}

function RpcDiscoverParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
}

function SessionFeatures(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  may(o, 'checkpoints', p, g, boolean);
  may(o, 'tangent', p, g, boolean);
}

function SessionOpenParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'workspace', p, g, Workspace);
  may(o, 'conversationId', p, g, (v, p, g) => text(v, p, g, 1, 256));
  may(o, 'strategy', p, g, Strategy);
  may(o, 'storageDir', p, g, (v, p, g) => text(v, p, g, 1, 9007199254740991));
  may(o, 'retention', p, g, Retention);
  may(o, 'init', p, g, InitMode);
  may(o, 'recover', p, g, RecoverMode);
  may(o, 'include', p, g, (v, p, g) => list(v, p, g, 0, 1000, string));
  may(o, 'exclude', p, g, (v, p, g) => list(v, p, g, 0, 1000, string));
  may(o, 'allowProtected', p, g, boolean);
  may(o, 'durability', p, g, Durability);
  may(o, 'limits', p, g, SessionLimits);
  may(o, 'features', p, g, SessionFeatures);
  may(o, 'remote', p, g, (v, p, g) => text(v, p, g, 1, 64));
  may(o, 'push', p, g, PushMode);
  may(o, 'modelInfo', p, g, ModelInfo);
  may(o, 'tools', p, g, ToolsByOrigin);
  may(o, 'mcpEnabled', p, g, boolean);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
  may(o, 'workDoneToken', p, g, ProgressToken);
}

function SessionOpenResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'workspace', p, g, string);
  need(o, 'conversationId', p, g, string);
  need(o, 'strategy', p, g, Strategy);
  need(o, 'retention', p, g, Retention);
  need(o, 'resumed', p, g, boolean);
  need(o, 'checkpoints', p, g, CheckpointsState);
  may(o, 'shadowRepoPath', p, g, string);
  may(o, 'base', p, g, Checkpoint);
  need(o, 'skipped', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, SkippedPath));
  may(o, 'recovered', p, g, RestoreResult);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
}

function SessionCloseParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function SessionCloseResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'removed', p, g, boolean);
  may(o, 'reason', p, g, NotRemovedReason);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function SessionDeleteParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'storageDir', p, g, (v, p, g) => text(v, p, g, 1, 9007199254740991));
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function SessionDeleteResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'deleted', p, g, boolean);
  need(o, 'bytesFreed', p, g, Bytes);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function SessionListParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  may(o, 'workspace', p, g, Workspace);
  may(o, 'storageDir', p, g, (v, p, g) => text(v, p, g, 1, 9007199254740991));
  may(o, 'cursor', p, g, Cursor);
  may(o, 'limit', p, g, (v, p, g) => integer(v, p, g, 1, 10000));
}

function SessionListResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'sessions', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, SessionSummary));
  may(o, 'nextCursor', p, g, Cursor);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function SessionGetParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
}

function SessionGetResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'workspace', p, g, string);
  need(o, 'conversationId', p, g, string);
  need(o, 'strategy', p, g, Strategy);
  need(o, 'retention', p, g, Retention);
  need(o, 'durability', p, g, Durability);
  need(o, 'openedAt', p, g, Timestamp);
  need(o, 'checkpoints', p, g, CheckpointsState);
  may(o, 'head', p, g, Checkpoint);
  need(o, 'manager', p, g, ManagerState);
  need(o, 'cache', p, g, CacheFigures);
  need(o, 'watcher', p, g, WatcherFigures);
  need(o, 'queue', p, g, QueueFigures);
  may(o, 'origin', p, g, SessionOrigin);
  may(o, 'unfinishedRestore', p, g, boolean);
}

function CheckpointInitParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
  may(o, 'workDoneToken', p, g, ProgressToken);
}

function CheckpointInitResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'initialized', p, g, boolean);
  need(o, 'checkpoints', p, g, CheckpointsState);
  need(o, 'base', p, g, Checkpoint);
  need(o, 'skipped', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, SkippedPath));
  need(o, 'ms', p, g, Milliseconds);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function CheckpointCreateParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'kind', p, g, CreateKind);
  may(o, 'message', p, g, string);
  may(o, 'toolName', p, g, (v, p, g) => text(v, p, g, 0, 256));
  may(o, 'description', p, g, (v, p, g) => text(v, p, g, 0, 10000));
  may(o, 'tag', p, g, string);
  may(o, 'name', p, g, string);
  may(o, 'parent', p, g, CheckpointRef);
  may(o, 'onlyIfChanged', p, g, boolean);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
  may(o, 'workDoneToken', p, g, ProgressToken);
}

function CheckpointCreateResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'created', p, g, boolean);
  need(o, 'checkpoint', p, g, Checkpoint);
  need(o, 'skipped', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, SkippedPath));
  may(o, 'possiblyTorn', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, PathRef));
  need(o, 'complete', p, g, boolean);
  need(o, 'capture', p, g, CaptureInfo);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function CheckpointListParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'kind', p, g, ListKind);
  may(o, 'cursor', p, g, Cursor);
  may(o, 'limit', p, g, (v, p, g) => integer(v, p, g, 1, 10000));
  may(o, 'withSizes', p, g, boolean);
}

function CheckpointListResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'checkpoints', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, Checkpoint));
  may(o, 'nextCursor', p, g, Cursor);
}

function CheckpointGetParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'tag', p, g, CheckpointRef);
}

function CheckpointGetResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'checkpoint', p, g, Checkpoint);
  may(o, 'message', p, g, string);
  need(o, 'skipped', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, SkippedPath));
  may(o, 'restored', p, g, CheckpointId);
  may(o, 'safety', p, g, CheckpointId);
  may(o, 'inTangent', p, g, boolean);
}

function CheckpointExpandParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'tag', p, g, CheckpointRef);
}

function CheckpointExpandResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'checkpoint', p, g, Checkpoint);
  need(o, 'tools', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, Checkpoint));
}

function CheckpointHasChangesParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'workDoneToken', p, g, ProgressToken);
}

function CheckpointHasChangesResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'hasChanges', p, g, boolean);
}

function CheckpointStatsParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'tag', p, g, CheckpointRef);
  may(o, 'from', p, g, CheckpointRef);
  may(o, 'to', p, g, CheckpointRef);
}

function CheckpointDiffParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'from', p, g, CheckpointRef);
  may(o, 'to', p, g, CheckpointRef);
  may(o, 'format', p, g, DiffFormat);
  may(o, 'paths', p, g, (v, p, g) => list(v, p, g, 0, 10000, PathRef));
  may(o, 'workDoneToken', p, g, ProgressToken);
  may(o, 'perFile', p, g, boolean);
  may(o, 'binary', p, g, boolean);
  may(o, 'reverse', p, g, boolean);
}

function CheckpointDiffResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'files', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, DiffFile));
  may(o, 'text', p, g, string);
  need(o, 'stats', p, g, FileStats);
  may(o, 'truncated', p, g, boolean);
  may(o, 'encoding', p, g, ContentEncoding);
}

function CheckpointFilesParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'tag', p, g, CheckpointRef);
  may(o, 'changedOnly', p, g, boolean);
  may(o, 'cursor', p, g, Cursor);
  may(o, 'limit', p, g, (v, p, g) => integer(v, p, g, 1, 10000));
}

function CheckpointFilesResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'files', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, CheckpointFile));
  need(o, 'fileCount', p, g, Count);
  need(o, 'totalSize', p, g, Bytes);
  may(o, 'nextCursor', p, g, Cursor);
}

function CheckpointReadFileParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'tag', p, g, CheckpointRef);
  need(o, 'path', p, g, PathText);
  may(o, 'pathBytes', p, g, Base64);
  may(o, 'offset', p, g, Bytes);
  may(o, 'length', p, g, (v, p, g) => integer(v, p, g, 0, 9007199254740991));
}

function CheckpointReadFileResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'exists', p, g, boolean);
  may(o, 'data', p, g, string);
  need(o, 'encoding', p, g, ContentEncoding);
  need(o, 'size', p, g, Bytes);
  need(o, 'eof', p, g, boolean);
  may(o, 'mode', p, g, FileMode);
}

function RestoreExpectation(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  may(o, 'head', p, g, CheckpointRef);
}

function CheckpointRestoreParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'tag', p, g, CheckpointRef);
  may(o, 'mode', p, g, RestoreMode);
  may(o, 'scope', p, g, RestoreScope);
  may(o, 'paths', p, g, (v, p, g) => list(v, p, g, 0, 10000, PathRef));
  may(o, 'author', p, g, string);
  may(o, 'onConflict', p, g, ConflictPolicy);
  may(o, 'expect', p, g, RestoreExpectation);
  may(o, 'confirm', p, g, boolean);
  may(o, 'dryRun', p, g, boolean);
  may(o, 'skipIfUnchanged', p, g, boolean);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
  may(o, 'workDoneToken', p, g, ProgressToken);
}

function CheckpointRevertParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'tag', p, g, CheckpointRef);
  may(o, 'from', p, g, CheckpointRef);
  may(o, 'to', p, g, CheckpointRef);
  may(o, 'paths', p, g, (v, p, g) => list(v, p, g, 0, 10000, PathRef));
  may(o, 'hunks', p, g, (v, p, g) => list(v, p, g, 0, 10000, HunkRef));
  may(o, 'author', p, g, string);
  may(o, 'conflicts', p, g, RevertConflictPolicy);
  may(o, 'expect', p, g, RestoreExpectation);
  may(o, 'confirm', p, g, boolean);
  may(o, 'dryRun', p, g, boolean);
  may(o, 'patch', p, g, boolean);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
  may(o, 'workDoneToken', p, g, ProgressToken);
}

function CheckpointUndoParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'expect', p, g, RestoreExpectation);
  may(o, 'mode', p, g, RestoreMode);
  may(o, 'onConflict', p, g, ConflictPolicy);
  may(o, 'confirm', p, g, boolean);
  may(o, 'dryRun', p, g, boolean);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
  may(o, 'workDoneToken', p, g, ProgressToken);
}

function CheckpointRedoParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'expect', p, g, RestoreExpectation);
  may(o, 'mode', p, g, RestoreMode);
  may(o, 'onConflict', p, g, ConflictPolicy);
  may(o, 'confirm', p, g, boolean);
  may(o, 'dryRun', p, g, boolean);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
  may(o, 'workDoneToken', p, g, ProgressToken);
}

function CheckpointDeleteParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'tag', p, g, CheckpointRef);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function CheckpointDeleteResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'deleted', p, g, CheckpointId);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function CheckpointRenameParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'tag', p, g, CheckpointRef);
  may(o, 'name', p, g, string);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function CheckpointRenameResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'checkpoint', p, g, Checkpoint);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function CheckpointCleanParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function CheckpointCleanResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'removed', p, g, Count);
  may(o, 'path', p, g, string);
  need(o, 'checkpoints', p, g, CheckpointsState);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function ConversationGetParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
}

function ConversationGetResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'conversationId', p, g, string);
  may(o, 'nextMessage', p, g, UserMessage);
  need(o, 'historyLength', p, g, Count);
  need(o, 'validHistoryRange', p, g, HistoryRange);
  need(o, 'transcriptLength', p, g, Count);
  need(o, 'tools', p, g, ToolsByOrigin);
  may(o, 'contextManager', p, g, ContextState);
  may(o, 'toolManager', p, g, JsonObject);
  may(o, 'contextMessageLength', p, g, Count);
  may(o, 'latestSummary', p, g, Summary);
  may(o, 'agents', p, g, JsonObject);
  may(o, 'model', p, g, string);
  may(o, 'modelInfo', p, g, ModelInfo);
  need(o, 'fileLineTracker', p, g, FileLineTrackers);
  may(o, 'checkpointManager', p, g, CheckpointManagerRef);
  need(o, 'mcpEnabled', p, g, boolean);
  may(o, 'tangentState', p, g, TangentState);
  need(o, 'contextWindow', p, g, ContextWindow);
}

function ConversationHistoryParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'tag', p, g, CheckpointRef);
  may(o, 'from', p, g, EntryId);
  may(o, 'cursor', p, g, Cursor);
  may(o, 'limit', p, g, (v, p, g) => integer(v, p, g, 1, 10000));
}

function ConversationHistoryResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'entries', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, HistoryEntry));
  need(o, 'start', p, g, Count);
  need(o, 'historyLength', p, g, Count);
  need(o, 'validHistoryRange', p, g, HistoryRange);
  may(o, 'nextCursor', p, g, Cursor);
}

function ConversationTranscriptParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'cursor', p, g, Cursor);
  may(o, 'limit', p, g, (v, p, g) => integer(v, p, g, 1, 10000));
}

function ConversationTranscriptResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'lines', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
  need(o, 'start', p, g, Count);
  need(o, 'transcriptLength', p, g, Count);
  may(o, 'nextCursor', p, g, Cursor);
}

function ConversationAppendParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'entry', p, g, NewHistoryEntry);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function ConversationAppendResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'id', p, g, EntryId);
  need(o, 'dropped', p, g, Count);
  need(o, 'historyLength', p, g, Count);
  need(o, 'transcriptLength', p, g, Count);
  need(o, 'validHistoryRange', p, g, HistoryRange);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function ConversationAppendTranscriptParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'text', p, g, string);
  may(o, 'user', p, g, boolean);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function ConversationAppendTranscriptResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'lines', p, g, Count);
  need(o, 'dropped', p, g, Count);
  need(o, 'transcriptLength', p, g, Count);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function ConversationSetNextMessageParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'message', p, g, UserMessage);
  may(o, 'lock', p, g, boolean);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function ConversationSetNextMessageResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'accepted', p, g, boolean);
  may(o, 'pendingUserMessage', p, g, string);
  need(o, 'messageLocked', p, g, boolean);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
}

function ConversationClearParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function ConversationClearResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'historyLength', p, g, Count);
  need(o, 'transcriptLength', p, g, Count);
  need(o, 'validHistoryRange', p, g, HistoryRange);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function ConversationSetValidRangeParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'range', p, g, HistoryRange);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function ConversationSetValidRangeResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'historyLength', p, g, Count);
  need(o, 'transcriptLength', p, g, Count);
  need(o, 'validHistoryRange', p, g, HistoryRange);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function ConversationCompactParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'summary', p, g, string);
  may(o, 'metadata', p, g, RequestMetadata);
  may(o, 'keep', p, g, Count);
  may(o, 'keepFrom', p, g, EntryId);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function ConversationCompactResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'historyLength', p, g, Count);
  need(o, 'transcriptLength', p, g, Count);
  need(o, 'validHistoryRange', p, g, HistoryRange);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function ConversationForgetParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'messages', p, g, (v, p, g) => integer(v, p, g, 1, 9007199254740991));
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function ConversationForgetResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'forgotten', p, g, ForgottenMessages);
  need(o, 'historyLength', p, g, Count);
  need(o, 'transcriptLength', p, g, Count);
  need(o, 'validHistoryRange', p, g, HistoryRange);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function ForgottenMessages(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'messages', p, g, Count);
  need(o, 'entries', p, g, Count);
}

function ConversationEnterTangentParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'files', p, g, boolean);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
  may(o, 'workDoneToken', p, g, ProgressToken);
}

function ConversationEnterTangentResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'entered', p, g, boolean);
  may(o, 'checkpoint', p, g, CheckpointId);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function ConversationExitTangentParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'keepTail', p, g, boolean);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
  may(o, 'workDoneToken', p, g, ProgressToken);
}

function ConversationExitTangentResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'exited', p, g, boolean);
  may(o, 'tail', p, g, EntryId);
  may(o, 'restore', p, g, RestoreResult);
  need(o, 'historyLength', p, g, Count);
  need(o, 'transcriptLength', p, g, Count);
  need(o, 'validHistoryRange', p, g, HistoryRange);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function ConversationTangentParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
}

function ConversationTangentResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'active', p, g, boolean);
  may(o, 'durationSeconds', p, g, Count);
  may(o, 'tangentStartTime', p, g, Timestamp);
  may(o, 'added', p, g, Count);
  may(o, 'files', p, g, boolean);
}

function ConversationAddContextParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'paths', p, g, (v, p, g) => list(v, p, g, 1, 1000, (v, p, g) => text(v, p, g, 1, 9007199254740991)));
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function ConversationAddContextResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'changed', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
  need(o, 'context', p, g, ContextState);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function ConversationRemoveContextParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'paths', p, g, (v, p, g) => list(v, p, g, 1, 1000, (v, p, g) => text(v, p, g, 1, 9007199254740991)));
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function ConversationRemoveContextResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'changed', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
  need(o, 'context', p, g, ContextState);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function ConversationContextParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'message', p, g, boolean);
  may(o, 'hooks', p, g, (v, p, g) => list(v, p, g, 0, 100, HookOutput));
  may(o, 'agentPrompt', p, g, string);
}

function ConversationContextResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'context', p, g, ContextState);
  may(o, 'message', p, g, string);
  may(o, 'contextMessageLength', p, g, Count);
  may(o, 'unreadable', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function ConversationSetToolsParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'tools', p, g, ToolsByOrigin);
  may(o, 'toolManager', p, g, JsonObject);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function ConversationSetToolsResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'tools', p, g, Count);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function ConversationSetAgentsParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'agents', p, g, JsonObject);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function ConversationSetAgentsResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'agents', p, g, Count);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  need(o, 'context', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function ConversationSetModelParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'modelInfo', p, g, ModelInfo);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function ConversationSetModelResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'modelInfo', p, g, ModelInfo);
  need(o, 'maxContextSize', p, g, Bytes);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
}

function ConversationSetMcpEnabledParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'mcpEnabled', p, g, boolean);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function ConversationSetMcpEnabledResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'mcpEnabled', p, g, boolean);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function ConversationRecordLinesParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'path', p, g, PathText);
  may(o, 'pathBytes', p, g, Base64);
  need(o, 'operation', p, g, WriteOperation);
  may(o, 'linesBefore', p, g, Count);
  may(o, 'linesAfter', p, g, Count);
  may(o, 'oldText', p, g, string);
  may(o, 'newText', p, g, string);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function ConversationRecordLinesResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'tracker', p, g, FileLineTracker);
  need(o, 'linesByUser', p, g, (v, p, g) => integer(v, p, g, -9007199254740991, 9007199254740991));
  need(o, 'linesByAgent', p, g, Count);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function ConversationExportParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'path', p, g, (v, p, g) => text(v, p, g, 1, 9007199254740991));
  may(o, 'overwrite', p, g, boolean);
}

function ConversationExportResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  may(o, 'document', p, g, JsonObject);
  may(o, 'path', p, g, string);
  need(o, 'bytes', p, g, Bytes);
  may(o, 'safety', p, g, CheckpointId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function ConversationImportParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'document', p, g, JsonObject);
  may(o, 'path', p, g, (v, p, g) => text(v, p, g, 1, 9007199254740991));
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function ConversationImportResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'historyLength', p, g, Count);
  need(o, 'transcriptLength', p, g, Count);
  need(o, 'validHistoryRange', p, g, HistoryRange);
  need(o, 'dropped', p, g, Count);
  may(o, 'transcriptDropped', p, g, Count);
  may(o, 'conversationId', p, g, string);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
}

function LedgerRecordWriteParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'path', p, g, PathText);
  may(o, 'pathBytes', p, g, Base64);
  may(o, 'toolName', p, g, (v, p, g) => text(v, p, g, 0, 256));
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function LedgerRecordWriteResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'recorded', p, g, boolean);
  may(o, 'content', p, g, string);
  may(o, 'size', p, g, Bytes);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function LedgerEntry(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'author', p, g, Author);
  need(o, 'seq', p, g, (v, p, g) => integer(v, p, g, 0, 9007199254740991));
  need(o, 'timestamp', p, g, Timestamp);
  may(o, 'content', p, g, string);
  may(o, 'checkpoint', p, g, CheckpointId);
  may(o, 'tag', p, g, Tag);
  may(o, 'toolName', p, g, string);
  may(o, 'session', p, g, SessionId);
}

function LedgerHistoryParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'path', p, g, PathText);
  may(o, 'pathBytes', p, g, Base64);
  may(o, 'cursor', p, g, Cursor);
  may(o, 'limit', p, g, (v, p, g) => integer(v, p, g, 1, 10000));
}

function LedgerHistoryResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'entries', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, LedgerEntry));
  may(o, 'present', p, g, LedgerEntry);
  may(o, 'nextCursor', p, g, Cursor);
}

function WorktreeStatusParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'limit', p, g, (v, p, g) => integer(v, p, g, 0, 10000));
}

function WorktreeStatusResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'state', p, g, WatchState);
  need(o, 'watchedDirectories', p, g, Count);
  need(o, 'dirtyPaths', p, g, Count);
  need(o, 'overflows', p, g, Count);
  may(o, 'drifts', p, g, Count);
  may(o, 'reason', p, g, string);
  may(o, 'captures', p, g, CaptureCounts);
  may(o, 'paths', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, PathRef));
}

function StoreUsageParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
}

function StoreUsageResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'bytes', p, g, Bytes);
  need(o, 'blobs', p, g, Count);
  need(o, 'checkpoints', p, g, Count);
  may(o, 'path', p, g, string);
}

function StoreGcParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'prune', p, g, PruneMode);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
  may(o, 'workDoneToken', p, g, ProgressToken);
}

function StoreGcResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'bytesFreed', p, g, Bytes);
  need(o, 'blobsFreed', p, g, Count);
  need(o, 'checkpointsRemoved', p, g, Count);
  may(o, 'safetyRemoved', p, g, Count);
  need(o, 'ms', p, g, Milliseconds);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function StoreProblem(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'kind', p, g, ProblemKind);
  need(o, 'what', p, g, string);
  need(o, 'affects', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, CheckpointId));
}

function StoreVerifyParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'workDoneToken', p, g, ProgressToken);
}

function StoreVerifyResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'ok', p, g, boolean);
  need(o, 'problems', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, StoreProblem));
  need(o, 'checked', p, g, Count);
  need(o, 'ms', p, g, Milliseconds);
}

function OperationGetParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'operation', p, g, OperationId);
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function OperationGetResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'state', p, g, OperationState);
  may(o, 'operation', p, g, OperationId);
  may(o, 'method', p, g, string);
  may(o, 'result', p, g, Json);
  may(o, 'checkpoint', p, g, CheckpointId);
  may(o, 'error', p, g, ErrorFact);
}

function SessionDidOpenParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'origin', p, g, EventOrigin);
  need(o, 'workspace', p, g, string);
  need(o, 'strategy', p, g, Strategy);
  need(o, 'resumed', p, g, boolean);
  may(o, 'base', p, g, Checkpoint);
  need(o, 'ms', p, g, Milliseconds);
}

function CheckpointDidCreateParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'origin', p, g, EventOrigin);
  need(o, 'checkpoint', p, g, Checkpoint);
  may(o, 'from', p, g, SnapshotId);
  need(o, 'ms', p, g, Milliseconds);
}

function CheckpointDidRestoreParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'origin', p, g, EventOrigin);
  need(o, 'target', p, g, CheckpointId);
  may(o, 'checkpoint', p, g, Checkpoint);
  may(o, 'safety', p, g, CheckpointId);
  need(o, 'counts', p, g, RestoreCounts);
  need(o, 'ms', p, g, Milliseconds);
  may(o, 'recovered', p, g, boolean);
  may(o, 'restored', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, PathRef));
  may(o, 'deleted', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, PathRef));
  may(o, 'failed', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, FailedPath));
  may(o, 'conflicts', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, ConflictPath));
  may(o, 'skipped', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, SkippedPath));
}

function CheckpointDidFailParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'origin', p, g, EventOrigin);
  need(o, 'method', p, g, string);
  need(o, 'error', p, g, ErrorFact);
  may(o, 'operation', p, g, OperationId);
}

function WorktreeDidChangeParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'state', p, g, WatchState);
  need(o, 'dirtyPaths', p, g, Count);
  need(o, 'paths', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, PathRef));
  may(o, 'more', p, g, boolean);
  may(o, 'overflowed', p, g, boolean);
}

function WorktreeDidDriftParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'paths', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, PathRef));
  need(o, 'count', p, g, Count);
}

function ConversationDidFillWindowParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'origin', p, g, EventOrigin);
  need(o, 'contextWindow', p, g, ContextWindow);
}

function ConversationDidChangeParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  may(o, 'origin', p, g, EventOrigin);
  need(o, 'method', p, g, string);
  need(o, 'historyLength', p, g, Count);
  need(o, 'transcriptLength', p, g, Count);
  need(o, 'validHistoryRange', p, g, HistoryRange);
}

function WriterId(v: unknown, p: string, g: Gathering): void {
  text(v, p, g, 1, 64);
}

function RefPlace(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function StayReason(v: unknown, p: string, g: Gathering): void {
  string(v, p, g);
}

function LeftPath(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'path', p, g, PathText);
  may(o, 'pathBytes', p, g, Base64);
  need(o, 'because', p, g, StayReason);
  may(o, 'rule', p, g, string);
}

function Remote(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'name', p, g, (v, p, g) => text(v, p, g, 1, 64));
  need(o, 'url', p, g, string);
  need(o, 'leaveOut', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
  need(o, 'refs', p, g, RefPlace);
  need(o, 'addedAt', p, g, Timestamp);
}

function RemoteLine(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'writer', p, g, WriterId);
  need(o, 'own', p, g, boolean);
  need(o, 'ref', p, g, string);
  need(o, 'head', p, g, string);
  need(o, 'generation', p, g, Count);
  need(o, 'checkpoints', p, g, Count);
  need(o, 'historyLength', p, g, Count);
  need(o, 'bytes', p, g, Bytes);
  need(o, 'workspace', p, g, string);
  need(o, 'conversationId', p, g, string);
  need(o, 'strategy', p, g, Strategy);
  may(o, 'title', p, g, string);
  need(o, 'createdAt', p, g, Timestamp);
  need(o, 'updatedAt', p, g, Timestamp);
  may(o, 'origin', p, g, LineOrigin);
}

function LineOrigin(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'writer', p, g, WriterId);
  need(o, 'head', p, g, string);
}

function SessionOrigin(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'remote', p, g, (v, p, g) => text(v, p, g, 1, 64));
  need(o, 'session', p, g, SessionId);
  need(o, 'writer', p, g, WriterId);
  need(o, 'head', p, g, string);
}

function RefusedLine(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'ref', p, g, string);
  need(o, 'kind', p, g, ErrorKind);
  need(o, 'message', p, g, string);
}

function OtherLine(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'writer', p, g, WriterId);
  need(o, 'head', p, g, string);
}

function RemoteAddParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'name', p, g, (v, p, g) => text(v, p, g, 1, 64));
  need(o, 'url', p, g, (v, p, g) => text(v, p, g, 1, 2048));
  may(o, 'leaveOut', p, g, (v, p, g) => list(v, p, g, 0, 1000, string));
  may(o, 'storageDir', p, g, (v, p, g) => text(v, p, g, 1, 9007199254740991));
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function RemoteAddResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'remote', p, g, Remote);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function RemoteListParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  may(o, 'storageDir', p, g, (v, p, g) => text(v, p, g, 1, 9007199254740991));
}

function RemoteListResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'remotes', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, Remote));
  may(o, 'writer', p, g, WriterId);
}

function RemoteRemoveParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'name', p, g, (v, p, g) => text(v, p, g, 1, 64));
  may(o, 'storageDir', p, g, (v, p, g) => text(v, p, g, 1, 9007199254740991));
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function RemoteRemoveResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'removed', p, g, boolean);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function RemotePushParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'remote', p, g, (v, p, g) => text(v, p, g, 1, 64));
  need(o, 'session', p, g, SessionId);
  may(o, 'dryRun', p, g, boolean);
  may(o, 'leaveOut', p, g, (v, p, g) => list(v, p, g, 0, 1000, string));
  may(o, 'send', p, g, (v, p, g) => list(v, p, g, 0, 1000, string));
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
  may(o, 'workDoneToken', p, g, ProgressToken);
}

function RemotePushResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'pushed', p, g, boolean);
  need(o, 'session', p, g, SessionId);
  need(o, 'writer', p, g, WriterId);
  need(o, 'ref', p, g, string);
  need(o, 'head', p, g, string);
  need(o, 'checkpoints', p, g, Count);
  need(o, 'added', p, g, Count);
  need(o, 'bytes', p, g, Bytes);
  need(o, 'left', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, LeftPath));
  need(o, 'leftCount', p, g, Count);
  need(o, 'others', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, OtherLine));
  need(o, 'ms', p, g, Milliseconds);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function RemoteFetchParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'remote', p, g, (v, p, g) => text(v, p, g, 1, 64));
  may(o, 'session', p, g, SessionId);
  may(o, 'storageDir', p, g, (v, p, g) => text(v, p, g, 1, 9007199254740991));
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
  may(o, 'workDoneToken', p, g, ProgressToken);
}

function RemoteFetchResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'updated', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, RemoteLine));
  need(o, 'refused', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, RefusedLine));
  need(o, 'deleted', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, SessionId));
  need(o, 'ms', p, g, Milliseconds);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function RemoteSessionsParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'remote', p, g, (v, p, g) => text(v, p, g, 1, 64));
  may(o, 'storageDir', p, g, (v, p, g) => text(v, p, g, 1, 9007199254740991));
}

function RemoteSessionsResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'lines', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, RemoteLine));
  need(o, 'refused', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, RefusedLine));
  need(o, 'deleted', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, SessionId));
}

function RemoteDeleteParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'remote', p, g, (v, p, g) => text(v, p, g, 1, 64));
  need(o, 'session', p, g, SessionId);
  may(o, 'storageDir', p, g, (v, p, g) => text(v, p, g, 1, 9007199254740991));
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
}

function RemoteDeleteResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'deleted', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function SessionImportParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'remote', p, g, (v, p, g) => text(v, p, g, 1, 64));
  need(o, 'session', p, g, SessionId);
  may(o, 'writer', p, g, WriterId);
  need(o, 'workspace', p, g, Workspace);
  may(o, 'strategy', p, g, Strategy);
  may(o, 'retention', p, g, Retention);
  may(o, 'allowProtected', p, g, boolean);
  may(o, 'storageDir', p, g, (v, p, g) => text(v, p, g, 1, 9007199254740991));
  may(o, 'idempotencyKey', p, g, IdempotencyKey);
  may(o, 'workDoneToken', p, g, ProgressToken);
}

function SessionImportResult(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'workspace', p, g, string);
  need(o, 'conversationId', p, g, string);
  need(o, 'strategy', p, g, Strategy);
  need(o, 'retention', p, g, Retention);
  need(o, 'origin', p, g, SessionOrigin);
  need(o, 'checkpoints', p, g, Count);
  may(o, 'head', p, g, CheckpointId);
  need(o, 'ms', p, g, Milliseconds);
  may(o, 'replayed', p, g, boolean);
  may(o, 'operation', p, g, OperationId);
  may(o, 'warnings', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
}

function RemoteDidFindLineParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'remote', p, g, (v, p, g) => text(v, p, g, 1, 64));
  need(o, 'line', p, g, OtherLine);
}

function RemotesCapability(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'schemes', p, g, (v, p, g) => list(v, p, g, 0, 9007199254740991, string));
  need(o, 'lineFormat', p, g, (v, p, g) => integer(v, p, g, 0, 9007199254740991));
}

function PushMode(v: unknown, p: string, g: Gathering): void {
  oneOf(v, p, g, ['turn', 'manual']);
}

function RemoteDidPushParams(v: unknown, p: string, g: Gathering): void {
  const o = record(v, p, g);
  if (o === undefined) return;
  need(o, 'session', p, g, SessionId);
  need(o, 'remote', p, g, (v, p, g) => text(v, p, g, 1, 64));
  need(o, 'pushed', p, g, boolean);
  may(o, 'head', p, g, string);
  may(o, 'leftCount', p, g, Count);
  may(o, 'error', p, g, ErrorFact);
}

const params = new Map<string, Check>([
  ['initialize', InitializeParams],
  ['initialized', InitializedParams],
  ['shutdown', ShutdownParams],
  ['exit', ExitParams],
  ['$/cancelRequest', CancelRequestParams],
  ['$/progress', ProgressParams],
  ['$/setTrace', SetTraceParams],
  ['$/logTrace', LogTraceParams],
  ['window/logMessage', WindowLogMessageParams],
  ['rpc.discover', RpcDiscoverParams],
  ['session/open', SessionOpenParams],
  ['session/close', SessionCloseParams],
  ['session/delete', SessionDeleteParams],
  ['session/list', SessionListParams],
  ['session/get', SessionGetParams],
  ['checkpoint/init', CheckpointInitParams],
  ['checkpoint/create', CheckpointCreateParams],
  ['checkpoint/list', CheckpointListParams],
  ['checkpoint/get', CheckpointGetParams],
  ['checkpoint/expand', CheckpointExpandParams],
  ['checkpoint/hasChanges', CheckpointHasChangesParams],
  ['checkpoint/stats', CheckpointStatsParams],
  ['checkpoint/diff', CheckpointDiffParams],
  ['checkpoint/files', CheckpointFilesParams],
  ['checkpoint/readFile', CheckpointReadFileParams],
  ['checkpoint/restore', CheckpointRestoreParams],
  ['checkpoint/revert', CheckpointRevertParams],
  ['checkpoint/undo', CheckpointUndoParams],
  ['checkpoint/redo', CheckpointRedoParams],
  ['checkpoint/delete', CheckpointDeleteParams],
  ['checkpoint/rename', CheckpointRenameParams],
  ['checkpoint/clean', CheckpointCleanParams],
  ['conversation/get', ConversationGetParams],
  ['conversation/history', ConversationHistoryParams],
  ['conversation/transcript', ConversationTranscriptParams],
  ['conversation/append', ConversationAppendParams],
  ['conversation/appendTranscript', ConversationAppendTranscriptParams],
  ['conversation/setNextMessage', ConversationSetNextMessageParams],
  ['conversation/clear', ConversationClearParams],
  ['conversation/setValidRange', ConversationSetValidRangeParams],
  ['conversation/compact', ConversationCompactParams],
  ['conversation/forget', ConversationForgetParams],
  ['conversation/enterTangent', ConversationEnterTangentParams],
  ['conversation/exitTangent', ConversationExitTangentParams],
  ['conversation/tangent', ConversationTangentParams],
  ['conversation/addContext', ConversationAddContextParams],
  ['conversation/removeContext', ConversationRemoveContextParams],
  ['conversation/context', ConversationContextParams],
  ['conversation/setTools', ConversationSetToolsParams],
  ['conversation/setAgents', ConversationSetAgentsParams],
  ['conversation/setModel', ConversationSetModelParams],
  ['conversation/setMcpEnabled', ConversationSetMcpEnabledParams],
  ['conversation/recordLines', ConversationRecordLinesParams],
  ['conversation/export', ConversationExportParams],
  ['conversation/import', ConversationImportParams],
  ['ledger/recordWrite', LedgerRecordWriteParams],
  ['ledger/history', LedgerHistoryParams],
  ['worktree/status', WorktreeStatusParams],
  ['store/usage', StoreUsageParams],
  ['store/gc', StoreGcParams],
  ['store/verify', StoreVerifyParams],
  ['operation/get', OperationGetParams],
  ['remote/add', RemoteAddParams],
  ['remote/list', RemoteListParams],
  ['remote/remove', RemoteRemoveParams],
  ['remote/push', RemotePushParams],
  ['remote/fetch', RemoteFetchParams],
  ['remote/sessions', RemoteSessionsParams],
  ['remote/delete', RemoteDeleteParams],
  ['session/import', SessionImportParams],
  ['session/didOpen', SessionDidOpenParams],
  ['checkpoint/didCreate', CheckpointDidCreateParams],
  ['checkpoint/didRestore', CheckpointDidRestoreParams],
  ['checkpoint/didFail', CheckpointDidFailParams],
  ['worktree/didChange', WorktreeDidChangeParams],
  ['worktree/didDrift', WorktreeDidDriftParams],
  ['conversation/didChange', ConversationDidChangeParams],
  ['conversation/didFillWindow', ConversationDidFillWindowParams],
  ['remote/didFindLine', RemoteDidFindLineParams],
  ['remote/didPush', RemoteDidPushParams],
]);

const results = new Map<string, Check>([
  ['initialize', InitializeResult],
  ['shutdown', Null],
  ['rpc.discover', JsonObject],
  ['session/open', SessionOpenResult],
  ['session/close', SessionCloseResult],
  ['session/delete', SessionDeleteResult],
  ['session/list', SessionListResult],
  ['session/get', SessionGetResult],
  ['checkpoint/init', CheckpointInitResult],
  ['checkpoint/create', CheckpointCreateResult],
  ['checkpoint/list', CheckpointListResult],
  ['checkpoint/get', CheckpointGetResult],
  ['checkpoint/expand', CheckpointExpandResult],
  ['checkpoint/hasChanges', CheckpointHasChangesResult],
  ['checkpoint/stats', FileStats],
  ['checkpoint/diff', CheckpointDiffResult],
  ['checkpoint/files', CheckpointFilesResult],
  ['checkpoint/readFile', CheckpointReadFileResult],
  ['checkpoint/restore', RestoreResult],
  ['checkpoint/revert', RevertResult],
  ['checkpoint/undo', RestoreResult],
  ['checkpoint/redo', RestoreResult],
  ['checkpoint/delete', CheckpointDeleteResult],
  ['checkpoint/rename', CheckpointRenameResult],
  ['checkpoint/clean', CheckpointCleanResult],
  ['conversation/get', ConversationGetResult],
  ['conversation/history', ConversationHistoryResult],
  ['conversation/transcript', ConversationTranscriptResult],
  ['conversation/append', ConversationAppendResult],
  ['conversation/appendTranscript', ConversationAppendTranscriptResult],
  ['conversation/setNextMessage', ConversationSetNextMessageResult],
  ['conversation/clear', ConversationClearResult],
  ['conversation/setValidRange', ConversationSetValidRangeResult],
  ['conversation/compact', ConversationCompactResult],
  ['conversation/forget', ConversationForgetResult],
  ['conversation/enterTangent', ConversationEnterTangentResult],
  ['conversation/exitTangent', ConversationExitTangentResult],
  ['conversation/tangent', ConversationTangentResult],
  ['conversation/addContext', ConversationAddContextResult],
  ['conversation/removeContext', ConversationRemoveContextResult],
  ['conversation/context', ConversationContextResult],
  ['conversation/setTools', ConversationSetToolsResult],
  ['conversation/setAgents', ConversationSetAgentsResult],
  ['conversation/setModel', ConversationSetModelResult],
  ['conversation/setMcpEnabled', ConversationSetMcpEnabledResult],
  ['conversation/recordLines', ConversationRecordLinesResult],
  ['conversation/export', ConversationExportResult],
  ['conversation/import', ConversationImportResult],
  ['ledger/recordWrite', LedgerRecordWriteResult],
  ['ledger/history', LedgerHistoryResult],
  ['worktree/status', WorktreeStatusResult],
  ['store/usage', StoreUsageResult],
  ['store/gc', StoreGcResult],
  ['store/verify', StoreVerifyResult],
  ['operation/get', OperationGetResult],
  ['remote/add', RemoteAddResult],
  ['remote/list', RemoteListResult],
  ['remote/remove', RemoteRemoveResult],
  ['remote/push', RemotePushResult],
  ['remote/fetch', RemoteFetchResult],
  ['remote/sessions', RemoteSessionsResult],
  ['remote/delete', RemoteDeleteResult],
  ['session/import', SessionImportResult],
]);

/** Returns the parameters of a request. Absent parameters, `null` and `[]` count as `{}`. */
export function normalParams(params: unknown): unknown {
  return params === undefined || params === null || (Array.isArray(params) && params.length === 0) ? {} : params;
}

/**
 * Returns the issues of the parameters of a request or notification, at most 50. Without an issue, `value` has the
 * type of the parameters. Unknown fields are ignored. Optional fields that are null are removed from `value`, in
 * place, so that a handler sees them absent. An unknown method has no issues here, because dispatch refuses such
 * methods.
 */
export function validateParams(method: string, value: unknown): FoundIssue[] {
  const check = params.get(method);
  const to: Gathering = { issues: [], dropNulls: true };
  if (check !== undefined) check(normalParams(value), '', to);
  return to.issues;
}

/** Returns the issues of a result, for clients and tests. The daemon's own results are checked by their types. */
export function validateResult(method: string, value: unknown): FoundIssue[] {
  const check = results.get(method);
  const to: Gathering = { issues: [], dropNulls: false };
  if (check !== undefined) check(value, '', to);
  return to.issues;
}

/** Returns the issues of the `data` of an error response. */
export function validateErrorData(value: unknown): FoundIssue[] {
  const to: Gathering = { issues: [], dropNulls: false };
  ErrorData(value, '', to);
  return to.issues;
}
