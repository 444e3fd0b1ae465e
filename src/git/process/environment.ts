// Makes the environment of every git process of the daemon. The environment starts empty, because a list of variables
// to remove from process.env would never be complete. The comments below say why each variable is set.
import { devNull, homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The identity that the specification requires in the shadow repository. All other git processes of the daemon use this
 * identity, too.
 */
export const identity = { name: 'Q', email: 'qcli@local' } as const;

/**
 * Returns the environment of a git process. `extra` adds or replaces variables (an index file, an object directory).
 */
export function gitEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const environment: Record<string, string> = {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin', // git finds its own sub-commands through PATH
    HOME: '/nonexistent', // git reads no ~/.gitconfig and no ~/.config/git
    LC_ALL: 'C', // git's messages stay in English, because the daemon has to recognise some of the messages
    GIT_CONFIG_NOSYSTEM: '1', // /etc/gitconfig may set hooks, filters, signing
    GIT_CONFIG_SYSTEM: devNull,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1', // system attributes would convert line ends
    GIT_TERMINAL_PROMPT: '0', // git must not ask, because no user is at the daemon's terminal
    GIT_OPTIONAL_LOCKS: '0', // git takes no lock in the user's repository when it only reads
    GIT_NO_REPLACE_OBJECTS: '1', // otherwise refs/replace would hide the stored contents
    GIT_NO_LAZY_FETCH: '1', // otherwise git fetches missing objects of a partial clone from the network (git 2.44)
    GIT_CEILING_DIRECTORIES: '/', // git does not search for a git dir, because the daemon always names one
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
    ...extra,
  };
  if (environment.GIT_CONFIG_GLOBAL === '') delete environment.GIT_CONFIG_GLOBAL;
  if (process.platform === 'win32' && process.env.SystemRoot) environment.SystemRoot = process.env.SystemRoot;
  return environment;
}

/** Returns the environment that makes git read additional object directories. */
export function alternateObjects(directories: readonly string[]): Record<string, string> {
  if (directories.length === 0) return {};
  const quoted = directories.map((directory) =>
    /[:"]/.test(directory) ? JSON.stringify(directory) : directory,
  );
  return { GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted.join(':') };
}

const hardening: readonly (readonly [key: string, value: string])[] = [
  ['core.hooksPath', devNull], // otherwise post-commit and some other hooks run in spite of --no-verify
  ['core.fsmonitor', 'false'], // otherwise `status` and `add` run the fsmonitor program of a nested repository
  ['core.untrackedCache', 'false'],
  ['core.autocrlf', 'false'], // otherwise git returns LF as CRLF
  ['core.safecrlf', 'false'],
  ['core.eol', 'lf'],
  ['core.attributesFile', devNull], // global attributes may name filters
  ['core.excludesFile', devNull], // only the ignore checker reads the user's ignore rules
  ['gc.auto', '0'], // no garbage collection in the background
  ['maintenance.auto', 'false'],
  ['core.logAllRefUpdates', 'false'],
  ['core.fileMode', 'true'],
  ['core.symlinks', 'true'],
  ['core.quotePath', 'false'],
  ['core.precomposeUnicode', 'false'], // names are bytes
  ['core.sparseCheckout', 'false'],
  ['commit.gpgSign', 'false'], // otherwise the commit hangs at a passphrase prompt
  ['tag.gpgSign', 'false'], // otherwise git opens an editor
  ['submodule.recurse', 'false'],
  ['diff.ignoreSubmodules', 'all'],
  ['diff.external', ''], // otherwise git may run a program that the repository names
  ['core.pager', 'cat'],
  ['core.editor', ':'], // git opens no editor
  ['core.compression', '1'], // 1.4 s of CPU for 96 MB of sources (default: 1.8 s), but 8 % more disk space
  ['core.bigFileThreshold', '32m'], // git streams larger contents into a pack and does not load them into memory
  ['core.commitGraph', 'false'], // the daemon neither needs nor trusts the graph file of a repository
  ['protocol.allow', 'never'], // the daemon's git never fetches
];

/**
 * Returns the variables that a git process for a remote gets in addition to {@link gitEnvironment}. Git uses the user's
 * home and global configuration, for credentials, proxies and ssh. Git starts no program that asks the user.
 */
export function remoteEnvironment(): Record<string, string> {
  const home = process.env.HOME ?? homedir();
  const given = (name: string): Record<string, string> => {
    const value = process.env[name];
    return value === undefined ? {} : { [name]: value };
  };
  return {
    HOME: home,
    ...given('SSH_AUTH_SOCK'),
    ...given('XDG_CONFIG_HOME'),
    GIT_CONFIG_GLOBAL: process.env.GIT_CONFIG_GLOBAL ?? '', // when empty, git looks in HOME
    GIT_ASKPASS: '', // with an empty value, git starts no program that asks the user
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
  };
}

/** Settings of a git process that contacts a remote. Git may use only these three transports. */
export const remoteSettings: Readonly<Record<string, string>> = {
  'protocol.ssh.allow': 'always',
  'protocol.https.allow': 'always',
  'protocol.file.allow': 'always',
  'http.followRedirects': 'initial',
  'http.lowSpeedLimit': '1', // in bytes per second; git ends a connection that is slower
  'http.lowSpeedTime': '60',
  'push.gpgSign': 'false',
  'push.recurseSubmodules': 'no',
  'push.useForceIfIncludes': 'false',
  'push.followTags': 'false',
  'fetch.recurseSubmodules': 'no',
  'fetch.prune': 'false',
  'fetch.writeCommitGraph': 'false',
  'fetch.unpackLimit': '1', // keeps the received objects in one pack
  'fetch.fsckObjects': 'true',
  // These checks refuse names that no work tree may contain.
  'fetch.fsck.hasDot': 'error',
  'fetch.fsck.hasDotdot': 'error',
  'fetch.fsck.hasDotgit': 'error',
  'fetch.fsck.fullPathname': 'error',
  'fetch.fsck.emptyName': 'error',
  'fetch.fsck.zeroPaddedFilemode': 'error',
  'fetch.fsck.nullSha1': 'error',
  // Disables the checks of contents of the user's files, because git does not interpret these contents in a fetch.
  'fetch.fsck.gitmodulesMissing': 'ignore',
  'fetch.fsck.gitmodulesBlob': 'ignore',
  'fetch.fsck.gitmodulesLarge': 'ignore',
  'fetch.fsck.gitmodulesName': 'ignore',
  'fetch.fsck.gitmodulesSymlink': 'ignore',
  'fetch.fsck.gitmodulesUrl': 'ignore',
  'fetch.fsck.gitmodulesPath': 'ignore',
  'fetch.fsck.gitmodulesUpdate': 'ignore',
  'fetch.fsck.gitmodulesParse': 'ignore',
  // With its sparse walk, git compares paths to decide which objects to send. In a line, each checkpoint is at another
  // path, so git would send the whole tree again.
  'pack.useSparse': 'false',
};

/** Returns the `-c` options that precede every sub-command. `settings` come last and therefore take precedence. */
function gitSettings(settings: Readonly<Record<string, string>> = {}): string[] {
  const list: string[] = [];
  for (const [key, value] of hardening) list.push('-c', `${key}=${value}`);
  for (const [key, value] of Object.entries(settings)) list.push('-c', `${key}=${value}`);
  return list;
}

/** The directories and files that one git process uses. Every field is an absolute path in the system's encoding. */
export interface GitPlace {
  readonly gitDir: string;
  readonly workTree?: string;
  /** The working directory of the process. Default: the git dir. */
  readonly cwd?: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Returns the object directory into which git writes at the place. */
export function objectsOf({ environment, gitDir }: GitPlace): string {
  return environment?.['GIT_OBJECT_DIRECTORY'] ?? join(gitDir, 'objects');
}

/** Returns the arguments that precede the sub-command. */
export function placeArguments(place: GitPlace): string[] {
  const list = [`--git-dir=${place.gitDir}`];
  if (place.workTree !== undefined) list.push(`--work-tree=${place.workTree}`);
  return [...list, ...gitSettings(place.settings)];
}

/**
 * With these settings, old and new versions of git sync their files. Git never syncs directories, so checkpointd syncs
 * them.
 */
export const durableSettings: Readonly<Record<string, string>> = {
  'core.fsync': 'all', // git 2.36 and later
  'core.fsyncObjectFiles': 'true', // before
};

/**
 * With this setting, git syncs each new ref file and each new `packed-refs` before the rename. Git versions before 2.36
 * ignore this setting.
 */
export const syncedRefSettings: Readonly<Record<string, string>> = { 'core.fsync': 'reference' };

/** True when data that git writes at the place has to survive a power cut. */
export function isDurablePlace({ settings }: GitPlace): boolean {
  return settings?.['core.fsync'] === durableSettings['core.fsync'];
}
