// Checks properties with random inputs from a seed. A failure prints the seed. SEED=… repeats a run, and RUNS=… sets
// the number of inputs. If CI is set, the seed is fixed, so that only a change of the code can make a test fail.
// Without CI and SEED, each run has a new seed.
import fc from 'fast-check';

export const seed = Number(
  process.env.SEED ?? (process.env.CI === undefined ? Date.now() & 0x7fffffff : 20_261_120),
);

export function parameters(runs = 100): { seed: number; numRuns: number; includeErrorInReport: boolean } {
  const numRuns = process.env.RUNS === undefined ? runs : Number(process.env.RUNS);
  return { seed, numRuns, includeErrorInReport: true };
}

/** Checks a synchronous property. If the property fails, fast-check prints the seed and the smallest failing input. */
export function checkProperty<T>(input: fc.Arbitrary<T>, property: (value: T) => void, runs?: number): void {
  fc.assert(fc.property(input, property), parameters(runs));
}

/** Checks an asynchronous property. */
export async function checkPropertyAsync<T>(
  input: fc.Arbitrary<T>,
  property: (value: T) => Promise<void>,
  runs?: number,
): Promise<void> {
  await fc.assert(fc.asyncProperty(input, property), parameters(runs));
}
