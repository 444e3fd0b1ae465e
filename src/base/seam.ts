// The seam for faults: every file and process call of ours passes here before it reaches the system, so that a
// test can fail the n-th call or kill the process there. It has no switch in the environment or on the command
// line: only code that imports this module can install a fault, and the shipped daemon never does.

/** Called before each system call; throws to fail it. `call` is the system's word (`open`, `rename`, `spawn` …). */
export type Fault = (call: string, target: string) => void;

let installed: Fault | undefined;

/**
 * Installs a fault, or removes it with `undefined`.
 * @forTests
 */
export function installFault(fault: Fault | undefined): void {
  installed = fault;
}

/** Called where other work of the daemon may come between a look at shared state and its use. `where` names the place. */
export type Meanwhile = (where: string) => void;

let meanwhile: Meanwhile | undefined;

/**
 * Installs what happens at every such place, or removes it with `undefined`. It may do all that another operation could.
 * @forTests
 */
export function installMeanwhile(happens: Meanwhile | undefined): void {
  meanwhile = happens;
}

/** Marks the end of an `await` after which shared state may be another one. Costs one comparison, as the seam does. */
export function passMeanwhile(where: string): void {
  if (meanwhile !== undefined) meanwhile(where);
}

/** Passes the seam. Costs one comparison when no fault is installed. */
export function passSeam(call: string, target: unknown): void {
  if (installed !== undefined) installed(call, describeTarget(target));
}

function describeTarget(target: unknown): string {
  if (typeof target === 'string') return target;
  if (target instanceof Uint8Array) return Buffer.from(target).toString('latin1');
  return String(target);
}
