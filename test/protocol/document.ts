// Gives protocol.json to the tests, and makes copies that differ in one place.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ProtocolDocument } from '../../scripts/generate/dialect.ts';
import { readDocument } from '../../scripts/read-document.ts';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

export function readJson(path: string): unknown {
  return JSON.parse(readFileSync(`${root}${path}`, 'utf8'));
}

export const protocol = readDocument(root);

type Json = Record<string, unknown>;

/** Returns a copy of the document with a new value in one place, or without this place if the value is undefined. */
export function changed(path: readonly (string | number)[], value: unknown): ProtocolDocument {
  const copy = structuredClone(protocol);
  let at = copy as unknown as Json;
  for (const key of path.slice(0, -1)) {
    const next = at[key];
    if (typeof next !== 'object' || next === null) throw new Error(`no ${String(key)} in ${path.join('/')}`);
    at = next as Json;
  }
  const last = path.at(-1) ?? '';
  if (value !== undefined) at[last] = value;
  else if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete at[last];
  return copy;
}

/** Returns the position of a method in the document. */
export function methodIndex(name: string): number {
  const index = protocol.methods.findIndex((method) => method.name === name);
  if (index < 0) throw new Error(`no method ${name}`);
  return index;
}
