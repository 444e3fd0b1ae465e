// The version of this package, for whoever is told it on another wire than ours.
import { readFileSync } from 'node:fs';

export function clientVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return String((JSON.parse(text) as { readonly version?: unknown }).version);
}
