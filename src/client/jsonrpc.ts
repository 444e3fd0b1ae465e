// vscode-jsonrpc as the CommonJS that it is: an `import` reads all its files a second time to learn their names, a
// third of what `checkpointd list` may take. A program that is bundled leaves `checkpointd` out of the bundle, whose
// daemon is found by the place of its files.
import { createRequire } from 'node:module';
import type * as Library from 'vscode-jsonrpc/node';

const require = createRequire(import.meta.url);

export const jsonrpc: typeof Library = require('vscode-jsonrpc/node') as typeof Library;
