// Starts git servers on the loopback address: sshd, and https in front of `git http-backend`. Also starts a proxy that
// cuts connections.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { until } from './until.ts';

/** A server, and the global git configuration that its clients need. */
export interface GitServer {
  readonly port: number;
  /** Returns the URL of the repository at this path. */
  url(path: string, port?: number): string;
  readonly gitconfig: string;
  /** If set, the https server refuses every request with this status. */
  refusal?: number | undefined;
  close(): Promise<void>;
}

const sshd = '/usr/sbin/sshd';

/** Returns why sshd cannot run here, or undefined if it can. */
export function sshdObstacle(): string | undefined {
  for (const [program, args] of [
    [sshd, ['-V']],
    ['ssh', ['-V']],
    ['ssh-keygen', ['-?']],
  ] as const)
    if (spawnSync(program, args).error !== undefined) return `${program} is not installed`;
  return undefined;
}

/** Starts sshd with its own keys in `directory`. */
export async function startSshd(directory: string): Promise<GitServer> {
  const file = (name: string): string => join(directory, name);
  for (const name of ['host', 'client'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file(name)]);
  writeFileSync(file('authorized'), readFileSync(file('client.pub')));
  const port = await freePort();
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
  writeFileSync(
    file('sshd_config'),
    `Port ${port}\nListenAddress 127.0.0.1\nHostKey ${file('host')}\nAuthorizedKeysFile ${file('authorized')}\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\nPidFile none\nMaxStartups 100\n`,
  );
  const child = spawn(sshd, ['-D', '-e', '-f', file('sshd_config')], { stdio: 'ignore' });
  await until('sshd answers', () => answers(port), 10_000);
  writeFileSync(
    file('ssh_config'),
    `IdentityFile ${file('client')}\nIdentitiesOnly yes\nStrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\n`,
  );
  const { username } = userInfo();
  return {
    port,
    url: (path, at = port) => `ssh://${username}@127.0.0.1:${at}${path}`,
    gitconfig: `[core]\n\tsshCommand = ssh -F ${file('ssh_config')}\n`,
    close: async () => void child.kill('SIGKILL'),
  };
}

const [user, password] = ['me', 'open sesame'];

/** Starts an https server that requires a password. The credential helper of the clients gives this password. */
export async function startHttps(directory: string): Promise<GitServer> {
  const file = (name: string): string => join(directory, name);
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const certificate = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    file('key'),
    '-out',
    file('cert'),
  ];
  execFileSync('openssl', [...certificate, ...subject], { stdio: 'ignore' });
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  let made: GitServer;
  const server = createHttps(
    { key: readFileSync(file('key')), cert: readFileSync(file('cert')) },
    (request, response) => {
      if (made.refusal !== undefined) {
        response.writeHead(made.refusal).end();
        return;
      }
      if (request.headers.authorization !== expected) {
        response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end();
        return;
      }
      const { pathname, search } = new URL(request.url ?? '/', 'https://127.0.0.1');
      const backend = spawn('git', ['-c', 'http.receivepack=true', 'http-backend'], {
        env: {
          PATH: process.env['PATH'],
          GIT_PROJECT_ROOT: '/',
          GIT_HTTP_EXPORT_ALL: '1',
          GIT_CONFIG_COUNT: '1',
          GIT_CONFIG_KEY_0: 'http.receivepack',
          GIT_CONFIG_VALUE_0: 'true',
          PATH_INFO: decodeURIComponent(pathname),
          QUERY_STRING: search.slice(1),
          REQUEST_METHOD: request.method,
          CONTENT_TYPE: request.headers['content-type'] ?? '',
          HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
          GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
          REMOTE_USER: user,
          REMOTE_ADDR: '127.0.0.1',
        },
      });
      request.pipe(backend.stdin);
      backend.stdin.on('error', () => undefined);
      let head = Buffer.alloc(0);
      backend.stdout.on('data', (chunk: Buffer) => {
        if (response.headersSent) {
          response.write(chunk);
          return;
        }
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        const headers = head
          .toString('latin1', 0, end)
          .split('\r\n')
          .map((line) => line.split(': '));
        const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
        response.writeHead(Number.parseInt(status, 10), Object.fromEntries(headers));
        response.write(head.subarray(end + 4));
      });
      backend.stdout.on('end', () => response.end());
    },
  );
  server.on('clientError', (_, socket) => socket.destroy());
  const port = await listening(server);
  writeFileSync(file('credentials'), `https://${user}:${encodeURIComponent(password)}@127.0.0.1\n`);
  made = {
    port,
    url: (path, at = port) => `https://127.0.0.1:${at}${path}`,
    gitconfig: `[http]\n\tsslCAInfo = ${file('cert')}\n[credential]\n\tuseHttpPath = false\n\thelper = "!f() { test \\"$1\\" = get && echo username=${user} && echo 'password=${password}'; }; f"\n`,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return made;
}

export interface Cutter {
  port: number;
  /** The number of bytes after which the proxy cuts a connection. */
  cutAfter: number;
  /** The number of connections that were cut. */
  cuts: number;
  /** The number of bytes in the longest connection so far. */
  longest: number;
  close(): void;
}

/** Starts a proxy that forwards connections to a port, and cuts each connection after a number of bytes. */
export async function startCutter(to: number): Promise<Cutter> {
  const cutter = {
    port: 0,
    cutAfter: Number.POSITIVE_INFINITY,
    cuts: 0,
    longest: 0,
    close: () => void server.close(),
  };
  const server = createServer((client) => {
    const target = connect(to, '127.0.0.1');
    let passed = 0;
    for (const [from, into] of [
      [client, target],
      [target, client],
    ] as const) {
      from.on('error', () => into.destroy());
      from.on('close', () => into.destroy());
      from.on('data', (chunk: Buffer) => {
        const left = cutter.cutAfter - passed;
        passed += chunk.length;
        cutter.longest = Math.max(cutter.longest, passed);
        into.write(left >= chunk.length ? chunk : chunk.subarray(0, Math.max(0, left)));
        if (left >= chunk.length) return;
        if (!client.destroyed) cutter.cuts += 1;
        client.destroy();
        target.destroy();
      });
    }
  });
  cutter.port = await listening(server);
  return cutter;
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
