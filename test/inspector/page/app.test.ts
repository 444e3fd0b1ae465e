// Tests the inspector's page in Chromium with a real daemon and repository: timeline, diffs, comparisons, a restore
// with its undo, several windows, and the death of the daemon.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { git } from '../../support/git-oracle.ts';
import { Axe } from '../../support/inspector/axe.ts';
import { startBrowser } from '../../support/inspector/browser.ts';
import { Inspected } from '../../support/inspector/inspected.ts';
import { WatchedPage } from '../../support/inspector/watched-page.ts';
import { until } from '../../support/until.ts';

const hostile = '<img src=x onerror=alert(1)>.txt';
const turned = 'gpj.\u202Egnp.txt';
const broken = 'two\nlines.txt';

/** Runs in the page. Returns the classes of the elements that are so wide that a user would have to scroll sideways. */
const widerThanTheirPlace = `[...document.querySelectorAll('html, .cards, .card, .top, .wire-head, .timeline-head')]
  .filter((each) => each.scrollWidth > each.clientWidth)
  .map((each) => each.className)`;

/** Runs in the page. Returns the names of the buttons of hunks that are partly outside their column. */
const cutButtons = `[...document.querySelectorAll('.cm-merge-b .cm-hunk button')]
  .filter((button) => {
    const [own, column] = [button, button.closest('.cm-editor')].map((each) => each.getBoundingClientRect());
    return own.left < column.left || own.right > Math.min(column.right, innerWidth);
  })
  .map((button) => button.getAttribute('aria-label'))`;

/**
 * Holds back the page's next request with this text. Returns a function that sends the request and waits
 * until the page has read the answer.
 */
async function holdRequest(page: Page, text: string): Promise<() => Promise<void>> {
  await page.evaluate(`{
    const { send } = WebSocket.prototype;
    window.sendHeld = undefined;
    WebSocket.prototype.send = function (request) {
      if (!request.includes(${JSON.stringify(text)})) return send.call(this, request);
      WebSocket.prototype.send = send;
      window.sendHeld = () => new Promise((resolve) => {
        const { id } = JSON.parse(request);
        this.addEventListener('message', ({ data }) => JSON.parse(data).id === id && resolve());
        send.call(this, request);
      });
    };
  }`);
  return async () => {
    await until('the page sends the request', () => page.evaluate('sendHeld !== undefined'));
    await page.evaluate('sendHeld()');
  };
}

/** Replaces a text in the page's next request that contains this text. The daemon then refuses the request. */
async function spoilRequest(page: Page, part: string, by: string): Promise<void> {
  await page.evaluate(`{
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function (request) {
      if (!request.includes(${JSON.stringify(part)})) return send.call(this, request);
      WebSocket.prototype.send = send;
      return send.call(this, request.replace(${JSON.stringify(part)}, ${JSON.stringify(by)}));
    };
  }`);
}

/**
 * Counts the timers and the requests that the page starts from now on. Returns a function that waits until all timers
 * and requests have ended and the page has drawn the result.
 */
async function watchWork(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(`{
    const { setTimeout, clearTimeout } = window;
    const { send } = WebSocket.prototype;
    const running = new Set();
    const heard = new WeakSet();
    window.setTimeout = (work, ms) => {
      const timer = setTimeout(() => {
        work();
        running.delete('timer ' + timer);
      }, ms);
      running.add('timer ' + timer);
      return timer;
    };
    window.clearTimeout = (timer) => {
      running.delete('timer ' + timer);
      clearTimeout(timer);
    };
    WebSocket.prototype.send = function (request) {
      const { id } = JSON.parse(request);
      if (id !== undefined) running.add('request ' + id);
      if (!heard.has(this))
        this.addEventListener('message', ({ data }) => running.delete('request ' + JSON.parse(data).id));
      heard.add(this);
      send.call(this, request);
    };
    window.workLeft = () => running.size;
    window.watchNoWork = () => {
      Object.assign(window, { setTimeout, clearTimeout });
      WebSocket.prototype.send = send;
    };
  }`);
  const drawn = 'new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))';
  return async () => {
    await until('the page has no work left', async () => {
      await page.evaluate(drawn);
      return (await page.evaluate<number>('workLeft()')) === 0;
    });
    await page.evaluate('watchNoWork()');
  };
}

/**
 * Presses a key that closes the dialog of a plan. A click could miss its button, because the button moves when the
 * plan arrives.
 */
async function cancelPlan(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.locator('dialog.changing[open]').waitFor({ state: 'detached' });
}

const browser: Browser | undefined = await startBrowser();
const inspected = new Inspected();
let shown: WatchedPage;

const seen = (title: string, body: () => Promise<void>): void => {
  test(title, () =>
    browser === undefined ? Promise.resolve(console.log('skipped: no Chromium here')) : body(),
  );
};

test.before(async () => {
  if (browser === undefined) return;
  const { rig } = inspected;
  const lines = Array.from({ length: 60 }, (_, i) => `export const n${i} = ${i};\n`);
  lines[28] = `// ${'a long line '.repeat(30)}\n`;
  rig.write('code.ts', lines.join(''));
  await inspected.open();
  await inspected.turn('change <b>one</b> line');
  rig.write('code.ts', rig.read('code.ts')?.replace('n30 = 30', 'n30 = 31') ?? '');
  rig.write(hostile, 'alert\u202E(1)\u0007\n');
  rig.write(turned, 'x\n');
  rig.write(broken, 'x\n');
  await inspected.tool('edit', 'code.ts');
  await inspected.turn('and another');
  rig.write('code.ts', rig.read('code.ts')?.replace('n5 = 5', 'n5 = 6') ?? '');
  writeFileSync(join(rig.work, 'latin.txt'), Buffer.from('caf\xe9\n', 'latin1'));
  writeFileSync(join(rig.work, 'data.bin'), Buffer.from([0, 1, 2, 3]));
  await inspected.tool('edit', 'code.ts again');
  await inspected.tool('bash', 'changed nothing');
  shown = await WatchedPage.open(browser, await inspected.inspect());
});
// After a failed test, the window may be narrow or a dialog may be open. The next tests would then fail, too.
test.before.each(async () => {
  if (browser === undefined) return;
  const { page } = shown;
  await page.setViewportSize(shown.size);
  await until('no dialog is open', async () => {
    const isOpen = (await page.locator('dialog[open]').count()) > 0;
    if (isOpen) await page.keyboard.press('Escape');
    return !isOpen;
  });
});
test.after(async () => {
  await browser?.close();
  await inspected.dispose();
});

seen('at first, the timeline shows only turns and tools', async () => {
  const { page } = shown;
  const tags = () =>
    page.locator('[role=treeitem]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-tag')));
  // This tool changed no file. The page shows it as soon as the page knows that it is the current checkpoint.
  await page.locator('[data-tag="2.2"]').waitFor();
  assert.equal(await tags(), ['0', '1', '1.1', '2', '2.1', '2.2', 'now']);
  assert.match(await page.locator('[data-tag="1"]').innerText(), /change <b>one<\/b> line/);
  assert.is(page.url().includes('#'), false, 'the token is not in the address');
});

seen('the timeline immediately shows a checkpoint of another client', async () => {
  const { page } = shown;
  await inspected.turn('a third turn, made live');
  await page.locator('[data-tag="3"]', { hasText: 'made live' }).waitFor();
  inspected.rig.write('a.txt', 'touched\n');
  await page.locator('[data-tag="now"]', { hasText: 'touched since' }).waitFor();
});

seen('the page shows the daemon’s hunks in one column or in two, and marks the changed words', async () => {
  const { page } = shown;
  await shown.select('1.1');
  await shown.file('code.ts');
  assert.is(
    await page
      .locator('.diff .cm-deletedChunk')
      .innerText()
      .then((text) => text.trim()),
    'export const n30 = 30;',
  );
  assert.equal(await page.locator('.diff .cm-changedText').allInnerTexts(), ['1']);
  assert.ok((await page.locator('.diff .cm-collapsedLines').count()) > 0, 'equal lines are folded');
  await page.keyboard.press('e');
  await page.locator('.diff .cm-collapsedLines').first().waitFor({ state: 'detached' });
  await page.keyboard.press('e');
  await page.locator('.diff .cm-collapsedLines').first().waitFor();
  await page.keyboard.press('s');
  await page.locator('.diff .cm-merge-a .cm-changedLine').waitFor();
  const button = await page.locator('.diff .cm-merge-b .revert-hunk').boundingBox();
  const isInView = button !== null && button.x + button.width <= (page.viewportSize()?.width ?? 0);
  assert.ok(isInView, 'a long line does not move the button of the hunk out of view');
  assert.is(await page.locator('.diff .cm-merge-a .cm-changedLine').innerText(), 'export const n30 = 30;');
  assert.is(await page.locator('.diff .cm-merge-b .cm-changedLine').innerText(), 'export const n30 = 31;');
  await page.keyboard.press('s');
  await page.locator('.diff .cm-deletedChunk').waitFor();
});

seen(
  'the page shows misleading characters in names and contents as visible signs, and runs no code in them',
  async () => {
    const { page } = shown;
    await shown.select('1.1');
    await shown.file(hostile);
    assert.is(await page.locator('.cm-hunk').count(), 0, 'a new file is reverted as a whole');
    assert.is(await page.locator('img[src=x]').count(), 0);
    const signs = await page
      .locator('.diff .sign')
      .evaluateAll((all) => all.map((each) => each.getAttribute('title')));
    assert.equal(
      signs.toSorted((a, b) => (a ?? '').localeCompare(b ?? '')),
      ['U+0007', 'U+202E'],
    );
    assert.ok((await page.locator('.file .sign[title="U+202E"]').count()) > 0, 'in the name, too');
    await page.locator('.file', { hasText: 'twoU+000Alines.txt' }).waitFor();
    await page.locator('.file', { hasText: 'gnp.txt' }).click();
    await page.locator('.file-title', { hasText: 'gnp.txt' }).waitFor();
    await page.getByRole('button', { name: 'Revert file' }).click();
    await page.locator('dialog.changing h2', { hasText: 'Revert gpj.<U+202E>gnp.txt' }).waitFor();
    await cancelPlan(page);
  },
);

seen('the page marks binary files and contents that are not UTF-8', async () => {
  const { page } = shown;
  await shown.select('2.1');
  await shown.file('latin.txt');
  await page.locator('.file-head .chip', { hasText: 'not UTF-8' }).waitFor();
  await page.locator('.authors', { hasText: 'by the agent' }).waitFor();
  assert.match(await page.locator('.diff .cm-insertedLine').innerText(), /café/);
  await page.locator('.file', { hasText: 'data.bin' }).click();
  await page.locator('.empty', { hasText: 'binary' }).waitFor();
});

seen('the page compares any two checkpoints, or a checkpoint with the work tree', async () => {
  const { page } = shown;
  await shown.select('2.1');
  const base = await page.locator('#compare option', { hasText: 'Initial state' }).getAttribute('value');
  await page.selectOption('#compare', base);
  await page.locator('.files-head', { hasText: '6 files' }).waitFor();
  await shown.file('code.ts');
  assert.equal(await page.locator('.diff .cm-changedText').allInnerTexts(), ['6', '1']);
  await shown.select('now');
  await shown.file('a.txt');
  await page.selectOption('#compare', '');
});

seen('the search finds messages, tools, and the changes of a path', async () => {
  const { page } = shown;
  const count = () => page.locator('[role=treeitem]:not([data-tag=now])').count();
  await page.keyboard.press('/');
  await page.keyboard.type('made live');
  await until('one checkpoint is found', async () => (await count()) === 1);
  await page.fill('#search', 'path:code.ts');
  await page.locator('.timeline-facts', { hasText: 'that changed this path' }).waitFor();
  await until('the checkpoints that changed the path are shown', async () => (await count()) === 3);
  await page.locator('#search').press('Escape');
  await until('all checkpoints are shown again', async () => (await count()) > 5);
});

seen('the user moves through the timeline with keys, and the key ? lists all keys', async () => {
  const { page } = shown;
  await shown.select('1');
  await page.keyboard.press('j');
  await page.locator('.checkpoint-head .tag', { hasText: '1.1' }).waitFor();
  await page.keyboard.press('k');
  await page.locator('.checkpoint-head .tag', { hasText: /^1$/ }).waitFor();
  await page.keyboard.press('?');
  await page.locator('dialog.help[open]').waitFor();
  const heights = `new Set([...document.querySelectorAll('.keys kbd')].map(({ offsetHeight }) => offsetHeight)).size`;
  assert.is(await page.evaluate(heights), 1, 'a long description does not stretch its key');
  await page.keyboard.press('Escape');
  await page.locator('dialog.help[open]').waitFor({ state: 'detached' });
});

seen('the page shows a plan before it reverts one hunk, and one click undoes the revert', async () => {
  const { page } = shown;
  const { rig } = inspected;
  await shown.select('2.1');
  const base = await page.locator('#compare option', { hasText: 'Initial state' }).getAttribute('value');
  await page.selectOption('#compare', base);
  await shown.file('code.ts');
  await page.locator('.diff .revert-hunk').nth(1).waitFor();
  await page.getByRole('button', { name: 'Revert hunk… lines 28 to 34 of code.ts' }).click();
  const dialog = page.locator('dialog.changing[open]');
  await dialog.locator('h2', { hasText: /^Revert 1 hunk of code.ts$/ }).waitFor();
  await dialog.locator('[data-list=modified]', { hasText: 'code.ts' }).waitFor();
  await dialog.locator('.patch-removed', { hasText: 'n30 = 31' }).waitFor();
  assert.equal(await dialog.locator('.patch-added').allInnerTexts(), ['+export const n30 = 30;']);
  assert.is(await dialog.locator('#author').count(), 0, 'hunks have no author');
  assert.match(rig.read('code.ts') ?? '', /n30 = 31/, 'a plan changes nothing');
  await dialog.locator('button.confirm').click();
  await dialog.locator('h2', { hasText: 'Reverted' }).waitFor();
  assert.match(rig.read('code.ts') ?? '', /n5 = 6;[^]*n30 = 30;/, 'the other hunk stays');
  await dialog.locator('button.take-back').click();
  await dialog.locator('h2', { hasText: 'The revert was undone' }).waitFor();
  assert.match(rig.read('code.ts') ?? '', /n5 = 6;[^]*n30 = 31;/);
  await dialog.locator('button.close').click();
  await page.selectOption('#compare', '');
});

seen(
  'the user picks several hunks, sees each line of the plan, and reverts all of them at once',
  async () => {
    const { page } = shown;
    const { rig } = inspected;
    await shown.select('2.1');
    const base = await page.locator('#compare option', { hasText: 'Initial state' }).getAttribute('value');
    await page.selectOption('#compare', base);
    await shown.file('code.ts');
    await page.getByRole('button', { name: 'Pick lines 3 to 9 of code.ts' }).click();
    await page.locator('.diff .cm-line', { hasText: 'n30 = 31' }).click();
    await page.keyboard.press('x');
    await page.locator('.picked', { hasText: '2 hunks of 1 file picked' }).waitFor();
    assert.is(await page.locator('.pick[aria-pressed=true]').count(), 2);
    await page.click('#revert-picked');
    const dialog = page.locator('dialog.changing[open]');
    await dialog.getByRole('status').getByText('The plan: 1 file will be written').waitFor();
    await dialog.getByRole('button', { name: 'Revert 1 file', exact: true }).waitFor();
    await dialog.locator('h2', { hasText: /^Revert 2 hunks of code.ts$/ }).waitFor();
    await dialog.locator('.patch-added', { hasText: 'n30 = 30' }).waitFor();
    assert.equal(await dialog.locator('.patch-added').allInnerTexts(), [
      '+export const n5 = 5;',
      '+export const n30 = 30;',
    ]);
    await dialog.locator('button.confirm').click();
    await dialog.locator('h2', { hasText: 'Reverted' }).waitFor();
    assert.match(rig.read('code.ts') ?? '', /n5 = 5;[^]*n30 = 30;/);
    await dialog.locator('button.take-back').click();
    await dialog.locator('h2', { hasText: 'The revert was undone' }).waitFor();
    await dialog.locator('button.close').click();
    assert.is(await page.locator('.pick[aria-pressed=true]').count(), 0, 'none is picked afterwards');
    assert.match(rig.read('code.ts') ?? '', /n5 = 6;[^]*n30 = 31;/);
    await page.selectOption('#compare', '');
  },
);

seen('a revert can be limited to the work of one session', async () => {
  const { page } = shown;
  const { rig } = inspected;
  await inspected.turn('two of us');
  rig.write('mine.txt', 'by the agent\n');
  await inspected.ask('ledger/recordWrite', { path: 'mine.txt', toolName: 'write' });
  rig.write('theirs.txt', 'by hand\n');
  await inspected.tool('write', 'mine and theirs');
  const both = page.locator('[role=treeitem]', { hasText: 'mine and theirs' });
  await page.fill('#search', 'path:mine.txt');
  await page.locator('.timeline-facts', { hasText: '1 checkpoint · that changed this path' }).waitFor();
  await both.click();
  await page.fill('#search', '');
  await shown.file('mine.txt');
  await page.locator('.authors', { hasText: /^by the agent$/ }).waitFor();
  await page.click('#revert');
  const dialog = page.locator('dialog.changing[open]');
  await dialog.locator('[data-list=deleted]', { hasText: 'theirs.txt' }).waitFor();
  await page.selectOption('#author', inspected.session);
  await dialog.locator('[data-list=dim]', { hasText: 'theirs.txt' }).waitFor();
  assert.equal(await dialog.locator('[data-list=deleted] li').allInnerTexts(), ['mine.txt']);
  await dialog.locator('.patch-removed', { hasText: 'by the agent' }).waitFor();
  await dialog.locator('button.confirm').click();
  await dialog.locator('h2', { hasText: 'Reverted' }).waitFor();
  assert.is(rig.read('mine.txt'), undefined);
  assert.is(rig.read('theirs.txt'), 'by hand\n');
  await dialog.locator('button.take-back').click();
  await dialog.locator('h2', { hasText: 'The revert was undone' }).waitFor();
  await dialog.locator('button.close').click();
});

seen(
  'the user can revert the change of one file; a later change of the same lines is a conflict',
  async () => {
    const { page } = shown;
    const { rig } = inspected;
    const before = rig.read('code.ts') ?? '';
    rig.write('code.ts', before.replace('n5 = 6', 'n5 = 77'));
    await shown.select('2.1');
    await shown.file('code.ts');
    await page.getByRole('button', { name: 'Revert file' }).click();
    const dialog = page.locator('dialog.changing[open]');
    await dialog.locator('h2', { hasText: /^Revert code.ts$/ }).waitFor();
    const conflict = dialog.locator('[data-list=conflict]', { hasText: 'the same lines were changed later' });
    await conflict.waitFor();
    assert.ok(await dialog.locator('button.confirm').isDisabled(), 'nothing is left to do');
    await dialog.getByText('Write both versions').click();
    await dialog.locator('[data-list=modified]', { hasText: 'code.ts' }).waitFor();
    await dialog.locator('button.confirm').click();
    await dialog.locator('h2', { hasText: 'Reverted' }).waitFor();
    assert.match(rig.read('code.ts') ?? '', /<<<<<<<[^]*n5 = 77[^]*=======[^]*n5 = 5/);
    await dialog.locator('button.take-back').click();
    await dialog.locator('h2', { hasText: 'The revert was undone' }).waitFor();
    assert.match(rig.read('code.ts') ?? '', /n5 = 77/);
    await dialog.locator('button.close').click();
    rig.write('code.ts', before);
  },
);

seen(
  'the user plans a revert of a tool with a key, and a revert of a turn with a button; Enter cancels the plan',
  async () => {
    const { page } = shown;
    const { rig } = inspected;
    await shown.select('1.1');
    await page.keyboard.press('v');
    const dialog = page.locator('dialog.changing[open]');
    await dialog.locator('h2', { hasText: 'Revert tool [1.1]' }).waitFor();
    await dialog.getByText('the changes from [1] to [1.1]').waitFor();
    await dialog.locator('[data-list=deleted]', { hasText: 'alert(1)' }).waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    assert.ok(rig.read(hostile) !== undefined, 'Enter cancels');
    await shown.select('1');
    await page.click('#revert');
    await dialog.locator('h2', { hasText: 'Revert turn [1]' }).waitFor();
    await dialog.locator('button.confirm').click();
    await dialog.locator('h2', { hasText: 'Reverted' }).waitFor();
    assert.is(rig.read(hostile), undefined);
    assert.match(rig.read('code.ts') ?? '', /n5 = 6;[^]*n30 = 30;/, 'the later turn stays');
    await dialog.locator('button.take-back').click();
    await dialog.locator('h2', { hasText: 'The revert was undone' }).waitFor();
    assert.ok(rig.read(hostile) !== undefined);
    await dialog.locator('button.close').click();
  },
);

seen(
  'the page shows the conflict in the plan of a restore, restores on confirmation, and undoes with one click',
  async () => {
    const { page } = shown;
    const { rig } = inspected;
    rig.write('code.ts', 'edited by hand\n');
    await shown.select('1');
    await page.keyboard.press('r');
    const dialog = page.locator('dialog.changing[open]');
    await dialog.locator('[data-list=conflict]', { hasText: 'code.ts' }).waitFor();
    await dialog.locator('[data-list=modified]', { hasText: 'code.ts' }).waitFor();
    await dialog.locator('.patch-removed', { hasText: '-edited by hand' }).waitFor();
    assert.is(rig.read('code.ts'), 'edited by hand\n', 'a plan changes nothing');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    assert.is(rig.read('code.ts'), 'edited by hand\n', 'Enter cancels');
    await page.click('#restore');
    await dialog.getByText('Delete them').click();
    await dialog.locator('[data-list=deleted]', { hasText: 'data.bin' }).waitFor();
    await dialog.locator('button.confirm').click();
    await dialog.locator('h2', { hasText: 'Restored [1]' }).waitFor();
    assert.match(rig.read('code.ts') ?? '', /n30 = 30/);
    assert.is(rig.read('data.bin'), undefined);
    await dialog.locator('button.take-back').click();
    await dialog.locator('h2', { hasText: 'undone' }).waitFor();
    assert.is(rig.read('code.ts'), 'edited by hand\n');
    assert.ok(rig.read('data.bin') !== undefined);
    await dialog.locator('button.close').click();
    await page.locator('.row.restore').first().waitFor();
  },
);

seen('before a push, the page shows a plan with the files that stay on this machine', async () => {
  const { page } = shown;
  const { rig } = inspected;
  const url = join(rig.top, 'remote.git');
  git(rig.top, 'init', '-q', '--bare', url);
  await inspected.client?.request('remote/add', { name: 'team', url, storageDir: rig.storage });
  rig.write('.env', 'TOKEN=1\n');
  await inspected.turn('with a secret');
  await page.click('button[title=Store]');
  await page.getByRole('button', { name: 'Push to team' }).click();
  const remote = page.locator('[data-remote=team]');
  await remote.locator('[data-list=left] li', { hasText: '.env' }).waitFor();
  await remote.getByText('cannot undo a push').waitFor();
  assert.is(git(url, 'for-each-ref').trim(), '', 'a plan sends nothing');
  await remote.locator('button.confirm').click();
  await remote.getByText(/^Sent/).waitFor();
  assert.match(git(url, 'for-each-ref'), inspected.session);
  await remote.getByRole('button', { name: 'Close' }).click();
  await page.click('button[title=Checkpoints]');
});

seen(
  'the page fetches the sessions of a remote, and imports one of them without changing a file',
  async () => {
    const { page } = shown;
    const { rig } = inspected;
    const before = rig.read('code.ts');
    await page.click('button[title=Store]');
    await page.getByRole('button', { name: 'Sessions of team' }).click();
    const remote = page.locator('[data-remote=team]');
    const line = remote.locator(`[data-line="${inspected.session}"]`);
    await line.getByText('this machine').waitFor();
    await remote.getByRole('button', { name: 'Fetch all' }).click();
    await remote.getByText(/new\.$/).waitFor();
    await line.getByRole('button', { name: 'Import' }).click();
    await line.getByText('Only a later restore changes files').waitFor();
    await line.locator('button.confirm').click();
    await remote.getByText(/^Imported \d+ checkpoints/).waitFor();
    await page.locator('.card.sessions tbody tr').nth(1).waitFor();
    await remote.getByRole('button', { name: 'Open the session' }).click();
    await page.locator('[role=treeitem][data-tag="2.1"]').waitFor();
    assert.is.not(await page.locator('#session').inputValue(), inspected.session);
    assert.is(rig.read('code.ts'), before);
    await page.selectOption('#session', inspected.session);
    await page.locator('[role=treeitem]', { hasText: 'with a secret' }).waitFor();
  },
);

seen('the page stays usable during a push, and shows why a push failed', async () => {
  const { page } = shown;
  const { rig, client } = inspected;
  assert.ok(client !== undefined);
  const params = { retention: 'keep', conversationId: 'pushes', remote: 'team', push: 'turn' } as const;
  const { session } = await rig.open(client, params);
  await page.reload();
  await page.locator(`#session option[value="${session}"]`).waitFor({ state: 'attached' });
  await page.selectOption('#session', session);
  await page.locator('[role=treeitem][data-tag="0"]').waitFor();
  await client.request('checkpoint/create', { session, kind: 'turn', message: 'push this' });
  await page.locator('.push-chip', { hasText: 'Pushed to team' }).waitFor();
  rmSync(join(rig.top, 'remote.git'), { recursive: true });
  await client.request('checkpoint/create', { session, kind: 'turn', message: 'and this' });
  await page.locator('.push-chip', { hasText: 'Not pushed to team' }).click();
  await page.locator('[data-remote=team] .last-push', { hasText: 'the push after a turn failed' }).waitFor();
  await page.selectOption('#session', inspected.session);
  await page.locator('[role=treeitem]', { hasText: 'with a secret' }).waitFor();
});

seen(
  'the page shows the timeline of a second session beside the first, and a click swaps the two',
  async () => {
    const { page } = shown;
    const { rig, client } = inspected;
    assert.ok(client !== undefined);
    const { session } = await rig.open(client, { retention: 'keep', conversationId: 'beside' });
    await page.keyboard.press('b');
    const [beside, picker] = [page.locator('.beside'), page.locator('.beside select')];
    await picker.focus();
    await beside.locator(`option[value="${session}"]`).waitFor({ state: 'attached' });
    await picker.selectOption(session);
    const { checkpoint } = await client.request('checkpoint/create', {
      session,
      kind: 'turn',
      message: 'live',
    });
    await beside.locator('[role=treeitem]', { hasText: 'live' }).click();
    await page.locator(`.checkpoint-head`, { hasText: checkpoint?.description ?? 'no checkpoint' }).waitFor();
    assert.is(await page.locator('#session').inputValue(), session);
    await beside.locator('[role=treeitem]', { hasText: 'with a secret' }).waitFor();
    assert.is(await picker.inputValue(), inspected.session);
    await page.selectOption('#session', inspected.session);
    await page.locator('.timeline:not(.beside) [role=treeitem]', { hasText: 'with a secret' }).waitFor();
    await beside.locator('[role=treeitem]', { hasText: 'live' }).waitFor();
    const axe = await Axe.in(shown);
    assert.equal(await axe.violations(), []);
    await beside.locator('button').click();
    await beside.waitFor({ state: 'detached' });
  },
);

seen('the title of the window names the directory of the shown session', async () => {
  const { page } = shown;
  const { rig, client } = inspected;
  assert.ok(client !== undefined);
  await until('the title is of work', async () => (await page.title()) === 'work · checkpointd');
  const workspace = join(rig.top, 'elsewhere');
  mkdirSync(workspace);
  git(workspace, 'init', '-q');
  const { session } = await rig.open(client, { workspace, retention: 'keep', conversationId: 'elsewhere' });
  await page.locator('#session').focus();
  await page.locator(`#session option[value="${session}"]`).waitFor({ state: 'attached' });
  await page.selectOption('#session', session);
  await until('the title is of elsewhere', async () => (await page.title()) === 'elsewhere · checkpointd');
  await page.selectOption('#session', inspected.session);
  await until('the title is of work', async () => (await page.title()) === 'work · checkpointd');
});

seen(
  'a late answer about the previous session does not change the display of the current session',
  async () => {
    const { page } = shown;
    const other = await page.locator('#session option', { hasText: 'elsewhere' }).getAttribute('value');
    const title = (): Promise<string | null> => page.locator('#session').getAttribute('title');
    await page.selectOption('#session', inspected.session);
    await page.locator('[role=treeitem]', { hasText: 'with a secret' }).waitFor();
    await page.locator('.link-dot.good').waitFor();
    const answer = await holdRequest(page, 'session/get');
    await page.click('button[title=Store]');
    await until('the page sends the request', () => page.evaluate('sendHeld !== undefined'));
    await page.selectOption('#session', other);
    await until('the other session is shown', async () => (await title())?.endsWith('elsewhere') === true);
    await answer();
    assert.match((await title()) ?? '', /elsewhere$/);
    const late = await holdRequest(page, 'session/get');
    await page.selectOption('#session', inspected.session);
    await until('the page sends the request', () => page.evaluate('sendHeld !== undefined'));
    await page.selectOption('#session', other);
    await page.locator('.checkpoint-head').waitFor();
    await page.click('[data-tag="now"]');
    await page.locator('[data-tag="now"][aria-selected=true]').waitFor();
    await late();
    assert.is(await page.locator('[data-tag="now"][aria-selected=true]').count(), 1, 'the selection stays');
    await page.selectOption('#session', inspected.session);
    await page.locator('[role=treeitem]', { hasText: 'with a secret' }).waitFor();
  },
);

seen('the page shows the session even if the connection breaks before the first answer', async () => {
  const { page } = shown;
  await page.addInitScript(`if (sessionStorage.getItem('test-broke') === null) {
    sessionStorage.setItem('test-broke', 'yes');
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function () {
      WebSocket.prototype.send = send;
      this.close();
    };
  }`);
  await page.reload();
  await page.locator('[role=treeitem]', { hasText: 'with a secret' }).waitFor();
  await page.locator(`#session option[value="${inspected.session}"]`).waitFor({ state: 'attached' });
  await page.locator('.checkpoint-head').waitFor();
});

seen('the page shows a second timeline even if the connection breaks while this timeline opens', async () => {
  const { page } = shown;
  /** Breaks the connection at the next message that contains the text. */
  const breakNext = (text = ''): Promise<unknown> =>
    page.evaluate(`{
      const { send } = WebSocket.prototype;
      WebSocket.prototype.send = function (message) {
        if (!message.includes('${text}')) return send.call(this, message);
        WebSocket.prototype.send = send;
        this.close();
      };
    }`);
  // A busy browser may connect again before Playwright looks for the words, so the page itself waits for them.
  const isShown = (): Promise<unknown> =>
    page.evaluate(`new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error('the page did not show that the inspector does not answer')), 15_000);
      new MutationObserver(() => {
        if (document.querySelector('.trouble')?.textContent.includes('does not answer')) resolve();
      }).observe(document.body, { childList: true, characterData: true, subtree: true });
    })`);
  await page.locator('.link-dot.good').waitFor();
  await breakNext();
  await page.keyboard.press('b');
  await page.locator('.beside [role=treeitem]').first().waitFor();
  await page.keyboard.press('b');
  await page.locator('.beside').waitFor({ state: 'detached' });
  // The page reads its data again after a break, so only the message of the button may break the connection.
  await breakNext('inspector/link');
  await Promise.all([isShown(), page.click('button[title="Open another window"]')]);
  await page.locator('.trouble').waitFor({ state: 'detached' });
  assert.equal(shown.complaints, []);
});

seen('the page shows the exact text of removed lines, with signs for invisible characters', async () => {
  const { page } = shown;
  const { rig } = inspected;
  const long = (word: string): string => `${'word '.repeat(1500)}${word}\n`;
  rig.write('crlf.txt', 'a\r\nb \u202Elive\r\nc\r\n');
  rig.write('long.txt', long('earlier'));
  await inspected.turn('lines that end with a carriage return');
  rig.write('crlf.txt', 'a\r\nB\r\nc\r\n');
  rig.write('long.txt', long('later'));
  await page.click('[data-tag="now"]');
  await shown.file('crlf.txt');
  const removed = page.locator('.diff .cm-deletedLine');
  await removed.locator('.sign').first().waitFor();
  assert.equal(await removed.allInnerTexts(), ['b U+202EliveU+000D']);
  await shown.file('long.txt');
  const words = `document.querySelector('.diff .cm-deletedText')`;
  const ground = await page.evaluate(`getComputedStyle(${words}).backgroundColor`);
  assert.is(ground, 'rgba(0, 0, 0, 0)', 'no words are marked in a hunk that is too long to compare them');
});

seen('while a file takes long to load, the page shows a note instead of the previous diff', async () => {
  const { page } = shown;
  await shown.select('2.1');
  await shown.file('code.ts');
  const answer = await holdRequest(page, '"perFile":true');
  await page.locator('.file', { hasText: 'latin.txt' }).click();
  await page.locator('.file-diff .empty', { hasText: 'Reading' }).waitFor();
  assert.match(await page.locator('.file-title').innerText(), 'latin.txt');
  await answer();
  await page.locator('.diff[data-drawn="latin.txt"]').waitFor();
});

seen('the page keeps showing a diff while the daemon looks up its authors', async () => {
  const { page } = shown;
  await shown.select('2.1');
  await shown.file('latin.txt');
  const rest = await watchWork(page);
  const answer = await holdRequest(page, 'ledger/history');
  await shown.file('code.ts');
  await until('the page sends the request', () => page.evaluate('sendHeld !== undefined'));
  await rest();
  assert.is(await page.locator('.diff[data-drawn="code.ts"]').count(), 1);
  await answer();
  await page.locator('.authors', { hasText: 'by' }).waitFor();
});

seen(
  'after a lost connection, the page shows the checkpoints that it has missed, and sends its pending requests',
  async () => {
    const { page } = shown;
    await shown.select('2.1');
    await page.evaluate(`{
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function (request) {
      WebSocket.prototype.send = send;
      window.caughtSocket = this;
      return send.call(this, request);
    };
  }`);
    await shown.select('1');
    await page.locator('.files[aria-busy=false]').waitFor();
    // Ends the connection, and stops the timer that would connect again.
    await page.evaluate(`{
    const { setTimeout } = window;
    window.setTimeout = (work, ms) => {
      if (ms !== 250) return setTimeout(work, ms);
      window.setTimeout = setTimeout;
      window.connectHeld = work;
    };
    window.caughtSocket.close();
  }`);
    await page.locator('.trouble', { hasText: 'does not answer' }).waitFor();
    await inspected.turn('made in the gap');
    await page.click('[data-tag="1.1"]');
    await page.evaluate('connectHeld()');
    await page.locator('.checkpoint-head .tag', { hasText: '1.1' }).waitFor();
    await shown.file('code.ts');
    await page.locator('[role=treeitem]', { hasText: 'made in the gap' }).waitFor();
  },
);

seen('the page never shows the title of the previously selected checkpoint', async () => {
  const { page } = shown;
  await shown.select('1');
  await page.locator('.checkpoint-head h2', { hasText: 'change <b>one</b> line' }).waitFor();
  await page.locator('.files[aria-busy=false]').waitFor();
  const answer = await holdRequest(page, 'checkpoint/get');
  await shown.select('2');
  await page.locator('.checkpoint-head h2', { hasText: 'and another' }).waitFor();
  await answer();
});

seen('the page never shows a new plan with the patch of the previous plan', async () => {
  const { page } = shown;
  await shown.select('1');
  await page.click('#restore');
  const dialog = page.locator('dialog.changing[open]');
  await dialog.locator('.planned').waitFor();
  const answer = await holdRequest(page, 'checkpoint/diff');
  await dialog.getByText('Delete them').click();
  await dialog.locator('[data-list=deleted]', { hasText: 'data.bin' }).waitFor();
  assert.is(await dialog.locator('.planned').count(), 0);
  await answer();
  await dialog.locator('.planned').waitFor();
  await cancelPlan(page);
});

seen('if the patch of a plan is unreadable, the page says why, and the user can confirm', async () => {
  const { page } = shown;
  const { rig } = inspected;
  const dialog = page.locator('dialog.changing[open]');
  const unread = dialog.locator('.problem', { hasText: 'The change line by line could not be read: ' });
  await shown.select('1.1');
  await spoilRequest(page, '"patch":true', '"patch":7');
  await page.keyboard.press('v');
  await unread.waitFor();
  await dialog.locator('[data-list=deleted]', { hasText: 'alert(1)' }).waitFor();
  await cancelPlan(page);
  await shown.select('2.1');
  await shown.file('latin.txt');
  rig.write('latin.txt', 'newer\n');
  await spoilRequest(page, '"format":"unified","reverse":true', '"format":"none","reverse":true');
  await page.getByRole('button', { name: 'Restore file' }).click();
  await unread.waitFor();
  await dialog.locator('[data-list=modified]', { hasText: 'latin.txt' }).waitFor();
  await dialog.locator('button.confirm').click();
  await dialog.locator('h2', { hasText: 'Restored 1 path of [2.1]' }).waitFor();
  assert.is.not(rig.read('latin.txt'), 'newer\n');
  await dialog.locator('button.close').click();
});

seen('a late answer about an earlier state of the session does not hide the newest checkpoint', async () => {
  const { page } = shown;
  const answer = await holdRequest(page, 'checkpoint/list');
  await page.selectOption('#session', inspected.session);
  await page.locator('.link-dot', { hasText: 'Reading' }).waitFor();
  const id = await inspected.turn('made while the page loads');
  await until('the page has the event', async () => {
    const rows = await page.locator('[role=treeitem]', { hasText: 'made while the page loads' }).count();
    return rows === 1;
  });
  await answer();
  await page.locator('[role=treeitem]', { hasText: 'here' }).waitFor();
  const here = await page.locator('[role=treeitem]', { hasText: 'here' }).innerText();
  assert.match(here, 'made while the page loads', id);
});

seen('the diff of the work tree keeps its scroll position while other files change', async () => {
  const { page } = shown;
  const { rig } = inspected;
  const lines = Array.from({ length: 300 }, (_, i) => `line ${i}\n`);
  rig.write('long.md', lines.join(''));
  await inspected.turn('a long file');
  rig.write('long.md', lines.map((line, i) => (i % 9 === 0 ? `new ${line}` : line)).join(''));
  await page.click('[data-tag="now"]');
  await shown.file('long.md');
  await page.locator('.cm-hunk').first().waitFor();
  await page.evaluate(`document.querySelector('.diff .cm-scroller').scrollTop = 900`);
  await page.evaluate(`window.drawnBefore = document.querySelector('.diff .cm-editor')`);
  const rest = await watchWork(page);
  rig.write('seen-later.txt', 'x\n');
  await page.locator('.file', { hasText: 'seen-later.txt' }).waitFor();
  await rest();
  const same = `document.querySelector('.diff .cm-editor') === window.drawnBefore`;
  assert.ok(await page.evaluate(same), 'the view is not drawn again');
});

seen(
  'the history of a file shows no error while the user quickly goes from one entry to another',
  async () => {
    const { page } = shown;
    await shown.select('2.1');
    await shown.file('code.ts');
    await page.getByRole('button', { name: 'History' }).click();
    await page.locator('.player').waitFor();
    await page.locator('.file-history .diff[data-drawn="code.ts"]').waitFor();
    await page.evaluate(`{
    window.failuresSeen = [];
    const look = () => failuresSeen.push(...[...document.querySelectorAll('.problem')].map((each) => each.textContent));
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true });
  }`);
    await page.locator('.player input').focus();
    for (const key of ['ArrowLeft', 'ArrowRight'])
      for (let i = 0; i < 10; i += 1) await page.keyboard.press(key);
    await until('the newest content is shown', () =>
      page.locator('.player button[aria-label=Later]').isDisabled(),
    );
    assert.equal(await page.evaluate('failuresSeen'), []);
    await page.click('button[title=Checkpoints]');
  },
);

seen('only turns with tools can be folded, even after a restore', async () => {
  const { page } = shown;
  const turn = await inspected.turn('a turn with a restore');
  inspected.rig.write('code.ts', 'before a restore\n');
  await inspected.tool('edit', 'above a restore');
  await inspected.ask('checkpoint/restore', { tag: turn, mode: 'soft' });
  inspected.rig.write('code.ts', 'after a restore\n');
  await inspected.tool('edit', 'below a restore');
  const tool = page.locator('[role=treeitem]', { hasText: 'below a restore' });
  await tool.waitFor();
  const folding = page.locator('[role=treeitem][aria-expanded]');
  assert.is(await folding.and(page.locator('.tool, .restore')).count(), 0);
  await page.locator('.row.turn[aria-expanded] .fold').last().click();
  await tool.waitFor({ state: 'detached' });
  await page.locator('.row.turn[aria-expanded=false] .fold').last().click();
  await tool.waitFor();
});

seen('the keys move through files whose names differ only in bytes that are not UTF-8', async () => {
  const { page } = shown;
  const { rig } = inspected;
  for (const byte of [0xfe, 0xff])
    writeFileSync(Buffer.concat([Buffer.from(`${rig.work}/b`), Buffer.from([byte])]), 'x\n');
  rig.write('c', 'x\n');
  await page.click('[data-tag="now"]');
  const twins = page.locator('.file', { hasText: 'not UTF-8' });
  await twins.nth(1).waitFor();
  await page.locator('.file .path[title=c]').waitFor();
  await twins.first().click();
  await page.keyboard.press('J');
  await page.keyboard.press('J');
  await page.locator('.file[aria-selected=true] .path[title=c]').waitFor();
  for (const byte of [0xfe, 0xff]) rmSync(Buffer.concat([Buffer.from(`${rig.work}/b`), Buffer.from([byte])]));
});

seen('the accessibility checker axe finds no fault on the page in light, dark and narrow form', async () => {
  const { page } = shown;
  const axe = await Axe.in(shown);
  const clean = async (state: string, rules?: readonly string[]): Promise<void> =>
    assert.equal(await axe.violations(rules), [], state);
  /** The dark theme differs only in its colours. */
  const cleanInBoth = async (state: string): Promise<void> => {
    await clean(state);
    await page.emulateMedia({ colorScheme: 'dark' });
    await clean(`${state}, dark`, ['color-contrast']);
    await page.emulateMedia({ colorScheme: 'light' });
  };
  await shown.select('2.1');
  await shown.file('code.ts');
  await page.locator('.cm-hunk').first().waitFor();
  await cleanInBoth('a difference');
  await page.click('#revert');
  await page.locator('dialog.changing .list').first().waitFor();
  await cleanInBoth('a plan');
  await cancelPlan(page);
  await page.click('#tab-conversation');
  await clean('the conversation');
  await page.click('#tab-about');
  await clean('about a checkpoint');
  await page.click('#tab-changes');
  await page.getByRole('button', { name: 'History' }).click();
  await page.locator('.player').waitFor();
  await clean('the history of a file');
  await page.click('button[title=Store]');
  await page.locator('[data-remote=team]').waitFor();
  await cleanInBoth('the store');
  await page.click('button[title=Wire]');
  await page.locator('.message-row').first().waitFor();
  await clean('the wire');
  await page.click('button[title=Checkpoints]');
  await page.setViewportSize({ width: 320, height: 640 });
  await clean('a narrow window');
  for (const room of ['Store', 'Wire', 'Checkpoints']) {
    await page.click(`button[title=${room}]`);
    const wider: unknown = await page.evaluate(widerThanTheirPlace);
    assert.equal(wider, [], `${room} fits into 320 pixels`);
  }
  await page.keyboard.press('s');
  await page.locator('.diff .cm-merge-b .revert-hunk').first().waitFor();
  assert.equal(await page.evaluate(cutButtons), [], 'all of each button is in view in two columns');
  await page.keyboard.press('s');
  await page.setViewportSize(shown.size);
});

seen('a second window needs its own link; a page with a used or missing link shows no data', async () => {
  if (browser === undefined) return;
  const link = await inspected.inspect(`--session=${inspected.session}`);
  const second = await WatchedPage.open(browser, link);
  await inspected.turn('seen in both windows');
  for (const { page } of [shown, second])
    await page.locator('[role=treeitem]', { hasText: 'seen in both' }).waitFor();
  const { origin } = new URL(link);
  const stranger = await WatchedPage.open(browser, link, { waits: false });
  for (const useless of [origin, `${origin}/#wrong`, undefined]) {
    await stranger.page.locator('h1', { hasText: 'This page is not connected' }).waitFor();
    assert.is(await stranger.page.locator('[role=treeitem]').count(), 0);
    // The browser does not load a page again if only the fragment of its address has changed.
    await stranger.page.goto('about:blank');
    if (useless !== undefined) await stranger.page.goto(useless);
  }
  await stranger.close();
  await second.page.reload();
  await second.page.locator('[role=treeitem]', { hasText: 'seen in both' }).waitFor();
  await second.close();
});

seen('the page reports the death of the daemon, and works again with the next daemon', async () => {
  const { page } = shown;
  await inspected.client?.kill();
  await page.locator('.trouble', { hasText: 'daemon has ended' }).waitFor();
  await page.locator('.trouble').waitFor({ state: 'detached' });
  await shown.select('2.1');
  await shown.file('code.ts');
  await page.locator('.link-dot.good').waitFor();
});

seen('the page causes no error, obeys its security policy, and requests nothing from other hosts', () =>
  shown.close(),
);

test.run();
