// Real editors start and use the daemon. Neovim uses its LSP client, or only the transport of that client. Emacs uses
// the library jsonrpc, or Eglot. The editors run the snippets that people copy. A test is skipped with a message if its
// editor is missing.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { slowNamesCommand } from '../support/wire-client.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const snippet = (name: string): string => join(root, 'protocol/clients/editors', name);
const driver = (name: string): string => join(root, 'test/hosts', name);

/** Runs an editor with its own home and work tree. Returns the whole output. */
function host(
  program: string,
  args: readonly string[],
  snippetPath: string,
): { status: number | null; text: string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'checkpointd-host-')));
  try {
    for (const name of ['work', 'home']) mkdirSync(join(folder, name));
    const result = spawnSync(program, args, {
      cwd: join(folder, 'work'),
      encoding: 'utf8',
      input: '',
      timeout: 120_000,
      killSignal: 'SIGKILL',
      env: {
        PATH: process.env['PATH'],
        LANG: 'C.UTF-8',
        HOME: join(folder, 'home'),
        XDG_STATE_HOME: join(folder, 'home', 'state'),
        XDG_CACHE_HOME: join(folder, 'home', 'cache'),
        WORK: join(folder, 'work'),
        STORAGE: join(folder, 'storage'),
        SNIPPET: snippetPath,
        COMMAND: JSON.stringify(slowNamesCommand),
      },
    });
    return { status: result.status, text: `${result.stdout}${result.stderr}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** True if the editor is installed. Logs a note if the editor is missing. */
function has(program: string): boolean {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  const here = status === 0;
  console.log(
    here ? `note: ${stdout.split('\n')[0]}` : `skipped: ${program} is not installed; its tests did not run`,
  );
  return here;
}

const neovim = (file: string): readonly string[] => [
  '--headless',
  '-u',
  'NONE',
  '-i',
  'NONE',
  '-n',
  '-c',
  `luafile ${file}`,
];

if (has('nvim')) {
  test('Neovim runs the daemon with its LSP client and our snippet', () => {
    const { status, text } = host('nvim', neovim(driver('neovim-client.lua')), snippet('neovim.lua'));
    assert.is(status, 0, text);
    assert.match(text, /ALL WELL/);
    assert.match(text, /\[1\] From Neovim/);
  });

  test('Neovim runs the daemon with vim.lsp.rpc.start', () => {
    const { status, text } = host('nvim', neovim(driver('neovim-rpc.lua')), '');
    assert.is(status, 0, text);
    assert.match(text, /ALL WELL/);
  });
} else test('Neovim is not installed here', () => undefined);

if (has('emacs')) {
  const emacs = (file: string): readonly string[] => ['--batch', '-Q', '-l', driver(file)];

  test('Emacs runs the daemon with jsonrpc.el and our snippet', () => {
    const { status, text } = host('emacs', emacs('emacs-jsonrpc.el'), snippet('emacs.el'));
    assert.is(status, 0, text);
    assert.match(text, /ALL WELL/);
    assert.match(text, /\[1\] From Emacs/);
    assert.match(text, /^1 file restored$/m);
  });

  test('Emacs runs the daemon with Eglot', () => {
    const { status, text } = host('emacs', emacs('emacs-eglot.el'), '');
    assert.is(status, 0, text);
    if (text.includes('NO EGLOT')) console.log('skipped: Eglot is not installed (Debian: elpa-eglot)');
    else assert.match(text, /ALL WELL/);
  });
} else test('Emacs is not installed here', () => undefined);

test.run();
