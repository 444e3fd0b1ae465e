// Reads refs from their files without starting git: from one file per ref, and from `packed-refs`. Reads only plain
// refs. Throws an error for any other ref; in this case, the caller asks git.
import { join } from 'node:path';
import { attempt, isMissing } from '../../base/attempt.ts';
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

/** Returns the object of each packed ref in some namespaces. @throws UnreadableRefs, system errors */
export function packedRefs(file: string, prefixes: readonly string[]): Map<string, string> {
  const refs = new Map<string, string>();
  for (const line of textOf(file)?.split('\n') ?? []) {
    if (line === '' || line.startsWith('#') || line.startsWith('^')) continue;
    const [, object = '', ref] = packedLine.exec(line) ?? [];
    if (ref === undefined) throw new UnreadableRefs('A line of packed-refs does not contain a ref.', file);
    if (prefixes.some((prefix) => ref.startsWith(prefix))) refs.set(ref, object);
  }
  return refs;
}

function addLoose(refsIn: string, directory: string, refs: Map<string, string>): void {
  const entries = attempt(isMissing, () =>
    files.readdirSync(join(refsIn, directory), { withFileTypes: true }),
  );
  for (const entry of entries ?? []) {
    const ref = `${directory}${entry.name}`;
    if (entry.isDirectory()) {
      addLoose(refsIn, `${ref}/`, refs);
      continue;
    }
    const object = entry.isFile() ? looseForm.exec(textOf(join(refsIn, ref)) ?? '')?.[1] : undefined;
    if (object === undefined)
      throw new UnreadableRefs('The file of a ref does not contain an object id.', join(refsIn, ref));
    refs.set(ref, object);
  }
}

function textOf(file: string): string | undefined {
  return attempt(isMissing, () => files.readFileSync(file, 'latin1'));
}
