// Tests a journey through the inspector's page in Chromium with the keyboard alone, and what a screen reader reads
// there. After each dialog and each view, the focus returns to the element that had the focus before.
import type { Browser, Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startBrowser } from '../../support/inspector/browser.ts';
import { Inspected } from '../../support/inspector/inspected.ts';
import { parserDay } from '../../support/inspector/parser-day.ts';
import { WatchedPage } from '../../support/inspector/watched-page.ts';
import { until } from '../../support/until.ts';

const browser: Browser | undefined = await startBrowser();
const inspected = new Inspected();
let shown: WatchedPage;
let page: Page;

const seen = (title: string, body: () => Promise<void>): void => {
  test(title, () =>
    browser === undefined ? Promise.resolve(console.log('skipped: no Chromium here')) : body(),
  );
};

const maxTabs = 40;

/** An element with one of these roles must have a name. */
const controls: ReadonlySet<string> = new Set(
  (
    'article button checkbox combobox dialog group image listbox navigation option radio region searchbox ' +
    'slider tab tablist tabpanel textbox tree treeitem'
  ).split(' '),
);
/** Runs in the page. True when the chosen message is inside the visible part of the list. */
const isChosenInView = `(() => {
  const row = document.querySelector('.message-row[aria-selected=true]')?.getBoundingClientRect();
  const list = document.querySelector('#wire').getBoundingClientRect();
  return row !== undefined && row.top >= list.top && row.bottom <= list.bottom;
})()`;
const headed = /columnheader "Work tree"[^]*columnheader "On disk"[^]*rowheader "work shown"[^]*cell/;

const press = async (...keys: string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key);
};

/** Presses Tab (or Shift+Tab) until the element has the focus. */
async function tabTo(selector: string, key = 'Tab'): Promise<void> {
  for (let tabs = 0; tabs < maxTabs; tabs += 1) {
    await press(key);
    if (await page.locator(`${selector}:focus`).count()) return;
  }
  throw new Error(`${maxTabs} times ${key} do not reach ${selector}`);
}

const hasFocus = (selector: string): Promise<void> =>
  until(`${selector} has the focus`, async () => (await page.locator(`${selector}:focus`).count()) === 1);

const selected = (tag: string): Promise<void> =>
  page.locator(`[role=treeitem][data-tag="${tag}"][aria-selected=true]`).waitFor();

const planned = (title: RegExp): Promise<void> =>
  page.locator('dialog.changing[open] h2', { hasText: title }).waitFor();

const closed = (): Promise<void> => page.locator('dialog[open]').waitFor({ state: 'detached' });

test.before(async () => {
  if (browser === undefined) return;
  await parserDay(inspected);
  shown = await WatchedPage.open(browser, await inspected.inspect());
  ({ page } = shown);
});
test.after(async () => {
  await browser?.close();
  await inspected.dispose();
});

seen('the user moves through the timeline, folds a turn, and opens the second file', async () => {
  await press('j', 'Home', 'j', 'j');
  await selected('1.1');
  await press('k');
  await selected('1');
  await press('ArrowLeft', 'j');
  await selected('2');
  await press('k', 'ArrowRight', 'j', 'j', 'j');
  await selected('2.1');
  await page.locator('.files[aria-busy=false]').waitFor();
  await press('J');
  await page.locator('.diff[data-drawn="src/parser.ts"]').waitFor();
  await hasFocus('#timeline');
});

seen('the user compares two checkpoints', async () => {
  await press('c', 'End', 'k');
  await selected('4.1');
  const base = page.locator('#compare option:checked');
  await until('2.1 is the base', async () => (await base.innerText()).startsWith('2.1'));
  await press('c');
  await until('the previous checkpoint is the base', async () =>
    (await base.innerText()).startsWith('previous'),
  );
});

seen('the user searches, goes to the results, and leaves the search', async () => {
  await press('/');
  await page.keyboard.type('parentheses');
  await page.locator('.timeline-facts', { hasText: '2 checkpoints' }).waitFor();
  await press('Enter');
  await hasFocus('#timeline');
  await press('Home');
  await selected('2');
  await press('j');
  await selected('2.1');
  await press('/', 'Escape');
  await hasFocus('#timeline');
  assert.is(await page.locator('#search').inputValue(), '');
  await selected('2.1');
});

seen('the list of keys opens and closes, and the focus returns', async () => {
  await press('?');
  await page.locator('dialog.help[open]').waitFor();
  await press('Escape');
  await closed();
  await hasFocus('#timeline');
});

seen('the user looks at the plan, restores one file, and undoes the restore', async () => {
  const { rig } = inspected;
  const before = rig.read('src/parser.ts');
  await page.locator('.files[aria-busy=false]').waitFor();
  await press('J');
  await page.locator('.diff[data-drawn="src/parser.ts"]').waitFor();
  await press('R');
  await planned(/^Restore 1 path of \[2\.1\]$/);
  await page.locator('dialog .planned').waitFor();
  await hasFocus('dialog .cancel');
  await tabTo('dialog [name=mode]', 'Shift+Tab');
  await press('ArrowDown');
  await page.locator('dialog [value=hard]:checked').waitFor();
  await page.locator('dialog .planned').waitFor();
  await hasFocus('dialog [value=hard]');
  await tabTo('dialog .confirm');
  assert.is(rig.read('src/parser.ts'), before, 'a plan changes nothing');
  await press('Enter');
  await planned(/^Restored 1 path of \[2\.1\]$/);
  await hasFocus('dialog .close');
  assert.is.not(rig.read('src/parser.ts'), before);
  await tabTo('dialog .take-back', 'Shift+Tab');
  await press('Enter');
  await planned(/was undone$/);
  await hasFocus('dialog .close');
  assert.is(rig.read('src/parser.ts'), before);
  await press('Escape');
  await closed();
  await hasFocus('#timeline');
});

seen('the user goes to a hunk in the text, picks the hunk, and reverts the hunk', async () => {
  const { rig } = inspected;
  const before = rig.read('src/parser.ts');
  await press('n');
  await hasFocus('.diff .cm-content');
  await press('x');
  await page.locator('.picked', { hasText: '1 hunk of 1 file picked' }).waitFor();
  await press('x', 'v');
  await planned(/^Revert 1 hunk of src\/parser\.ts$/);
  await page.locator('dialog .planned').waitFor();
  await press('Escape');
  await closed();
  await hasFocus('.diff .cm-content');
  await press('v');
  await planned(/^Revert 1 hunk of src\/parser\.ts$/);
  await page.locator('dialog .planned').waitFor();
  await tabTo('dialog .confirm');
  await press('Enter');
  await planned(/^Reverted 1 hunk of src\/parser\.ts$/);
  assert.is.not(rig.read('src/parser.ts'), before);
  await press('Escape');
  await closed();
  await press('Escape');
  await hasFocus('#timeline');
  await press('u');
  await planned(/^Undo the last restore or revert$/);
  await page.locator('dialog .confirm:enabled').waitFor();
  await tabTo('dialog .confirm');
  await press('Enter');
  await planned(/^The revert was undone|^The restore was undone/);
  await press('Enter');
  await closed();
  assert.is(rig.read('src/parser.ts'), before);
});

seen('the arrow keys move between the tabs; the Tab key stops at only one of them', async () => {
  await press('1');
  await tabTo('#tab-changes');
  await press('ArrowRight');
  await hasFocus('#tab-conversation');
  await page.locator('.conversation').waitFor();
  await press('ArrowLeft');
  await hasFocus('#tab-changes');
  await press('Tab');
  await hasFocus('#compare');
});

seen('the history of a file opens with the focus on its slider, and Escape leads back', async () => {
  await tabTo('.file-head button[title="The history of this file"]');
  await press('Enter');
  await hasFocus('.player input');
  await press('ArrowLeft');
  await page.locator('.file-head', { hasText: / of \d+ · / }).waitFor();
  await press('Escape');
  await hasFocus('#timeline');
});

seen('the user switches to another session and back', async () => {
  const { rig, client } = inspected;
  assert.ok(client !== undefined);
  const { session } = await rig.open(client, { retention: 'keep', conversationId: 'second' });
  await tabTo('#session', 'Shift+Tab');
  await page.locator(`#session option[value="${session}"]`).waitFor({ state: 'attached' });
  const shownSession = (): Promise<string> => page.locator('#session').inputValue();
  const isFirst = (await page.locator('#session option').first().getAttribute('value')) === inspected.session;
  await press(isFirst ? 'ArrowDown' : 'ArrowUp');
  await until('the other session is shown', async () => (await shownSession()) === session);
  await page.locator('.checkpoint-head').waitFor();
  await press(isFirst ? 'ArrowUp' : 'ArrowDown');
  await until('the first session is shown', async () => (await shownSession()) === inspected.session);
  await page.locator('[role=treeitem][data-tag="2.1"]').waitFor();
  await hasFocus('#session');
});

seen('in a narrow window, Enter opens the checkpoint and Escape returns to the timeline', async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  await tabTo('#timeline');
  await press('k', 'Enter');
  await hasFocus('.checkpoint-head button[aria-label="Back to the timeline"]');
  await press('Escape');
  await hasFocus('#timeline');
  await page.setViewportSize(shown.size);
});

seen('a screen reader reads the state of each row of the timeline', async () => {
  await press('j', 'Home', 'j', 'j', 'j');
  await selected('2');
  await press('ArrowLeft');
  const tree = await page.locator('#timeline').ariaSnapshot();
  const rows = [
    /treeitem "0 Initial state no file changed [\d:]+" \[level=1\]/,
    /treeitem "1\.1 edit · src\/parser\.ts.* 0 added, 1 modified, 0 deleted [\d:]+" \[level=2\]/,
    /treeitem "2 Allow parentheses.*" \[level=1\] \[selected\]/,
    /treeitem "3′ Rewrite it .* on a branch that was left .*" \[expanded\] \[level=1\]/,
    /treeitem ".* here no file changed .*" \[level=1\]/,
  ];
  for (const row of rows) assert.match(tree, row);
  assert.is(await page.locator('.row[aria-selected=true]').getAttribute('aria-expanded'), 'false');
  const place = (tag: string): Promise<unknown> =>
    page
      .locator(`[data-tag="${tag}"]`)
      .evaluate((row) => `${row.getAttribute('aria-posinset')} of ${row.getAttribute('aria-setsize')}`);
  assert.equal(
    [await place('3.2′'), await place('3'), await place('now')],
    ['2 of 2', '6 of 12', '12 of 12'],
  );
  await press('ArrowRight', 'j');
  await selected('2.1');
  const added = /^added notes\/ ?grammar\.md lines: 3 added, 0 removed$/;
  await page.getByRole('option', { name: added }).waitFor();
});

seen('each control has a name for screen readers, in all views', async () => {
  const reader = await shown.context.newCDPSession(page);
  const unnamed = async (): Promise<readonly string[]> => {
    const { nodes } = await reader.send('Accessibility.getFullAXTree');
    return nodes
      .filter(({ ignored, name }) => !ignored && !name?.value)
      .map(({ role }) => String(role?.value))
      .filter((role) => controls.has(role));
  };
  const views: readonly (readonly [show: () => Promise<void>, sign: string])[] = [
    [() => press('1'), '.cm-content'],
    [() => press('2'), '.conversation'],
    [() => press('3'), '.about'],
    [() => press('1', 'r'), 'dialog[open] .planned .cm-content'],
    [() => press('Escape', '?'), 'dialog.help[open]'],
    [
      () =>
        press('Escape')
          .then(() => tabTo('[title=Store]', 'Shift+Tab'))
          .then(() => press('Enter')),
      'td',
    ],
    [() => tabTo('[title=Wire]').then(() => press('Enter')), '.message-row'],
    [() => tabTo('#wire').then(() => press('PageUp')), '.message-text'],
  ];
  for (const [show, sign] of views) {
    await show();
    await page.locator(sign).first().waitFor();
    assert.equal(await unnamed(), [], sign);
    if (sign === 'td') assert.match(await page.locator('table').ariaSnapshot(), headed);
  }
  assert.match(await page.locator('#wire').ariaSnapshot(), /option "[\d:]+ request session\/get #\d+ /);
});

seen('the log keeps the chosen message in view when the text of the message opens', async () => {
  await page.reload();
  await page.locator('.files[aria-busy=false]').waitFor();
  await tabTo('[title=Wire]');
  await press('Enter');
  await tabTo('#wire');
  await press('Home');
  await page.locator('.message-text').waitFor();
  await page.evaluate('new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))');
  assert.ok(await page.evaluate(isChosenInView));
});

seen('the page causes no error', () => shown.close());

test.run();
