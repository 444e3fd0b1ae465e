// Makes a work tree in a temporary directory, and captures it into a store in memory. Runs git on the work tree for
// comparison.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createLog, type LogSink } from '../../src/base/log.ts';
import { installFault } from '../../src/base/seam.ts';
import type { Capture } from '../../src/capture/capturer.ts';
import { Capturer, type CapturerOptions } from '../../src/capture/capturer.ts';
import { fromText, toText } from '../../src/tree/tree-path.ts';
import { openWorkTree } from '../../src/work-tree/work-tree.ts';
import { MemoryStore } from './stores/memory-store.ts';

export interface Rig {
  /** The directory with all files of the test. */
  readonly top: string;
  /** The work tree. */
  readonly root: string;
  /** The home directory that captures use. */
  readonly home: string;
  readonly store: MemoryStore;
  readonly capturer: Capturer;
  /** The log lines, as `level message`. */
  readonly log: string[];
  write(path: string, content: string | Uint8Array, mode?: number): void;
  git(...args: string[]): string;
  /** Returns the options for a capturer of this work tree and store. `changes` overrides single options. */
  options(changes: Partial<CapturerOptions>): CapturerOptions;
  /** Returns another capturer for the same work tree and store, with other options. */
  another(options: Partial<CapturerOptions>): Capturer;
  remove(): Promise<void>;
}

/**
 * Makes a rig. With `repository: false`, does not run `git init`. With `below`, this sub-directory becomes the work
 * tree.
 */
export function makeRig(
  options: Partial<CapturerOptions> & { repository?: boolean; below?: string } = {},
): Rig {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'ckpt-capture-')));
  const repository = join(top, 'w');
  const root = options.below === undefined ? repository : join(repository, options.below);
  const home = join(top, 'home');
  mkdirSync(root, { recursive: true });
  mkdirSync(home);
  const run = (...args: string[]): string => git(home, repository, ...args);
  if (options.repository !== false) run('init', '-q', '-b', 'main');
  const store = new MemoryStore();
  const log: string[] = [];
  const sink: LogSink = (level, message) => log.push(`${level} ${message}`);
  const capturers: Capturer[] = [];
  let count = 0;
  const optionsWith = (changes: Partial<CapturerOptions>): CapturerOptions => ({
    store,
    workTree: openWorkTree(root),
    ignoreDirectory: join(top, `ignore-${count++}`),
    places: { home, configHome: join(home, '.config'), systemConfig: join(top, 'no-system-config') },
    log: createLog('debug', [sink]),
    ...changes,
  });
  const another = (changes: Partial<CapturerOptions>): Capturer => {
    const made = new Capturer(optionsWith(changes));
    capturers.push(made);
    return made;
  };
  const capturer = another(options);
  return {
    top,
    root,
    home,
    store,
    capturer,
    log,
    options: optionsWith,
    another,
    git: run,
    write: (path, content, mode) => {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content, mode === undefined ? {} : { mode });
    },
    remove: async () => {
      await Promise.all(capturers.map((one) => one.close()));
      await store.close();
      rmSync(top, { recursive: true, force: true });
    },
  };
}

/** Runs the body with a rig, and removes the rig and any installed fault. */
export async function withRig(
  options: Parameters<typeof makeRig>[0],
  body: (rig: Rig) => Promise<void>,
): Promise<void> {
  const rig = makeRig(options);
  try {
    await body(rig);
  } finally {
    installFault(undefined);
    await rig.remove();
  }
}

/** Runs git without the git configuration of this user. */
export function git(home: string, cwd: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 28,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'T',
      GIT_AUTHOR_EMAIL: 't@t',
      GIT_COMMITTER_NAME: 'T',
      GIT_COMMITTER_EMAIL: 't@t',
    },
  });
}

/** Returns the paths of a capture as text, in order. */
export async function pathsOf(store: MemoryStore, capture: Capture): Promise<string[]> {
  return (await store.entries(capture.snapshot)).map((entry) => toText(entry.path));
}

/** Returns the content of a path in the capture, or undefined if the capture does not have the path. */
export async function contentOf(
  store: MemoryStore,
  capture: Capture,
  path: string,
): Promise<string | undefined> {
  const entry = await store.entry(capture.snapshot, fromText(path));
  return entry === undefined ? undefined : store.blobs.get(entry.blob)?.toString('latin1');
}

/** Returns the reason why a capture left out a path. */
export function reasonFor(capture: Capture, path: string): string | undefined {
  return capture.skipped.find((one) => one.path === fromText(path))?.reason;
}

/**
 * Returns the private copies that a capture has left in the spool directory. Leaves out the file from which a capture
 * reads the clock of the disk.
 */
export function copiesLeft(store: MemoryStore): string[] {
  return readdirSync(store.spoolDirectory).filter((name) => name !== 'clock');
}
