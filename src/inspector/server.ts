// Serves the inspector: the built page over HTTP on 127.0.0.1, and one WebSocket for each page. The server accepts only
// requests whose host name is a loopback name. The server sends no data to a page that has not exchanged a link.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { CheckpointdClient } from '../client/client.ts';
import { packageFile, packageVersion } from '../wire/places.ts';
import { cookieIn, cookieName, isLoopbackHost, isSameOrigin, PageAccess } from './access.ts';
import { secretPrefix, socketProtocol } from './own-methods.ts';
import { documentWith, type PageFile, pageFiles, shutHeaders } from './page-files.ts';
import { ReachedSessions, type SessionSource } from './reached-sessions.ts';
import { Relay } from './relay.ts';

/** The size limit for a message from a page. A page sends only small requests; it never sends the content of a file. */
const maxMessageBytes = 1 << 20;
const maxTokenBytes = 1024;
const pingMs = 30_000;

interface InspectorServer {
  readonly port: number;
  /** Makes the URL for a new page. The URL works once. */
  readonly link: () => string;
  readonly close: () => Promise<void>;
}

interface InspectorOptions {
  readonly source: SessionSource;
  /** The session that each page shows first, and the client that has opened this session. */
  readonly session: string;
  readonly client: CheckpointdClient;
  /** The port on which the server listens. With 0 the system chooses a port. */
  readonly port: number;
}

/** Starts to listen. @throws when a different program uses the port */
export async function serveInspector({
  source,
  session,
  client,
  port,
}: InspectorOptions): Promise<InspectorServer> {
  const inspector = new Inspector(source, session);
  inspector.sessions.adopt(session, client);
  return inspector.listen(port);
}

class Inspector {
  readonly sessions: ReachedSessions;
  readonly #access = new PageAccess();
  readonly #files: ReadonlyMap<string, PageFile> = pageFiles(packageFile('dist/inspector'));
  readonly #relays = new Map<WebSocket, Relay>();
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    handleProtocols: () => socketProtocol,
  });
  readonly #source: SessionSource;
  readonly #session: string;

  constructor(source: SessionSource, session: string) {
    this.#source = source;
    this.#session = session;
    this.sessions = new ReachedSessions(source, (method, params) => {
      for (const relay of this.#relays.values()) relay.send({ method, params });
    });
  }

  async listen(wanted: number): Promise<InspectorServer> {
    const server = createServer((request, response) => void this.#answer(request, response));
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(wanted, '127.0.0.1', resolve);
    });
    const pings = setInterval(() => this.#ping(), pingMs).unref();
    const { port } = server.address() as AddressInfo;
    return {
      port,
      link: () => `http://127.0.0.1:${port}/#${this.#access.newToken()}`,
      close: async () => {
        clearInterval(pings);
        for (const socket of this.#relays.keys()) socket.close(1001, 'the inspector was ended');
        server.close();
        server.closeAllConnections();
        await this.sessions.close();
        for (const socket of this.#relays.keys()) socket.terminate();
      },
    };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host } = request.headers;
    if (!isLoopbackHost(host)) {
      const words = 'The inspector answers under 127.0.0.1, localhost and [::1] only.\n';
      response.writeHead(403, { 'Content-Type': 'text/plain; charset=utf-8' }).end(words);
      return;
    }
    const nonce = randomBytes(16).toString('base64url');
    for (const [name, value] of Object.entries(shutHeaders(host, nonce))) response.setHeader(name, value);
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    if (path === '/enter') return this.#enter(request, response, host);
    const file = this.#files.get(path);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || file === undefined) {
      response.writeHead(isRead ? 404 : 405, { 'Content-Type': 'text/plain; charset=utf-8' });
      response.end(isRead ? 'There is no such page.\n' : 'Only GET is allowed here.\n');
      return;
    }
    const body = path === '/' ? documentWith(nonce, file) : file.body;
    response.writeHead(200, { ...file.headers, 'Content-Length': body.length });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  /** Exchanges the token of a link for a cookie and a secret. */
  async #enter(request: IncomingMessage, response: ServerResponse, host: string): Promise<void> {
    const { origin, cookie } = request.headers;
    const refuse = (status: number): void => void response.writeHead(status).end();
    if (request.method !== 'POST') return refuse(405);
    if (!isSameOrigin(origin, host)) return refuse(403);
    const token = await bodyOf(request, maxTokenBytes);
    const admission = token === undefined ? undefined : this.#access.redeem(token, cookieIn(cookie, host));
    if (admission === undefined) return refuse(401);
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'Set-Cookie': `${cookieName(host)}=${admission.visitor}; HttpOnly; SameSite=Strict; Path=/`,
    });
    response.end(JSON.stringify({ secret: admission.secret }));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refuse = (status: string): void =>
      void socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    socket.on('error', () => undefined);
    const { host, origin, cookie } = request.headers;
    if (!isLoopbackHost(host) || !isSameOrigin(origin, host)) return refuse('403 Forbidden');
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(/, */);
    const secret = offered.find((each) => each.startsWith(secretPrefix))?.slice(secretPrefix.length);
    if (!this.#access.admits(cookieIn(cookie, host), secret)) return refuse('401 Unauthorized');
    if (request.url !== '/wire') return refuse('404 Not Found');
    this.#sockets.handleUpgrade(request, socket, head, (page) => this.#welcome(page));
  }

  #welcome(page: WebSocket): void {
    this.#relays.set(page, new Relay(page, this.sessions, (method) => this.#own(method)));
    alive.add(page);
    page.on('pong', () => alive.add(page));
    page.on('close', () => this.#relays.delete(page));
  }

  #own(method: string): object | undefined {
    const { storage, list } = this.#source;
    if (method === 'inspector/hello') return { version: packageVersion(), storage, session: this.#session };
    if (method === 'inspector/sessions') return { sessions: list() };
    if (method === 'inspector/link') return { fragment: `#${this.#access.newToken()}` };
    return undefined;
  }

  #ping(): void {
    for (const page of this.#relays.keys()) {
      if (!alive.delete(page)) page.terminate();
      else page.ping();
    }
  }
}

/** The pages that have answered since the server sent its last ping. */
const alive = new WeakSet<WebSocket>();

/** Reads a body of at most `maxBytes`. Returns undefined when the body is longer or incomplete. */
async function bodyOf(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}
