// Real editors drive the daemon, headless, with the very files that README offers for copying.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repository } from '../support/household.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { daemonEntry } from '../support/wire-client.ts';

const editors = fileURLToPath(new URL('../../../protocol/clients/editors/', import.meta.url));
const has = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

/** A repository large enough for progress to be told: a capture that takes longer than a tenth of a second. */
function largeRepository(): string {
  return repository(
    Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`d${i % 50}/f${i}.txt`, `${i}\n`])),
  );
}

interface Said {
  readonly tags: string[];
  readonly diff: string;
  readonly error: string;
  readonly progress: string[];
  readonly restored: number;
}

function assertDay(said: Said, root: string, storage: string): void {
  assert.equal(said.tags, ['0', '1', '1.1']);
  assert.match(said.diff, /\+ made\.txt \(added\)/);
  assert.is(said.error, 'UnknownCheckpoint');
  assert.ok(said.progress.includes('begin') && said.progress.includes('end'), said.progress.join(' '));
  assert.is(said.restored, 1);
  assert.not(existsSync(join(root, 'made.txt')), 'the restore removed what came later');
  assert.equal(
    readdirSync(storage).filter((name) => name.startsWith('ses_')),
    [],
    'the session ended with the editor',
  );
}

test('Neovim: its own LSP client initialises, creates, lists, diffs, restores, hears progress and an error', () => {
  if (!has('nvim')) return console.log('skipped: nvim is not installed');
  const root = largeRepository();
  const [place, storage] = [temporaryDirectory('nvim'), temporaryDirectory('storage')];
  const script = `
    package.path = ${JSON.stringify(`${editors}?.lua`)} .. ';' .. package.path
    local said = { progress = {} }
    local ok, problem = pcall(function()
      local checkpoints = require('neovim').start({
        workspace = ${JSON.stringify(root)},
        cmd = { ${JSON.stringify(process.execPath)}, ${JSON.stringify(daemonEntry)} },
        session = { storageDir = ${JSON.stringify(storage)}, workDoneToken = 'open' },
        on_progress = function(value) table.insert(said.progress, value.kind) end,
      })
      checkpoints:create({ kind = 'turn', message = 'before' })
      vim.fn.writefile({ 'made' }, ${JSON.stringify(join(root, 'made.txt'))})
      checkpoints:create({ kind = 'tool', toolName = 'write' })
      said.tags = vim.tbl_map(function(each) return each.tag end, checkpoints:list().checkpoints)
      said.diff = checkpoints:diff({ from = '1', to = '1.1', format = 'text' }).text
      local _, err = pcall(checkpoints.restore, checkpoints, { tag = '9' })
      said.error = err.data.kind
      said.restored = #checkpoints:restore({ tag = '1', mode = 'hard' }).deleted
      local client = vim.lsp.get_client_by_id(checkpoints.id)
      checkpoints:stop()
      vim.wait(5000, function() return client.is_stopped() end, 10)
    end)
    if not ok then said.problem = vim.inspect(problem) end
    vim.fn.writefile({ vim.fn.json_encode(said) }, ${JSON.stringify(join(place, 'said.json'))})
    vim.cmd('qall!')`;
  writeFileSync(join(place, 'day.lua'), script);
  const run = spawnSync(
    'nvim',
    ['--headless', '-u', 'NONE', '-i', 'NONE', '-c', `luafile ${join(place, 'day.lua')}`],
    {
      timeout: 60_000,
      encoding: 'utf8',
      env: { ...process.env, XDG_STATE_HOME: place, XDG_CACHE_HOME: place, HOME: place },
    },
  );
  assert.ok(existsSync(join(place, 'said.json')), `${run.stdout}${run.stderr}`);
  const said = JSON.parse(readFileSync(join(place, 'said.json'), 'utf8')) as Said & { problem?: string };
  assert.is(said.problem, undefined);
  assertDay(said, root, storage);
});

test('Emacs: its own jsonrpc.el initialises, creates, lists, diffs, restores, hears progress and an error', () => {
  if (!has('emacs')) return console.log('skipped: emacs is not installed');
  const root = largeRepository();
  const [place, storage] = [temporaryDirectory('emacs'), temporaryDirectory('storage')];
  const lisp = (text: string): string => JSON.stringify(text);
  const script = `
    (setq checkpointd-command '(${lisp(process.execPath)} ${lisp(daemonEntry)}))
    (let ((progress nil) (self nil) (tags nil) (diff nil) (kind nil) (restored nil))
      (add-hook 'checkpointd-progress-functions (lambda (value) (push (plist-get value :kind) progress)))
      (setq self (checkpointd-start ${lisp(root)} :storageDir ${lisp(storage)} :workDoneToken "open"))
      (checkpointd-create self :kind "turn" :message "before")
      (with-temp-file ${lisp(join(root, 'made.txt'))} (insert "made"))
      (checkpointd-create self :kind "tool" :toolName "write")
      (setq tags (mapcar (lambda (each) (plist-get each :tag)) (plist-get (checkpointd-list self) :checkpoints)))
      (setq diff (plist-get (checkpointd-diff self :from "1" :to "1.1" :format "text") :text))
      (condition-case err (checkpointd-restore self :tag "9")
        (jsonrpc-error (setq kind (plist-get (alist-get 'jsonrpc-error-data (cdr err)) :kind))))
      (setq restored (length (plist-get (checkpointd-restore self :tag "1" :mode "hard") :deleted)))
      (checkpointd-stop self)
      (with-temp-file ${lisp(join(place, 'said.json'))}
        (insert (json-serialize (list :tags (vconcat tags) :diff diff :error kind
                                      :progress (vconcat (nreverse progress)) :restored restored)))))`;
  writeFileSync(join(place, 'day.el'), script);
  const run = spawnSync(
    'emacs',
    ['--batch', '-Q', '-L', editors, '-l', 'checkpointd', '-l', join(place, 'day.el')],
    {
      timeout: 60_000,
      encoding: 'utf8',
      env: { ...process.env, HOME: place },
    },
  );
  assert.ok(existsSync(join(place, 'said.json')), `${run.stdout}${run.stderr}`);
  assertDay(JSON.parse(readFileSync(join(place, 'said.json'), 'utf8')) as Said, root, storage);
});

test.run();
