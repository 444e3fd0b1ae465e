// Decides which pages may use the inspector. A link works once: the page exchanges the link's token for a cookie and a
// second secret. All other web pages are excluded, because the server checks the headers Host and Origin.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * The answer to a page that sends the token of a link. The answer contains the value of the cookie, and the secret for
 * the WebSocket.
 */
interface Entrance {
  readonly visitor: string;
  readonly secret: string;
}

const loopback = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/**
 * True when a Host header names this machine. Accepts any port, because port forwarding (`ssh -L`) may use a different
 * port number.
 */
export function isLoopbackHost(host: string | undefined): host is string {
  return host !== undefined && loopback.test(host);
}

/**
 * True when a page of the inspector sent the request. The host and port in the origin must be the same as in the
 * request.
 */
export function isSameOrigin(origin: string | undefined, host: string): boolean {
  return origin !== undefined && origin.toLowerCase() === `http://${host.toLowerCase()}`;
}

/**
 * Returns the name of the cookie. The name contains the port, because browsers send cookies to every port of
 * a host.
 */
export function cookieName(host: string): string {
  return `checkpointd-${/:(\d+)$/.exec(host)?.[1] ?? '80'}`;
}

/** Returns the value of our cookie in a Cookie header. */
export function cookieIn(header: string | undefined, host: string): string | undefined {
  const start = `${cookieName(host)}=`;
  const found = (header ?? '').split(/; */).find((each) => each.startsWith(start));
  return found?.slice(start.length);
}

/** Stores only the digests of secrets, and compares digests in constant time. */
export class PageAccess {
  /** The digests of the tokens of links that no page has used yet. */
  readonly #tokens = new Set<Buffer>();
  /**
   * For each visitor, the digests of the secrets of the visitor's pages. The key is the digest of the visitor's cookie.
   */
  readonly #visitors = new Map<string, Buffer[]>();

  /** Makes the token for a new link. The token works once. */
  newToken(): string {
    const token = randomBytes(32).toString('base64url');
    this.#tokens.add(digest(token));
    return token;
  }

  /**
   * Exchanges a token for a cookie and a secret. If the browser already has a valid cookie, keeps this cookie, so that
   * the browser's other pages stay connected. Returns undefined for a token that is wrong or was used before.
   */
  redeem(token: string, visitor: string | undefined): Entrance | undefined {
    const asked = digest(token);
    const found = [...this.#tokens].filter((each) => timingSafeEqual(each, asked));
    if (found[0] === undefined) return undefined;
    this.#tokens.delete(found[0]);
    const key = visitor === undefined ? undefined : hex(visitor);
    const isVisitor = key !== undefined && this.#visitors.has(key);
    const value = isVisitor && visitor !== undefined ? visitor : randomBytes(32).toString('base64url');
    const secret = randomBytes(32).toString('base64url');
    const secrets = this.#visitors.get(hex(value)) ?? [];
    this.#visitors.set(hex(value), [...secrets, digest(secret)]);
    return { visitor: value, secret };
  }

  /** True when a page has both the cookie and a secret that belongs to this cookie. */
  admits(visitor: string | undefined, secret: string | undefined): boolean {
    if (visitor === undefined || secret === undefined) return false;
    const asked = digest(secret);
    // The key of the map is also a digest, so that the time of the look-up reveals nothing about the cookie.
    const secrets = this.#visitors.get(hex(visitor)) ?? [];
    return secrets.filter((each) => timingSafeEqual(each, asked)).length > 0;
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function hex(text: string): string {
  return digest(text).toString('hex');
}
