// Runs many cases, a few at a time.
import type { ConformanceCase } from './conformance-case.ts';
import { runCase } from './run-case.ts';

export interface Verdicts {
  readonly passed: number;
  readonly failures: readonly { readonly name: string; readonly what: string }[];
  /** The cases that were not run: they need a fault, and the command under test supports no faults. */
  readonly skipped: readonly string[];
}

export async function runCases(
  cases: readonly ConformanceCase[],
  command: readonly string[],
  options: { readonly lanes: number; readonly faults: boolean },
): Promise<Verdicts> {
  const skipped = cases.filter(({ fault }) => fault !== undefined && !options.faults);
  const waiting = cases.filter((one) => !skipped.includes(one));
  const total = waiting.length;
  const failures: { name: string; what: string }[] = [];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const what = await runCase(next, command);
      if (what !== undefined) failures.push({ name: next.name, what });
    }
  };
  await Promise.all(Array.from({ length: options.lanes }, lane));
  return { passed: total - failures.length, failures, skipped: skipped.map(({ name }) => name) };
}
