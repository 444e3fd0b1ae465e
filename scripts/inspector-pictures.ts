// Makes the README's pictures of the inspector. The pictures show a day's work in a throw-away repository, in Chromium.
// Each run makes different pictures, because they contain times.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { startBrowser } from '../test/support/inspector/browser.ts';
import { Inspected } from '../test/support/inspector/inspected.ts';
import { parserDay } from '../test/support/inspector/parser-day.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const to = process.argv[2] ?? join(root, 'src/inspector');

const browser = await startBrowser();
if (browser === undefined) throw new Error('Chromium is not installed');
const inspected = new Inspected();
try {
  await parserDay(inspected);
  const shot = async (
    name: string,
    size: { readonly width: number; readonly height: number },
    look: 'light' | 'dark',
    prepare: (page: Page) => Promise<void> = async () => undefined,
  ): Promise<void> => {
    const link = await inspected.inspect();
    const page = await browser.newPage({ viewport: size, colorScheme: look, deviceScaleFactor: 1 });
    await page.goto(link);
    await page.waitForSelector('[role=treeitem] >> nth=5');
    await prepare(page);
    await page.waitForTimeout(400);
    const file = join(to, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, await page.screenshot());
    await page.close();
  };
  const parse = async (page: Page): Promise<void> => {
    await page.click('[data-tag="2.1"]');
    await page.click('.file:has-text("src/parser.ts")');
    await page.waitForSelector('[data-drawn="src/parser.ts"]');
  };
  await shot('inspector-light.png', { width: 1360, height: 760 }, 'light', parse);
  await shot('inspector-dark.png', { width: 1360, height: 760 }, 'dark', async (page) => {
    await page.click('[data-tag="1"]');
    await page.click('#restore');
    await page.waitForSelector('.planned');
  });
  await shot('inspector-narrow.png', { width: 380, height: 760 }, 'light', async () => undefined);
  if (process.argv[2] !== undefined) {
    await shot('side.png', { width: 1600, height: 900 }, 'dark', async (page) => {
      await parse(page);
      await page.click('text=Side by side');
    });
    await shot('store.png', { width: 1360, height: 760 }, 'light', (page) =>
      page.click('button[title=Store]'),
    );
    await shot('wire.png', { width: 1360, height: 760 }, 'dark', async (page) => {
      await page.click('button[title=Wire]');
      await page.click('.message-row >> nth=4');
    });
    await shot('narrow-detail.png', { width: 380, height: 760 }, 'dark', parse);
    await shot('tiny.png', { width: 320, height: 600 }, 'light', parse);
    await shot('4k.png', { width: 3840, height: 2160 }, 'light', parse);
    await shot('now.png', { width: 1360, height: 760 }, 'light', (page) => page.click('[data-tag="now"]'));
    await shot('talk.png', { width: 1360, height: 760 }, 'light', async (page) => {
      await page.click('[data-tag="3"]');
      await page.click('#tab-conversation');
    });
    await shot('about.png', { width: 1360, height: 760 }, 'light', async (page) => {
      await page.click('[data-tag="3"]');
      await page.click('#tab-about');
    });
    await shot('history.png', { width: 1360, height: 760 }, 'light', async (page) => {
      await parse(page);
      await page.click('text=History');
    });
    await shot('help.png', { width: 1360, height: 760 }, 'light', (page) => page.keyboard.press('?'));
  }
} finally {
  await browser.close();
  await inspected.dispose();
}
