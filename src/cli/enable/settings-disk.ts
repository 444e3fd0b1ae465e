// Reads settings files, replaces them as a whole, and records how to remove our hooks without a trace. Does not write a
// file that changed while the command asked the user.
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { enabledNotesFile, replaceNote } from '../hooks/hook-notes.ts';
import { applied, type Edit } from './settings.ts';

/**
 * A note about the change that `enable` made to a file. Does not contain the rest of the file's text, which may have
 * secrets.
 */
interface Note {
  /**
   * The hash of the file after `enable`. The hooks can be removed without a trace only while the file still has this
   * hash.
   */
  readonly after: string;
  readonly back: readonly Edit[];
  readonly created: boolean;
  readonly madeDirectories: readonly string[];
}

/**
 * Returns the text of a settings file, or undefined when there is no file. @throws when the file is unreadable or not
 * UTF-8
 */
export function readSettings(file: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (error instanceof TypeError) throw new Error('the file is not UTF-8', { cause: error });
    throw error;
  }
}

/** Returns the mode of a write-protected file in octal, or undefined for any other file. */
export function readOnlyMode(file: string): string | undefined {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  return mode === undefined || (mode & 0o222) !== 0 ? undefined : `0${(mode & 0o777).toString(8)}`;
}

/**
 * Replaces the file if the file has not changed since it was read. If the file is a symbolic link, replaces the target
 * and keeps the link.
 */
export function writeSettings(file: string, before: string | undefined, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  if (readSettings(file) !== before)
    throw new Error('another program changed the file meanwhile. Run the command again');
  const target = before === undefined ? file : realpathSync(file);
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
    chmodSync(temporary, before === undefined ? 0o644 & ~process.umask() : statSync(target).mode & 0o7777);
    renameSync(temporary, target);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Returns the missing directories of a file, outermost first. */
export function missingDirectories(file: string): string[] {
  const missing: string[] = [];
  for (let at = dirname(file); statSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at))
    missing.unshift(at);
  return missing;
}

export function removeSettings(file: string, madeDirectories: readonly string[]): void {
  rmSync(file, { force: true });
  for (const directory of madeDirectories.toReversed()) {
    try {
      rmdirSync(directory);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return; // the directory contains other files
    }
  }
}

export class EnabledNotes {
  readonly #file: string;

  constructor(storage: string) {
    this.#file = enabledNotesFile(storage);
  }

  /**
   * Returns the text that the file had before `enable`, or undefined when this text is unknown. The field `text` of the
   * result is undefined when the file did not exist.
   */
  before(
    file: string,
    text: string,
  ): { readonly text: string | undefined; readonly madeDirectories: readonly string[] } | undefined {
    const note = this.#notes()[file];
    if (note?.after !== hashOf(text)) return undefined;
    const { created, back, madeDirectories } = note;
    return { text: created ? undefined : applied(text, back), madeDirectories };
  }

  set(file: string, after: string, note: Omit<Note, 'after'>): void {
    this.#write({ ...this.#notes(), [file]: { ...note, after: hashOf(after) } });
  }

  forget(file: string): void {
    const { [file]: forgotten, ...rest } = this.#notes();
    if (forgotten !== undefined) this.#write(rest);
  }

  #notes(): Readonly<Record<string, Note>> {
    const text = readSettings(this.#file);
    if (text === undefined) return {};
    // Ignores damaged notes. Hooks without a note are still recognized by their content.
    return (parseJson(text) ?? {}) as Readonly<Record<string, Note>>;
  }

  #write(notes: Readonly<Record<string, Note>>): void {
    if (Object.keys(notes).length === 0) return rmSync(this.#file, { force: true });
    replaceNote(this.#file, notes);
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
