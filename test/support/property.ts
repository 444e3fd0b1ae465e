// Properties with a seed that is always known: a failure prints it, SEED=… replays it, RUNS=… asks for more.
import fc from 'fast-check';

export const seed = process.env.SEED === undefined ? Date.now() & 0x7fffffff : Number(process.env.SEED);

export function parameters(runs = 100): { seed: number; numRuns: number } {
  return { seed, numRuns: process.env.RUNS === undefined ? runs : Number(process.env.RUNS) };
}

/** Checks a synchronous property; fast-check's report names the seed and the smallest failing input. */
export function checkProperty<T>(input: fc.Arbitrary<T>, property: (value: T) => void, runs?: number): void {
  fc.assert(fc.property(input, property), parameters(runs));
}

/** The same for an asynchronous property. */
export async function checkPropertyAsync<T>(
  input: fc.Arbitrary<T>,
  property: (value: T) => Promise<void>,
  runs?: number,
): Promise<void> {
  await fc.assert(fc.asyncProperty(input, property), parameters(runs));
}
