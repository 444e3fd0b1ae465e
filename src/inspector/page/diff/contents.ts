// Fetches the difference of one file when the user opens the file: between two checkpoints, or between a checkpoint and
// the current state. The result is two texts with the daemon's hunks, two images, or the reason why no content is
// shown.
import type { DiffFile, DiffHunk, PathRef } from '../../../protocol/types.ts';
import { type Hunk, hunksOf, type PatchedTexts, PatchMismatch, patched, unpatched } from '../patch.ts';
import { useLink } from '../state/link.ts';

/**
 * The two states of a comparison. When `from` is absent, there is no earlier state. When `to` is absent, the later
 * state is the current state.
 */
export interface Sides {
  readonly session: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export type Shown =
  | {
      readonly kind: 'text';
      readonly before: string;
      readonly after: string;
      /**
       * The hunks from the daemon. Undefined when the daemon's patch was too long; the page then compares the texts
       * itself.
       */
      readonly hunks: readonly Hunk[] | undefined;
      /** The hunks with their ids. A revert of hunks names these ids. */
      readonly named: readonly DiffHunk[];
      readonly isUtf8: boolean;
    }
  | { readonly kind: 'patch'; readonly text: string }
  | { readonly kind: 'image'; readonly before: Blob | undefined; readonly after: Blob | undefined }
  | { readonly kind: 'binary' }
  | { readonly kind: 'large' };

/** The size limit for each of the two texts. */
const maxTextBytes = 32_000_000;
const maxImageBytes = 16_000_000;

const imageTypes: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  gif: 'image/gif',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
};

export function imageTypeOf(path: string): string | undefined {
  return imageTypes[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];
}

export const refOf = ({ path, pathBytes }: PathRef): PathRef =>
  pathBytes === undefined ? { path } : { path, pathBytes };

const oldRefOf = (file: DiffFile): PathRef =>
  file.oldPath === undefined
    ? refOf(file)
    : { path: file.oldPath, ...(file.oldPathBytes === undefined ? {} : { pathBytes: file.oldPathBytes }) };

/** Fetches the difference of a file. `file` must come from a comparison of the same two states. */
export async function shownOf(sides: Sides, file: DiffFile, signal: AbortSignal): Promise<Shown> {
  const type = imageTypeOf(file.path);
  if (file.binary === true && type !== undefined) return imagesOf(sides, file, type, signal);
  // Checks the size before the type, because the daemon reports very large texts as binary.
  if (Math.max(file.beforeSize ?? 0, file.afterSize ?? 0) > maxTextBytes) return { kind: 'large' };
  if (file.binary === true) return { kind: 'binary' };
  if (sides.from === undefined) return onlyAfter(sides, file, signal);
  const isGone = file.change === 'deleted';
  const isOneSided = file.change === 'added' || isGone;
  const [found, before] = await Promise.all([
    patchOf(sides, file, signal),
    isOneSided ? new Uint8Array() : fileBytes(sides.session, sides.from, oldRefOf(file), signal),
  ]);
  if (found === undefined) return bothRead(sides, file, isOneSided ? undefined : before, signal);
  if (before === undefined) return { kind: 'large' };
  const [isUtf8, [beforeText = '', patchText = '']] = decoded([before, found.patch]);
  try {
    const hunks = hunksOf(patchText);
    const compared: PatchedTexts = isGone ? unpatched('', hunks) : patched(beforeText, hunks);
    return { kind: 'text', ...compared, named: found.named, isUtf8 };
  } catch (error) {
    if (!(error instanceof PatchMismatch)) throw error;
    // The patch does not fit the text if the path changed from a link to a file. The patch also does not fit if the
    // file changed between the two requests.
    return { kind: 'patch', text: patchText };
  }
}

interface FilePatch {
  readonly patch: Uint8Array;
  readonly named: readonly DiffHunk[];
}

/** Returns the patch of one file. Returns undefined when the patch is too long to be sent. */
async function patchOf(
  { session, from, to }: Sides,
  file: DiffFile,
  signal: AbortSignal,
): Promise<FilePatch | undefined> {
  const params = {
    session,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    format: 'unified',
    perFile: true,
    paths: [refOf(file), oldRefOf(file)],
  } as const;
  const { files } = await useLink().ask('checkpoint/diff', params, { signal });
  const found = files.find(({ path, pathBytes }) => path === file.path && pathBytes === file.pathBytes);
  if (found?.unified === undefined) return undefined;
  const { unified, encoding, hunks: named = [] } = found;
  return { patch: encoding === 'base64' ? fromBase64(unified) : new TextEncoder().encode(unified), named };
}

/** Reads both texts. `known` is the earlier text, if the caller already has it. */
async function bothRead(
  sides: Sides,
  file: DiffFile,
  known: Uint8Array<ArrayBuffer> | undefined,
  signal: AbortSignal,
): Promise<Shown> {
  const { session, from, to } = sides;
  if (to === undefined && file.change !== 'deleted') return { kind: 'large' };
  const [before, after] = await Promise.all([
    from === undefined || file.change === 'added'
      ? new Uint8Array()
      : (known ?? fileBytes(session, from, oldRefOf(file), signal)),
    to === undefined || file.change === 'deleted'
      ? new Uint8Array()
      : fileBytes(session, to, refOf(file), signal),
  ]);
  if (before === undefined || after === undefined) return { kind: 'large' };
  const [isUtf8, [beforeText = '', afterText = '']] = decoded([before, after]);
  return { kind: 'text', before: beforeText, after: afterText, hunks: undefined, named: [], isUtf8 };
}

/** Returns the content of a file for which there is no earlier state, such as a file of the first checkpoint. */
async function onlyAfter({ session, to }: Sides, file: DiffFile, signal: AbortSignal): Promise<Shown> {
  const after = to === undefined ? undefined : await fileBytes(session, to, refOf(file), signal);
  if (after === undefined) return { kind: 'large' };
  const type = imageTypeOf(file.path);
  if (after.subarray(0, 8000).includes(0))
    return type === undefined
      ? { kind: 'binary' }
      : { kind: 'image', before: undefined, after: new Blob([after], { type }) };
  const [isUtf8, [text = '']] = decoded([after]);
  return { kind: 'text', before: text, after: text, hunks: [], named: [], isUtf8 };
}

async function imagesOf(sides: Sides, file: DiffFile, type: string, signal: AbortSignal): Promise<Shown> {
  const { session, from, to } = sides;
  if (Math.max(file.beforeSize ?? 0, file.afterSize ?? 0) > maxImageBytes) return { kind: 'binary' };
  const blob = (bytes: Uint8Array<ArrayBuffer> | undefined): Blob | undefined =>
    bytes === undefined ? undefined : new Blob([bytes], { type });
  const [before, after] = await Promise.all([
    from === undefined || file.change === 'added'
      ? undefined
      : fileBytes(session, from, oldRefOf(file), signal),
    to === undefined || file.change === 'deleted' ? undefined : fileBytes(session, to, refOf(file), signal),
  ]);
  return { kind: 'image', before: blob(before), after: blob(after) };
}

/** Reads a whole file of a checkpoint. Returns undefined when the file is missing or too large. */
export async function fileBytes(
  session: string,
  tag: string,
  path: PathRef,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let offset = 0;
  for (;;) {
    const params = { session, tag, ...refOf(path), offset };
    const {
      exists,
      data = '',
      encoding,
      size,
      eof,
    } = await useLink().ask('checkpoint/readFile', params, { signal });
    if (!exists || size > maxTextBytes) return undefined;
    const chunk = encoding === 'base64' ? fromBase64(data) : new TextEncoder().encode(data);
    chunks.push(chunk);
    offset += chunk.length;
    if (eof || chunk.length === 0) return joined(chunks, offset);
  }
}

/** Decodes a text from an answer of the daemon. If a content is not UTF-8, decodes it byte by byte. */
export function textOfWire(text: string, encoding: string | undefined): string {
  return encoding === 'base64' ? decoded([fromBase64(text)])[1].join('') : text;
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Decodes all contents as UTF-8. If one of the contents is not UTF-8, decodes all contents byte by byte. */
function decoded(all: readonly Uint8Array[]): readonly [isUtf8: boolean, texts: readonly string[]] {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return [true, all.map((bytes) => decoder.decode(bytes))];
  } catch {
    return [false, all.map(fromLatin1)];
  }
}

function fromLatin1(bytes: Uint8Array): string {
  const part = 1 << 15;
  let text = '';
  for (let at = 0; at < bytes.length; at += part)
    text += String.fromCharCode(...bytes.subarray(at, at + part));
  return text;
}
