// Reads refs from their files, for a process that starts no git: a file for each ref, and `packed-refs` for the others.
// It reads plain refs only. Whatever it does not understand it refuses, and git is asked.
import { join } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { UnreadableRefs } from './readable-refs.ts';

const packedLine = /^([0-9a-f]{40}) (refs\/\S+)$/;
const looseForm = /^([0-9a-f]{40})\n$/;

/** Returns the object of each ref in some namespaces. @throws UnreadableRefs, system errors */
export function refsInFiles(refsIn: string, prefixes: readonly string[]): Map<string, string> {
  const refs = packedRefs(join(refsIn, 'packed-refs'), prefixes);
  for (const prefix of prefixes) addLoose(refsIn, prefix, refs);
  return refs;
}

function packedRefs(file: string, prefixes: readonly string[]): Map<string, string> {
  const refs = new Map<string, string>();
  for (const line of textOf(file)?.split('\n') ?? []) {
    if (line === '' || line.startsWith('#') || line.startsWith('^')) continue;
    const [, object = '', ref] = packedLine.exec(line) ?? [];
    if (ref === undefined) throw new UnreadableRefs('A line of it is no ref.', file);
    if (prefixes.some((prefix) => ref.startsWith(prefix))) refs.set(ref, object);
  }
  return refs;
}

function addLoose(refsIn: string, directory: string, refs: Map<string, string>): void {
  for (const entry of entriesOf(join(refsIn, directory))) {
    const ref = `${directory}${entry.name}`;
    if (entry.isDirectory()) {
      addLoose(refsIn, `${ref}/`, refs);
      continue;
    }
    const object = entry.isFile() ? looseForm.exec(textOf(join(refsIn, ref)) ?? '')?.[1] : undefined;
    if (object === undefined) throw new UnreadableRefs('It is no plain ref.', join(refsIn, ref));
    refs.set(ref, object);
  }
}

function entriesOf(directory: string): ReturnType<typeof list> {
  return absent(() => list(directory)) ?? [];
}

const list = (directory: string) => files.readdirSync(directory, { withFileTypes: true });

function textOf(file: string): string | undefined {
  return absent(() => files.readFileSync(file, 'latin1'));
}

/** Returns undefined for a file that is not there. */
function absent<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
}
