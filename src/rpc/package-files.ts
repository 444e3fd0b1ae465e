// The files that the package carries beside its code: its own manifest and the protocol. Read when asked for, so
// that a start costs none of them. It writes nothing.
import { files } from '../base/files.ts';

/** From `dist/src/rpc/` to the package's root. */
const root = new URL('../../../', import.meta.url);

/** The version of this package. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(files.readFileSync(new URL('package.json', root), 'utf8'));
  return String((manifest as { readonly version?: unknown }).version);
}

/** The protocol's source, or its OpenRPC projection. */
export function protocolDocument(name: 'protocol.json' | 'openrpc.json'): string {
  return files.readFileSync(new URL(`protocol/${name}`, root), 'utf8');
}
