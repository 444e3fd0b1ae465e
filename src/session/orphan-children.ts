// Git processes that a killed daemon left behind: those that read from it end by themselves when their input does,
// one that works on its own (a repack) goes on and would write into the repository under our hands. They are known
// by where they run, which is the session directory and nowhere else. Looks on Linux only, where /proc tells it;
// elsewhere such a process runs to its end, and its locks and temporary files are found stale later.
import { setTimeout as delay } from 'node:timers/promises';
import { systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';

const patienceMs = 2_000;

/** Kills every git process that runs in `directory` and waits until all are gone; the caller owns the session. */
export async function endOrphans(directory: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const home = files.realpathSync(directory);
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const orphans = processIds().filter((pid) => isGitIn(pid, home));
    if (orphans.length === 0 || performance.now() > deadline) return;
    for (const pid of orphans) kill(pid);
    await delay(10);
  }
}

function processIds(): string[] {
  return files.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

/** A killed process has no directory any more, so this also tells when it is gone. */
function isGitIn(pid: string, directory: string): boolean {
  try {
    if (files.readlinkSync(`/proc/${pid}/cwd`) !== directory) return false;
    return files.readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('git');
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false; // it has ended, or it is somebody else's
  }
}

function kill(pid: string): void {
  try {
    process.kill(Number(pid), 'SIGKILL');
  } catch (error) {
    if (systemCode(error) !== 'ESRCH') throw error;
  }
}
