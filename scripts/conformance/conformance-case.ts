// The form of a conformance script, and how all of them are read. What each step does is told in
// protocol/conformance/README.md; running them is the other files' business.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from './match.ts';

export type Step = Json;

export interface ConformanceCase {
  /** Unique among all cases. */
  readonly name: string;
  /** The rules of REFERENCE.md that it shows. */
  readonly rules: readonly string[];
  /** Arguments after the command line under test. */
  readonly args?: readonly string[];
  readonly over?: 'stdio' | 'tcp' | 'pipe';
  readonly world?: 'repository' | 'directory';
  /** The runner's work before the first step. Default: `open`. */
  readonly begin?: 'nothing' | 'initialize' | 'open';
  /** The events that the runner asks for in its `initialize`. */
  readonly events?: readonly string[];
  /** Fields that the runner adds to its `session/open`. */
  readonly open?: Json;
  /** Only for commands that take `--fault=NAME`. */
  readonly fault?: string;
  /** False when stdout is text for people. */
  readonly frames?: boolean;
  readonly steps: readonly Step[];
}

/** All cases of a directory of scripts, in the order of the files. */
export function readCases(directory: string): ConformanceCase[] {
  return readdirSync(directory)
    .filter((name) => /^\d\d-.*\.json$/.test(name))
    .sort()
    .flatMap((name) => {
      const text = readFileSync(join(directory, name), 'utf8');
      return (JSON.parse(text) as { readonly cases: readonly ConformanceCase[] }).cases;
    });
}
