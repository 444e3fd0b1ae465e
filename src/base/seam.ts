// The seam where tests inject faults. Every call of the daemon to a file or process function passes this module before
// it reaches the system. A test can make the n-th call fail, or kill the process at the n-th call. The seam has no
// switch in the environment or on the command line. Only code that imports this module can install a fault, and the
// shipped daemon never does.

/**
 * A function that is called before each system call. If the function throws an error, the call fails with this error.
 * `call` is the name of the system call (`open`, `rename`, `spawn` …), and `option` is the call's second argument, such
 * as the flags of an `open`.
 */
export type Fault = (call: string, target: string, option?: unknown) => void;

let installed: Fault | undefined;

/**
 * Installs a fault; `undefined` removes it.
 * @forTests
 */
export function installFault(fault: Fault | undefined): void {
  installed = fault;
}

/**
 * True when a fault is installed. A thread of its own has no faults, so code that a fault may have to reach then runs in
 * the main thread.
 */
export const isFaulty = (): boolean => installed !== undefined;

/**
 * A function that a test installs and that the code calls at certain places. At each of these places, the code has
 * checked shared state but has not used it yet. Another operation may run in between. `where` names the place.
 */
type Interleaving = (where: string) => void;

let installedInterleaving: Interleaving | undefined;

/**
 * Installs a function for {@link passInterleaving} to call; `undefined` removes it. The installed function may do
 * everything that another operation could do.
 * @forTests
 */
export function installInterleaving(interleaving: Interleaving | undefined): void {
  installedInterleaving = interleaving;
}

/**
 * Called after an `await` during which another operation may have changed shared state. Costs one comparison when no
 * function is installed.
 */
export function passInterleaving(where: string): void {
  if (installedInterleaving !== undefined) installedInterleaving(where);
}

/** Calls the installed fault. Costs one comparison when no fault is installed. */
export function passSeam(call: string, target: unknown, option?: unknown): void {
  if (installed !== undefined) installed(call, describeTarget(target), option);
}

function describeTarget(target: unknown): string {
  if (typeof target === 'string') return target;
  if (target instanceof Uint8Array) return Buffer.from(target).toString('latin1');
  return String(target);
}
