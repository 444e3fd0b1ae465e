// Tests that the inspector's server gives data only to requests from the inspector's own pages.
import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { cookieName } from '../../src/inspector/access.ts';
import { secretPrefix, socketProtocol } from '../../src/inspector/own-methods.ts';
import { Inspected } from '../support/inspector/inspected.ts';

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const inspected = new Inspected();
let [port, token] = [0, ''];

test.before(async () => {
  await inspected.open();
  await inspected.turn('a secret message');
  const link = new URL(await inspected.inspect());
  port = Number(link.port);
  token = link.hash.slice(1);
});
test.after(() => inspected.dispose());

function http({ method = 'GET', path = '/', headers = {}, body }: Asked): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    asking.on('error', reject).end(body);
  });
}

/** Tries to open a WebSocket. Returns the HTTP status, which is 101 on success. */
async function upgrade(
  headers: Record<string, string>,
  protocols: string[],
  path = '/wire',
): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, { headers });
  const refused = new Promise<number>((resolve) => {
    socket.on('unexpected-response', (_, response) => {
      resolve(response.statusCode ?? 0);
      socket.terminate();
    });
  });
  socket.on('error', () => undefined);
  const status = await Promise.race([refused, once(socket, 'open').then(() => 101)]);
  socket.terminate();
  return status;
}

const origin = (): string => `http://127.0.0.1:${port}`;

const enter = (body: string, headers: Record<string, string> = { origin: origin() }): Promise<Answered> =>
  http({ method: 'POST', path: '/enter', headers, body });

test('the page from the server contains no data, and its headers forbid content from elsewhere', async () => {
  const { status, headers, body } = await http({});
  assert.is(status, 200);
  assert.not.match(body, /secret message|ses_/);
  const policy = String(headers['content-security-policy']);
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w-]{20,}';/);
  for (const each of ["frame-ancestors 'none'", "require-trusted-types-for 'script'", 'trusted-types vue'])
    assert.ok(policy.includes(each), each);
  assert.not.match(policy, /unsafe|https?:|\*/);
  assert.is(headers['x-content-type-options'], 'nosniff');
  assert.is(headers['referrer-policy'], 'no-referrer');
  const nonce = /'nonce-([\w-]+)'/.exec(policy)?.[1];
  assert.ok(body.includes(`nonce="${nonce}"`));
  const again = await http({});
  assert.is.not(again.headers['content-security-policy'], policy, 'the nonce is fresh');
});

test('the server refuses every request that names a different host (DNS rebinding)', async () => {
  for (const host of ['evil.example', `evil.example:${port}`, `127.0.0.1.evil.example:${port}`]) {
    const page = await http({ headers: { host } });
    assert.is(page.status, 403, host);
    assert.match(page.body, /answers under 127\.0\.0\.1/);
    assert.is((await enter(token, { host, origin: `http://${host}` })).status, 403, host);
    assert.is(await upgrade({ host, origin: `http://${host}` }, [socketProtocol]), 403, host);
  }
});

test('the server sends only files of the page, and only for GET requests', async () => {
  for (const path of ['/../package.json', '/%2e%2e/package.json', '/assets/', '/wire', '//etc/passwd'])
    assert.is((await http({ path })).status, 404, path);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
    assert.is((await http({ method })).status, 405, method);
});

test('the server refuses a link that is wrong, long, missing, sent by GET, or from another origin', async () => {
  for (const foreign of ['null', 'http://evil.example', `https://127.0.0.1:${port}`])
    assert.is((await enter(token, { origin: foreign })).status, 403, foreign);
  assert.is((await enter(token, {})).status, 403, 'no origin');
  assert.is((await http({ path: '/enter', headers: { origin: origin() } })).status, 405);
  for (const wrong of ['', 'x', `${token}x`, token.slice(1), 'x'.repeat(100_000)])
    assert.is((await enter(wrong)).status, 401);
});

test('a link gives a cookie and a secret once; the WebSocket requires the cookie, the secret and the origin', async () => {
  const entered = await enter(token);
  assert.is(entered.status, 200);
  const [cookie = ''] = entered.headers['set-cookie'] ?? [];
  assert.match(cookie, /; HttpOnly; SameSite=Strict; Path=\/$/);
  assert.ok(cookie.startsWith(`${cookieName(`127.0.0.1:${port}`)}=`));
  assert.is((await enter(token)).status, 401, 'the second time');
  const { secret } = JSON.parse(entered.body) as { readonly secret: string };
  const full = { origin: origin(), cookie: cookie.split(';')[0] ?? '' };
  const protocols = [socketProtocol, secretPrefix + secret];
  const { cookie: jar, ...withoutCookie } = full;
  assert.is(await upgrade(full, protocols), 101);
  assert.is(await upgrade({ cookie: jar }, protocols), 403, 'no origin');
  assert.is(await upgrade({ ...full, origin: 'http://evil.example' }, protocols), 403, 'another origin');
  assert.is(await upgrade({ ...full, origin: `http://localhost:${port}` }, protocols), 403, 'another name');
  assert.is(await upgrade(withoutCookie, protocols), 401, 'no cookie');
  assert.is(await upgrade(full, [socketProtocol]), 401, 'no secret');
  assert.is(await upgrade(full, [socketProtocol, `${secretPrefix}x`]), 401, 'a wrong secret');
  assert.is(await upgrade({ ...full, cookie: `${jar}x` }, protocols), 401, 'a wrong cookie');
  assert.is(await upgrade(full, protocols, '/'), 404, 'another path');
  // If the port is forwarded, the port number in Host and Origin differs from the server's.
  const forwarded = { host: 'localhost:9', origin: 'http://localhost:9' };
  assert.is(await upgrade({ ...full, ...forwarded }, protocols), 401, 'the cookie of another port');
});

test.run();
