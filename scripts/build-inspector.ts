// Builds the inspector's page into dist/inspector if its sources are newer than the last result. Checks the types
// first, and then writes one bundle with all modules.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';
import { noticesOf } from './notices.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = join(root, 'src/inspector/page');
const to = join(root, 'dist/inspector');

const changedMs = (file: string): number => (existsSync(file) ? statSync(file).mtimeMs : 0);

const inputs = [
  ...readdirSync(page, { recursive: true, encoding: 'utf8' }).map((name) => join(page, name)),
  ...[
    'src/client/reasons.ts',
    'src/inspector/own-methods.ts',
    'src/protocol/types.ts',
    'scripts/build-inspector.ts',
    'package-lock.json',
  ].map((name) => join(root, name)),
];
const builtMs = changedMs(join(to, 'THIRD-PARTY.txt'));

if (inputs.some((file) => changedMs(file) >= builtMs)) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', page], { stdio: ['ignore', 2, 'inherit'] });
  if (status !== 0) process.exit(status ?? 1);
  const modules = new Set<string>();
  const collect: Plugin = { name: 'modules', moduleParsed: ({ id }) => void modules.add(id) };
  await build({
    configFile: false,
    root: page,
    logLevel: 'warn',
    plugins: [collect],
    define: { __VUE_OPTIONS_API__: 'false', __VUE_PROD_DEVTOOLS__: 'false' },
    // In each response, the server replaces this text by a new nonce.
    html: { cspNonce: '__NONCE__' },
    oxc: { jsx: { runtime: 'automatic', importSource: 'vue' } },
    build: {
      outDir: to,
      emptyOutDir: true,
      // Disables preloading: otherwise the page's security policy would have to allow the preloader's script.
      modulePreload: false,
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 1500,
      // Disables the warning about slow bundling, because on a slow machine this warning always appears.
      rolldownOptions: { checks: { bundlerTimings: false } },
      target: 'es2023',
    },
  });
  writeFileSync(join(to, 'THIRD-PARTY.txt'), noticesOf(root, [...modules]));
}
