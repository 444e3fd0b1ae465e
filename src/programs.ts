// The daemon and the commands as functions of one file. scripts/bundle.ts bundles this file and records its compiled
// code, so that a command and the daemon in its process share this code. A function loads its modules when it is
// called.

export async function startDaemon(words: readonly string[]): Promise<void> {
  const daemon = await import('./run-daemon.ts');
  return daemon.runDaemon(words);
}

export async function startCommand(words: readonly string[]): Promise<number> {
  const program = await import('./cli/program.ts');
  return program.runCommand(words);
}
