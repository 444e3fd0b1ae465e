// The files that the package carries beside its code: its own manifest, the protocol and the bundled programs. They are
// found upwards, since the compiled files stand at several depths and the bundled ones (scripts/bundle.ts) at another. Read
// when asked for, so that a start costs none of them. It writes nothing.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { files } from '../base/files.ts';

/** A file of this package, named from its root. */
export function packageFile(name: string): string {
  let root = dirname(fileURLToPath(import.meta.url));
  while (!files.existsSync(join(root, 'package.json')) && dirname(root) !== root) root = dirname(root);
  return join(root, name);
}

/** The version of this package. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(files.readFileSync(packageFile('package.json'), 'utf8'));
  return String((manifest as { readonly version?: unknown }).version);
}

/** The protocol's source, or its OpenRPC projection. */
export function protocolDocument(name: 'protocol.json' | 'openrpc.json'): string {
  return files.readFileSync(packageFile(`protocol/${name}`), 'utf8');
}
