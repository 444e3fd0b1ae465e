// Prepares the built page for the server. The server sends every file from memory, with headers that forbid the page to
// load anything else.
import { extname, join, relative } from 'node:path';
import { files } from '../base/files.ts';

export interface PageFile {
  /** The content of the file. In the HTML document, `__NONCE__` marks each place where a response needs its nonce. */
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** Reads the built page into a map. The keys are the paths of URLs; the HTML document has the key `/`. */
export function pageFiles(directory: string): ReadonlyMap<string, PageFile> {
  const found = new Map<string, PageFile>();
  const read = (at: string): void => {
    for (const entry of files.readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) read(path);
      else if (entry.isFile()) {
        const name = `/${relative(directory, path).replaceAll('\\', '/')}`;
        const type = types[extname(name)] ?? 'application/octet-stream';
        // Vite puts the hash of the content into the name of every file except the HTML document.
        const kept = name.startsWith('/assets/') ? 'max-age=31536000, immutable' : 'no-store';
        found.set(name === '/index.html' ? '/' : name, {
          body: files.readFileSync(path),
          headers: { 'Content-Type': type, 'Cache-Control': kept },
        });
      }
    }
  };
  read(directory);
  return found;
}

/**
 * Returns the HTML document for one response, with the nonce inserted. Scripts and styles that the page creates later
 * use this nonce.
 */
export function documentWith(nonce: string, { body }: PageFile): Buffer {
  return Buffer.from(body.toString('utf8').replaceAll('__NONCE__', nonce));
}

/** Returns the headers of every response. The caller must first check that `host` is a loopback name. */
export function shutHeaders(host: string, nonce: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' blob:",
    `connect-src 'self' ws://${host}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // Vue creates this policy for trusted types when Vue starts. The policy allows code to set markup, but the page
    // never does so.
    'trusted-types vue',
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  };
}
