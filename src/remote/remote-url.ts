// Parses the address of a remote: ssh, https or a path of this machine. Refuses an address that contains a password, or
// that git would take for an option or for a program to start. Git gets only addresses that this module has built.
import { pathToFileURL } from 'node:url';
import { CheckpointdError } from '../base/errors.ts';

/**
 * An accepted address. `path` begins with `/`. With `scp` the path may also be relative to the home directory on the
 * remote machine.
 */
export type RemoteUrl =
  | {
      readonly form: 'ssh' | 'https';
      readonly host: string;
      readonly user?: string | undefined;
      readonly port?: number | undefined;
      readonly path: string;
    }
  | { readonly form: 'scp'; readonly host: string; readonly user?: string | undefined; readonly path: string }
  | { readonly form: 'file'; readonly path: string };

const lengthMax = 2048;
const hostForm = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])$/;
const userForm = /^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/;
/** Matches user names that are access tokens, and user names after which a host expects an access token. */
const tokenForm = /^(?:gh[pousr]_|github_pat_|glpat-|x-access-token|oauth2)|^.{40,}$/i;

/** Parses an address from a client. @throws InvalidRemote with the remedy */
export function parseRemoteUrl(text: string): RemoteUrl {
  if (text === '' || text.length > lengthMax || hasControls(text) || text.startsWith('-')) throw malformed();
  if (text.startsWith('/')) return { form: 'file', path: checkedPath(text) };
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):(\/\/|:)/.exec(text);
  if (scheme === null) return parseScp(text);
  const name = scheme[1]?.toLowerCase();
  if (scheme[2] === '::' || (name !== 'ssh' && name !== 'https' && name !== 'file')) throw otherScheme(text);
  if (name === 'file') return parseFile(text.slice('file://'.length));
  return parseUrl(name, text);
}

/**
 * Returns the address in the form that git gets. Converts a path to a URL, because git accepts no path for a fetch that
 * omits contents.
 */
export function remoteUrlForGit(url: RemoteUrl): string {
  return url.form === 'file' ? pathToFileURL(url.path).href : remoteUrlText(url);
}

/** Returns the address as text for people, without any secret. */
export function remoteUrlText(url: RemoteUrl): string {
  if (url.form === 'file') return url.path;
  const user = url.user === undefined ? '' : `${url.user}@`;
  if (url.form === 'scp') return `${user}${url.host}:${url.path}`;
  const port = url.port === undefined ? '' : `:${url.port}`;
  return `${url.form}://${user}${url.host}${port}${url.path}`;
}

function parseUrl(form: 'ssh' | 'https', text: string): RemoteUrl {
  const parts = /^[^:]+:\/\/(?:([^/@]*)@)?([^/@:]+|\[[^\]/]*\])(?::(\d{1,5}))?(\/[^?#]*)$/.exec(text);
  if (parts === null) throw malformed();
  const [, login, host = '', port, path = ''] = parts;
  if (login?.includes(':') === true || (form === 'https' && login !== undefined && tokenForm.test(login)))
    throw withPassword();
  if (!hostForm.test(host) || (login !== undefined && !userForm.test(login))) throw malformed();
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) throw malformed();
  return {
    form,
    host,
    path: checkedPath(path),
    user: login,
    port: port === undefined ? undefined : Number(port),
  };
}

/**
 * Parses the form `user@host:path`. Refuses a single letter before the colon, because it would be a drive on Windows.
 */
function parseScp(text: string): RemoteUrl {
  const [, user, host = '', path = ''] = /^(?:([^@:/]*)@)?([^@:/]{2,}|\[[^\]/]*\]):(.+)$/.exec(text) ?? [];
  if (!hostForm.test(host) || path.startsWith('-') || path.startsWith(':')) throw malformed();
  if (user !== undefined && !userForm.test(user)) throw malformed();
  return { form: 'scp', host, path, user };
}

function parseFile(rest: string): RemoteUrl {
  const path = rest.startsWith('localhost/') ? rest.slice('localhost'.length) : rest;
  if (!path.startsWith('/')) throw malformed();
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    throw malformed();
  }
  if (hasControls(decoded)) throw malformed();
  return { form: 'file', path: checkedPath(decoded) };
}

/** Refuses the path `/`, which is no repository, and a path that a remote shell would take for an option. */
function checkedPath(path: string): string {
  if (path.length < 2 || path.startsWith('/-') || path.startsWith('//')) throw malformed();
  return path;
}

function hasControls(text: string): boolean {
  for (const char of text) if (char < ' ' || char === '\x7f') return true;
  return false;
}

function malformed(): CheckpointdError {
  return new CheckpointdError(
    'InvalidRemote',
    'The address is not an address of a git remote. Give ssh://user@host/path, user@host:path, https://host/path or an absolute path.',
    { details: { reason: 'malformed' } },
  );
}

function otherScheme(text: string): CheckpointdError {
  const scheme = /^[^:]*/.exec(text)?.[0].slice(0, 32) ?? '';
  return new CheckpointdError(
    'InvalidRemote',
    `A remote needs ssh, https or a path of this machine; "${scheme}" is not supported. Give ssh://user@host/path, user@host:path, https://host/path or an absolute path.`,
    { details: { reason: 'scheme', scheme } },
  );
}

function withPassword(): CheckpointdError {
  return new CheckpointdError(
    'InvalidRemote',
    'The address contains a password or a token, which would be stored in plain text. Give the address without the password or token. Use a credential helper in your global git configuration, or ssh with a key in your agent.',
    { details: { reason: 'password' } },
  );
}
