// The form of a conformance script, and how all scripts are read. protocol/conformance/README.md describes the steps.
// Other files run them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from './match.ts';

export type Step = Json;

export interface ConformanceCase {
  /** Unique among all cases. */
  readonly name: string;
  /** The rules of REFERENCE.md that the case shows. */
  readonly rules: readonly string[];
  /** Arguments after the command line under test. */
  readonly args?: readonly string[];
  readonly over?: 'stdio' | 'tcp' | 'pipe';
  readonly world?: 'repository' | 'directory';
  /** The runner's work before the first step. Default: `open`. */
  readonly begin?: 'nothing' | 'initialize' | 'open';
  /** The events that the runner requests in its `initialize`. */
  readonly events?: readonly string[];
  /** Fields that the runner adds to its `session/open`. */
  readonly open?: Json;
  /** Only for commands that accept `--fault=NAME`. */
  readonly fault?: string;
  /** False when stdout is text for people. */
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
