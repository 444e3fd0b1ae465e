// The snippet for VS Code is held against VS Code's own types and the client that the package exports.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDirectory } from '../support/temporary.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

test('the snippet for VS Code compiles against vscode and checkpointd/client, strictly', () => {
  const config = join(temporaryDirectory('vscode'), 'tsconfig.json');
  writeFileSync(
    config,
    JSON.stringify({
      compilerOptions: {
        target: 'ES2023',
        module: 'NodeNext',
        moduleResolution: 'NodeNext',
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        allowImportingTsExtensions: true,
        typeRoots: [join(root, 'node_modules/@types')],
        types: ['node', 'vscode'],
        paths: {
          'checkpointd/client': [join(root, 'src/client/client.ts')],
          vscode: [join(root, 'node_modules/@types/vscode/index.d.ts')],
        },
      },
      files: [join(root, 'protocol/clients/editors/vscode.ts')],
    }),
  );
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', config],
    {
      encoding: 'utf8',
    },
  );
  assert.is(status, 0, stdout);
});

test.run();
