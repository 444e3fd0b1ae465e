// Defines the format of a line (src/LINE-FORMAT.md). A line is one session of one writer, stored as one git commit. The
// commit's message contains the manifest, so that the daemon can list lines from their commits alone. The commit's tree
// contains a copy of the manifest, pages of records, the conversation in pieces, and the root tree of each checkpoint.
// This module reads and writes bytes, and does not move refs.
import type { CheckpointdError } from '../base/errors.ts';
import { isObject, parseJson } from '../base/json.ts';
import { oneLine } from '../base/text/one-line.ts';
import { identity } from '../git/process/environment.ts';
import { corrupt } from './carrier.ts';

export const lineFormat = 1;

/** The number of checkpoints for each page of records. The `seq` of a checkpoint determines its page. */
const recordsPerPage = 100;
/**
 * The limits for a piece of the conversation: its size in bytes and its number of records. A piece ends when it reaches
 * one of the two limits.
 */
export const pieceBytes = 256 << 10;
export const pieceRecords = 1000;

/**
 * The limits for data from a remote. Every real session is far smaller, and data of this size still fits into memory.
 */
export const lineLimits = {
  manifestBytes: 64 << 10,
  pageBytes: 64 << 20,
  pieceBytes: 512 << 20,
  pages: 10_000,
  pieces: 100_000,
  records: 200_000,
  logRecords: 20_000_000,
  /** The maximum number of files in one checkpoint. */
  filesPerTree: 5_000_000,
  directoryDepth: 1_000,
} as const;

/** The line from which the session was imported. */
export interface LineOrigin {
  readonly session: string;
  readonly writer: string;
  /** The imported commit. */
  readonly commit: string;
}

/** The data about a line that a list shows. All values can be written as JSON. */
export interface Manifest {
  readonly format: number;
  readonly session: string;
  readonly writer: string;
  /** A number that increases with each push of this line. */
  readonly generation: number;
  /** The time of the push in RFC 3339, by the clock of the writer. */
  readonly updated: string;
  readonly created: string;
  readonly conversationId: string;
  /** The name of the work tree's directory, without the path. */
  readonly workspace: string;
  readonly strategy: string;
  /** The first words of the conversation. */
  readonly title?: string | undefined;
  /** The current checkpoint of the session. */
  readonly head?: string | undefined;
  readonly checkpoints: number;
  readonly historyLength: number;
  /** An upper limit, in bytes, for the contents of all checkpoints together. */
  readonly bytes: number;
  readonly pages: readonly number[];
  readonly pieces: number;
  readonly logRecords: number;
  /** The id of the choices for this line (left-behind.ts). The choices decide which paths are not sent. */
  readonly choices: string;
  readonly origin?: LineOrigin | undefined;
}

const marker = '\n\ncheckpointd-line-1\n';

/** Returns the bytes of the head commit of a line. */
export function encodeHead(
  manifest: Manifest,
  {
    tree,
    parent,
    seconds,
  }: { readonly tree: string; readonly parent?: string | undefined; readonly seconds: number },
): Buffer {
  const who = `${identity.name} <${identity.email}> ${seconds} +0000`;
  const parents = parent === undefined ? '' : `parent ${parent}\n`;
  const subject = oneLine(manifest.title ?? '').slice(0, 200) || `Session ${manifest.session}`;
  return Buffer.from(
    `tree ${tree}\n${parents}author ${who}\ncommitter ${who}\n\n${subject}${marker}${JSON.stringify(manifest)}\n`,
    'utf8',
  );
}

export interface Head {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly manifest: Manifest;
}

/** Reads a head commit. @throws RemoteCorrupt */
export function decodeHead(bytes: Buffer): Head {
  if (bytes.length > 2 * lineLimits.manifestBytes) throw corrupt('the head of a line is too long');
  const text = bytes.toString('utf8');
  const tree = /^tree ([0-9a-f]{40})\n/.exec(text)?.[1];
  const body = text.indexOf('\n\n');
  const at = text.indexOf(marker, body + 2);
  if (tree === undefined || body < 0 || at < 0) throw corrupt('a ref does not name the head of a line');
  const parents = [...text.slice(0, body).matchAll(/^parent ([0-9a-f]{40})$/gm)].map(
    (match) => match[1] ?? '',
  );
  return { tree, parents, manifest: parseManifest(text.slice(at + marker.length)) };
}

/** Reads a manifest. @throws RemoteCorrupt */
export function parseManifest(text: string): Manifest {
  const value = parseJson(text);
  if (value === undefined) throw corrupt('a manifest is not JSON');
  if (!isObject<keyof Manifest>(value)) throw corrupt('a manifest is not an object');
  if (typeof value.format === 'number' && value.format > lineFormat) throw laterFormat(value.format);
  const isGood =
    value.format === lineFormat &&
    texts.every((name) => isShortText(value[name])) &&
    optionalTexts.every((name) => value[name] === undefined || isShortText(value[name])) &&
    counts.every((name) => isCount(value[name])) &&
    Number(value.checkpoints) <= lineLimits.records &&
    Number(value.pieces) <= lineLimits.pieces &&
    Number(value.logRecords) <= lineLimits.logRecords &&
    isPages(value.pages) &&
    isOrigin(value.origin) &&
    !Number.isNaN(Date.parse(String(value.updated)));
  if (!isGood) throw corrupt('a manifest has an invalid field');
  return value as Manifest;
}

const texts = [
  'session',
  'writer',
  'updated',
  'created',
  'conversationId',
  'workspace',
  'strategy',
  'choices',
] as const;
const optionalTexts = ['title', 'head'] as const;
const counts = ['generation', 'checkpoints', 'historyLength', 'bytes', 'pieces', 'logRecords'] as const;

function isShortText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 4096;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isPages(value: unknown): boolean {
  return Array.isArray(value) && value.length <= lineLimits.pages && value.every(isCount);
}

function isOrigin(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isObject<keyof LineOrigin>(value)) return false;
  const { session, writer, commit } = value;
  return isShortText(session) && isShortText(writer) && isShortText(commit);
}

function laterFormat(format: number): CheckpointdError {
  return corrupt(
    `a newer checkpointd wrote the line (format ${format}, this version knows ${lineFormat}); update checkpointd to fetch the line`,
    { format, known: lineFormat },
  );
}

/**
 * The tags and names of a line. Tags and names are stored apart from the records, because tags and names move and
 * records never change.
 */
export interface LineNames {
  readonly tags: Readonly<Record<string, string>>;
  readonly names: Readonly<Record<string, string>>;
}

/** Reads the tags and names. @throws RemoteCorrupt */
export function parseNames(text: string): LineNames {
  const value = parseJson(text);
  if (value === undefined) throw corrupt('the tags and names are not JSON');
  const { tags, names } = (value ?? {}) as Partial<Record<keyof LineNames, unknown>>;
  if (!isTexts(tags) || !isTexts(names) || !Object.keys(tags).every((tag) => tagForm.test(tag)))
    throw corrupt('the tags and names have an invalid form');
  return { tags, names };
}

const tagForm = /^(?:0|[1-9]\d{0,8})(?:\.[1-9]\d{0,8})?$/;

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((each) => typeof each === 'string');
}

/** Returns the number of the page that contains the checkpoint with this `seq`. */
export const pageOfSeq = (seq: number): number => Math.floor(seq / recordsPerPage);
export const numbered = (number: number): string => String(number).padStart(8, '0');
