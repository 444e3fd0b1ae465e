// Defines the form of a conformance script, and reads all scripts. The steps are described in
// protocol/conformance/README.md. Other files run the steps.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from './match.ts';

export type Step = Json;

export interface ConformanceCase {
  /** The name of the case, unique among all cases. */
  readonly name: string;
  /** The rules of REFERENCE.md that the case tests. */
  readonly rules: readonly string[];
  /** The arguments that the runner appends to the command line under test. */
  readonly args?: readonly string[];
  readonly over?: 'stdio' | 'tcp' | 'pipe';
  readonly world?: 'repository' | 'directory';
  /** How far the runner has opened the session when the first step of the case begins. The default is `open`. */
  readonly begin?: 'nothing' | 'initialize' | 'open';
  /** The events that the runner requests when it sends `initialize`. */
  readonly events?: readonly string[];
  /** The fields that the runner adds to its `session/open`. */
  readonly open?: Json;
  /** The fault that the case needs. The case runs only if the command under test accepts `--fault=NAME`. */
  readonly fault?: string;
  /** False when the program writes no frames to stdout, but text for people. */
  readonly frames?: boolean;
  readonly steps: readonly Step[];
}

/** Reads all cases of a directory of scripts, in the order of the files. */
export function readCases(directory: string): ConformanceCase[] {
  return readdirSync(directory)
    .filter((name) => /^\d\d-.*\.json$/.test(name))
    .sort()
    .flatMap((name) => {
      const text = readFileSync(join(directory, name), 'utf8');
      return (JSON.parse(text) as { readonly cases: readonly ConformanceCase[] }).cases;
    });
}
