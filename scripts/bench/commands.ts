// Measures how long a person waits for the command line. Each command runs in its own process. First no daemon runs;
// then the commands use the background daemon that the first command has started.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GeneratedTree } from './generated-tree.ts';

const program = fileURLToPath(new URL('../../program/main.cjs', import.meta.url));

const hook = ['hook', 'claude-code'];

/** For each command, as a person types it: the milliseconds of each run. */
export type CommandTimes = Readonly<Record<string, readonly number[]>>;

/** Runs commands on one work tree. The commands have their own home directory. */
export class CommandLine {
  readonly name: string;
  readonly #workTree: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #hasDaemon: boolean;

  constructor(workTree: string, scratch: string, hasDaemon: boolean) {
    this.name = hasDaemon ? 'with the daemon' : 'without a daemon';
    this.#workTree = workTree;
    this.#hasDaemon = hasDaemon;
    const home = join(scratch, hasDaemon ? 'home-daemon' : 'home-alone');
    mkdirSync(home, { recursive: true });
    const { PATH } = process.env;
    this.#environment = { PATH, HOME: home, ...(hasDaemon ? {} : { CHECKPOINTD_NO_DAEMON: '1' }) };
  }

  /**
   * Runs each command this many times, and edits a file before each run. If commands may leave a daemon behind, then
   * also runs the hook of an agent's tool. The hook starts a session of its own. `list` is slower with two sessions,
   * because it then loads the whole program to choose one.
   */
  measure(tree: GeneratedTree, repeats: number): CommandTimes {
    const times: Record<string, number[]> = {};
    const timed = (label: string, args: readonly string[], input = ''): void => {
      const started = performance.now();
      this.#run(args, input);
      (times[label] ??= []).push(performance.now() - started);
    };
    this.#run(['create', '--message', 'bench']);
    for (let i = 0; i < repeats; i += 1) {
      tree.edit();
      timed('create', ['create', '--message', 'bench']);
      timed('list', ['list']);
      timed('status', ['status']);
      timed('diff 1', ['diff', '1']);
      tree.edit();
      timed('restore 1', ['restore', '1', '--hard', '--yes']);
      timed('undo', ['undo']);
    }
    if (!this.#hasDaemon) return times;
    // The first hook starts the process that works for the hooks.
    this.#run(hook, this.#toolEvent('first'));
    for (let i = 0; i < repeats; i += 1) timed('hook', hook, this.#toolEvent(`call-${i}`));
    return times;
  }

  /** Ends the background daemon and the process that works for the hooks, if they are running. */
  stop(): void {
    this.#run(['stop']);
  }

  /** Returns what an agent tells its hook after a tool. */
  #toolEvent(call: string): string {
    return JSON.stringify({
      session_id: 'bench',
      cwd: this.#workTree,
      hook_event_name: 'PostToolUse',
      tool_name: 'Bash',
      tool_use_id: call,
      tool_input: {},
    });
  }

  #run(args: readonly string[], input = ''): void {
    execFileSync(process.execPath, [program, ...args], {
      cwd: this.#workTree,
      env: this.#environment,
      input,
      stdio: ['pipe', 'pipe', 'pipe'],
      maxBuffer: 1 << 28,
    });
  }
}

/** Returns how long an empty Node program takes. No command can be faster. */
export function emptyProgram(repeats: number): readonly number[] {
  return Array.from({ length: repeats }, () => {
    const started = performance.now();
    execFileSync(process.execPath, ['-e', '0'], { stdio: 'ignore' });
    return performance.now() - started;
  });
}
