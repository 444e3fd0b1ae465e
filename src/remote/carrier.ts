// Runs git to transfer objects and refs between a git remote and a bare repository of the daemon. This module defines
// the names of the refs on a remote, and explains git's failures. This module does not read the contents of objects.
import { join } from 'node:path';
import { CheckpointdError, isKind } from '../base/errors.ts';
import { files } from '../base/files.ts';
import { isObjectId } from '../git/objects/object.ts';
import {
  alternateObjects,
  type GitPlace,
  remoteEnvironment,
  remoteSettings,
} from '../git/process/environment.ts';
import { type GitOutput, runGit } from '../git/process/run.ts';
import { entriesIn } from '../git/repository/bare-repository.ts';
import { type RemoteUrl, remoteUrlForGit, remoteUrlText } from './remote-url.ts';
import type { LinePlace } from './remotes.ts';

/** The refs of lines on a remote have names that begin with one of these prefixes. */
export const refRoots: Readonly<Record<LinePlace, string>> = {
  hidden: 'refs/checkpointd/',
  heads: 'refs/heads/checkpointd/',
};

/** A ref whose name ends with this part marks a session as deleted. */
export const tombstoneName = 'deleted';

const sessionForm = /^[A-Za-z0-9_-]{1,128}$/;
const writerForm = /^wr_[0-9a-z]{20}$/;

/** A ref of checkpointd on a remote: the head of a line, or the tombstone of a deleted session. */
export interface RemoteRef {
  readonly ref: string;
  readonly place: LinePlace;
  readonly session: string;
  /** The writer of the line. Absent for a tombstone. */
  readonly writer?: string;
  readonly commit: string;
}

/** Parses the name of a ref. Returns undefined for a ref of another program. */
function parseRemoteRef(ref: string, commit: string): RemoteRef | undefined {
  for (const place of ['hidden', 'heads'] as const) {
    if (!ref.startsWith(refRoots[place])) continue;
    const [session = '', last = '', ...more] = ref.slice(refRoots[place].length).split('/');
    if (!sessionForm.test(session) || more.length > 0 || !isObjectId(commit)) return undefined;
    if (last === tombstoneName) return { ref, place, session, commit };
    if (writerForm.test(last)) return { ref, place, session, writer: last, commit };
  }
  return undefined;
}

/** The size limit in bytes for a remote's list of refs. This size is enough for some 100,000 refs. */
const listBytesMax = 16 << 20;
/** The maximum time in ms that git may wait for the other machine. */
const patienceMs = 90_000;
const timeoutMs = 60 * 60_000;
const watchMs = 100;

/**
 * One change of a ref on a remote. `from` is the commit that the ref must have on the remote, and `to` is the new
 * commit. Undefined stands for a ref that does not exist.
 */
interface RefUpdate {
  readonly ref: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

type PushOutcome = 'done' | 'moved';

interface FetchRequest {
  /** In git's form. */
  readonly refspecs: readonly string[];
  /** True to fetch only the newest commits. If the host can filter objects, git also omits directories and contents. */
  readonly commitsOnly?: boolean;
  /** The size limit of the fetch. The daemon aborts a larger fetch. */
  readonly bytesMax: number;
}

export class Carrier {
  readonly #place: GitPlace;
  readonly #url: RemoteUrl;
  readonly #signal: AbortSignal | undefined;

  /** `gitDir` is a bare repository of the daemon. `alternates` are additional object directories for git. */
  constructor(
    gitDir: string,
    url: RemoteUrl,
    {
      alternates = [],
      signal,
    }: { readonly alternates?: readonly string[]; readonly signal?: AbortSignal | undefined } = {},
  ) {
    this.#place = {
      gitDir,
      settings: remoteSettings,
      environment: { ...remoteEnvironment(), ...alternateObjects(alternates) },
    };
    this.#url = url;
    this.#signal = signal;
  }

  /**
   * Lists the refs of checkpointd on the remote, either of one session or of all sessions. @throws RemoteUnreachable,
   * RemoteRefused
   */
  async list(session?: string): Promise<RemoteRef[]> {
    const below = session === undefined ? '*' : `${session}/*`;
    const patterns = Object.values(refRoots).map((root) => `${root}${below}`);
    const { stdout } = await this.#run(
      ['ls-remote', '--quiet', '--', remoteUrlForGit(this.#url), ...patterns],
      {
        uploads: true,
      },
    );
    if (stdout.length > listBytesMax)
      throw new CheckpointdError(
        'RemoteRefused',
        `${remoteUrlText(this.#url)} lists too many refs. Remove refs below ${refRoots.hidden} that are not from checkpointd.`,
        { details: { reason: 'tooManyRefs', bytes: stdout.length } },
      );
    return stdout
      .toString('latin1')
      .split('\n')
      .flatMap((line) => {
        const [commit = '', ref = ''] = line.split('\t');
        return parseRemoteRef(ref, commit) ?? [];
      });
  }

  /**
   * Moves refs on the remote. Returns `moved` if a ref does not have the expected commit, and does not move this ref.
   * @throws RemoteUnreachable, RemoteRefused with the host's own words
   */
  async push(updates: readonly RefUpdate[]): Promise<PushOutcome> {
    const leases = updates.map(({ ref, from }) => `--force-with-lease=${ref}:${from ?? ''}`);
    const moves = updates.map(({ ref, to }) => `${to ?? ''}:${ref}`);
    const options = ['--porcelain', '--no-verify', '--no-follow-tags', '--no-signed', ...leases];
    const { stdout, stderr, exitCode } = await this.#run(
      ['push', ...options, '--', remoteUrlForGit(this.#url), ...moves],
      { accept: [0, 1] },
    );
    const refused = stdout
      .toString('utf8')
      .split('\n')
      .filter((line) => line.startsWith('!\t'));
    if (exitCode === 0 && refused.length === 0) return 'done';
    const why = refused.join('\n');
    if (/\(stale info\)|\(fetch first\)|\(non-fast-forward\)|cannot lock ref|failed to update ref/.test(why))
      return 'moved';
    throw failureOf(`${why}\n${stderr}`, this.#url, { isPush: true });
  }

  /** Fetches refs with their objects. Git checks each object. @throws as {@link list}, RemoteCorrupt */
  async fetch({ refspecs, commitsOnly = false, bytesMax }: FetchRequest): Promise<void> {
    const filter = commitsOnly ? ['--filter=tree:0', '--depth=1'] : [];
    const options = ['--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--quiet', ...filter];
    const budget = new ByteBudget(join(this.#place.gitDir, 'objects'), bytesMax);
    try {
      await this.#run(['fetch', ...options, '--', remoteUrlForGit(this.#url), ...refspecs], {
        uploads: true,
        signal: budget.signal,
      });
      if (budget.isExceeded()) throw tooMuch(bytesMax); // the fetch ended before the timer had checked the size
    } catch (error) {
      throw budget.signal.aborted && this.#signal?.aborted !== true ? tooMuch(bytesMax) : error;
    } finally {
      budget.stop();
    }
  }

  async #run(
    [command = '', ...args]: readonly string[],
    {
      accept = [0],
      uploads = false,
      signal,
    }: { readonly accept?: readonly number[]; readonly uploads?: boolean; readonly signal?: AbortSignal },
  ): Promise<GitOutput> {
    // If the remote is a path on this machine, the local git is the server. This option lets the server omit contents
    // even if the settings of the remote repository forbid it.
    const own = uploads && this.#url.form === 'file' ? [uploadPack] : [];
    if (this.#url.form === 'file' && !files.existsSync(this.#url.path)) throw noSuchPlace(this.#url.path);
    const signals = [this.#signal, signal].filter((each) => each !== undefined);
    try {
      return await runGit({
        place: await this.#withSsh(),
        args: [command, ...own, ...args],
        accept,
        timeoutMs,
        patienceMs,
        signal: signals.length === 0 ? undefined : AbortSignal.any(signals),
      });
    } catch (error) {
      if (!isKind('GitFailed')(error)) throw error;
      const stderr = error.details?.['stderr'];
      const said = typeof stderr === 'string' ? stderr : error.message;
      throw failureOf(said, this.#url, { isPush: command === 'push', cause: error });
    }
  }

  /**
   * Adds the variable GIT_SSH_COMMAND to the place if the remote uses ssh. Git then uses the user's own ssh command, in
   * a mode that never asks for input.
   */
  async #withSsh(): Promise<GitPlace> {
    if (this.#url.form !== 'ssh' && this.#url.form !== 'scp') return this.#place;
    const { stdout } = await runGit({
      place: this.#place,
      args: ['config', '--global', '--get', 'core.sshCommand'],
      accept: [0, 1],
    });
    const command = stdout.toString('utf8').trim() || 'ssh';
    const ssh = `${command} -o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=15`;
    return { ...this.#place, environment: { ...this.#place.environment, GIT_SSH_COMMAND: ssh } };
  }
}

const uploadPack = '--upload-pack=git -c uploadpack.allowFilter=true upload-pack';

/** Watches the size of the incoming packs, and aborts the fetch when their size exceeds the limit. */
class ByteBudget {
  readonly #timer: NodeJS.Timeout;
  readonly #abort = new AbortController();
  readonly #packs: string;
  readonly #bytesMax: number;

  constructor(objects: string, bytesMax: number) {
    this.#packs = join(objects, 'pack');
    this.#bytesMax = bytesOf(this.#packs) + bytesMax;
    this.#timer = setInterval(() => {
      if (this.isExceeded()) this.#abort.abort();
    }, watchMs);
    this.#timer.unref();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  isExceeded(): boolean {
    return bytesOf(this.#packs) > this.#bytesMax;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

function bytesOf(directory: string): number {
  let bytes = 0;
  for (const { name } of entriesIn(directory))
    bytes += files.lstatSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}

// Patterns for the English error messages of git and of hosts. The name of each pattern says what the message means.

const unreachable =
  /Could not resolve host|Connection (?:refused|timed out|reset|closed)|Operation timed out|No route to host|Network is unreachable|unable to connect|Failed to connect|Could(?:n't| not) connect|The remote end hung up|early EOF|unexpected disconnect|RPC failed|timed out|Operation too slow|ssh_exchange_identification|kex_exchange|did not answer/i;
const foreignOwner = /dubious ownership/i;
const unwritable =
  /insufficient permission for adding|unable to create temporary object directory|remote unpack failed: unable to|Read-only file system/i;
const denied =
  /Authentication failed|could not read (?:Username|Password)|Permission denied|Host key verification failed|terminal prompts disabled|HTTP (?:401|403)|error: (?:401|403)|not authori[sz]ed|access denied|publickey/i;
const absent =
  /Repository not found|does not appear to be a git repository|repository .* not found|not found: did you run|HTTP 404|No such file or directory/i;
const corruptObjects =
  /fsck|not our ref|did not send all necessary objects|missing (?:blob|tree|commit|object)|bad (?:object|tree)|corrupt|inflate|pack (?:has|is)|invalid index-pack|index-pack failed|bad pack|hash mismatch|SHA1 COLLISION|protocol error|bad line length|remote did not send|unable to parse|unexpected line in/i;
const tooLargeThere =
  /exceeds .*(?:limit|size)|larger than|too large|File size limit|pack exceeds|GH001|HTTP 413/i;
const hiddenThere =
  /hidden ref|deny updating|funny refname|prohibited|not allowed to (?:create|push)|only (?:heads|branches)|refusing to (?:create|update) ref|invalid ref/i;
const rate = /rate limit|too many requests|HTTP 429|error: 429|abuse/i;

/** True when the error shows that the host accepts only branches. */
export function isHiddenRefRefused(error: unknown): boolean {
  return error instanceof CheckpointdError && error.details?.['reason'] === 'hiddenRefs';
}

function failureOf(
  said: string,
  url: RemoteUrl,
  { isPush, cause }: { readonly isPush: boolean; readonly cause?: unknown },
): CheckpointdError {
  const words = said.trim().slice(-1500);
  const where = remoteUrlText(url);
  const refusal = (reason: string, text: string, retryable = false): CheckpointdError =>
    new CheckpointdError('RemoteRefused', `${text} The host said: ${causeIn(words)}`, {
      details: { remote: where, reason, said: words },
      retryable,
      cause,
    });
  if (foreignOwner.test(words))
    return refusal(
      'owner',
      `${where} belongs to another user, and git does not read such a repository. Run "git config --global --add safe.directory <its path>" if you trust it.`,
    );
  if (unwritable.test(words))
    return refusal(
      'readOnly',
      `${where} cannot be written by this user. Give this user the right to write there, or push to another remote.`,
    );
  if (denied.test(words))
    return refusal(
      'authentication',
      `${where} refused this user. Put a key into your ssh agent, or a credential helper into your global git configuration, and try "git ls-remote" by hand.`,
    );
  if (rate.test(words))
    return refusal('rate', `${where} limits the number of requests. Wait, then try again.`, true);
  if (hiddenThere.test(words)) return refusal('hiddenRefs', `${where} accepts only branches.`);
  if (tooLargeThere.test(words))
    return refusal(
      'size',
      `${where} refused the push, because the push is too large. Leave large files out (leaveOut).`,
    );
  if (absent.test(words)) return refusal('absent', `There is no repository at ${where}. Create one there.`);
  if (/pre-receive hook declined|hook declined|remote rejected/i.test(words))
    return refusal(
      'hook',
      `${where} declined the push. Ask its owner for the rule, or push to another remote.`,
    );
  if (unreachable.test(words))
    return new CheckpointdError(
      'RemoteUnreachable',
      `${where} could not be reached, or the connection broke. The session was not changed. Try again. Git said: ${causeIn(words)}`,
      {
        details: { remote: where, said: words },
        retryable: true,
        cause,
        effects: isPush ? 'unknown' : 'none',
      },
    );
  if (!isPush && corruptObjects.test(words))
    return corrupt('git refused the received objects', { remote: where, said: words }, cause);
  return refusal('other', `${where} failed.`);
}

/** Returns the error for a remote that sent invalid data. */
export function corrupt(
  what: string,
  details: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): CheckpointdError {
  return new CheckpointdError(
    'RemoteCorrupt',
    `The remote sent invalid data: ${what}. Nothing was stored, and the sessions here were not changed.`,
    { details, cause },
  );
}

function tooMuch(limit: number): CheckpointdError {
  return corrupt(`it is more than the limit of ${limit} bytes`, { limit });
}

function noSuchPlace(path: string): CheckpointdError {
  return new CheckpointdError(
    'RemoteRefused',
    `There is no repository at ${path}. Create one with "git init --bare", or mount the file system that has it.`,
    { details: { remote: path, reason: 'absent' } },
  );
}

/** Lines that git prints for many different failures. These lines say nothing about the cause. */
const boilerplate =
  /^(?:fatal: Could not read from remote repository\.|Please make sure you have the correct access rights|and the repository exists\.|error: failed to push some refs to .*|To .*|Done)$/;

/**
 * Returns the lines that the host's own programs wrote. If they wrote no line, returns the line that names the cause.
 */
function causeIn(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const ofHost = lines.flatMap((line) => /^remote: *(\S.*)$/.exec(line)?.[1] ?? []);
  const telling = lines.filter((line) => line !== '' && !boilerplate.test(line));
  return (ofHost.join(' ') || (telling.at(-1) ?? lines.at(-1) ?? 'nothing')).slice(0, 300);
}
