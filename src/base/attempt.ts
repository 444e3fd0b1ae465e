// Turns expected failures into results. Such failures are a missing file, a lost object or a process that has ended.
// Each caller names the failures that it expects. All other failures are thrown.
import { systemCode } from './errors.ts';

type Expected = (error: unknown) => boolean;

/**
 * Returns the result of `work`. Returns `otherwise` when `work` fails with an expected error. @throws every other error
 */
export function attemptOr<T, O>(otherwise: O, isExpected: Expected, work: () => T): T | O {
  try {
    return work();
  } catch (error) {
    if (!isExpected(error)) throw error;
    return otherwise;
  }
}

/**
 * Returns the result of `work`. Returns undefined when `work` fails with an expected error. @throws every other error
 */
export function attempt<T>(isExpected: Expected, work: () => T): T | undefined {
  return attemptOr(undefined, isExpected, work);
}

/** Does the same as {@link attemptOr} for asynchronous work. */
export async function attemptAsyncOr<T, O>(
  otherwise: O,
  isExpected: Expected,
  work: () => Promise<T>,
): Promise<T | O> {
  try {
    return await work();
  } catch (error) {
    if (!isExpected(error)) throw error;
    return otherwise;
  }
}

/** Does the same as {@link attempt} for asynchronous work. */
export function attemptAsync<T>(isExpected: Expected, work: () => Promise<T>): Promise<T | undefined> {
  return attemptAsyncOr(undefined, isExpected, work);
}

/** True for the error of any failed system call. */
export const isOfSystem: Expected = (error) => systemCode(error) !== undefined;

/** Returns a test that is true for the error of a failed system call with one of these codes. */
export function hasCode(...codes: readonly string[]): Expected {
  return (error) => codes.includes(systemCode(error) ?? '');
}

/** True for an error that reports a missing file or directory. */
export const isMissing: Expected = hasCode('ENOENT');

/** Returns a test that is true for the errors of a class. */
export function isA(type: abstract new (...parameters: never[]) => Error): Expected {
  return (error) => error instanceof type;
}
