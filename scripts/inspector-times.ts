// Measures the inspector's page in Chromium: the first paint, the scrolling of the timeline, and a difference of 50,000
// lines. Each result is the shortest time of several runs, because other programs on the machine can only make a run
// slower. `node dist/scripts/inspector-times.js [CHECKPOINTS]` uses 10,000 checkpoints by default.
import { loadavg } from 'node:os';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../test/support/inspector/browser.ts';
import { Inspected } from '../test/support/inspector/inspected.ts';

const painted = 1000;
const scrolled = Number(process.argv[2] ?? 10_000);
const lines = 50_000;
const runs = 5;
const frames = 120;
/** The number of requests that run at the same time. The daemon accepts 64. */
const atOnce = 60;

function say(what: string, values: Readonly<Record<string, number>>): void {
  const words = Object.entries(values).map(([name, value]) => `${name} ${value.toFixed(1)}`);
  console.log(`${what}: ${words.join(', ')} (load ${loadavg()[0]?.toFixed(0)})`);
}

async function checkpoints(inspected: Inspected, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += atOnce)
    await Promise.all(
      Array.from({ length: Math.min(atOnce, to - at) }, (_, i) =>
        i % 8 === 0
          ? inspected.turn(`Turn ${at + i}: say where an error is`)
          : inspected.tool('edit', `src/file${at + i}.ts`),
      ),
    );
}

async function open(browser: Browser, inspected: Inspected): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1360, height: 800 } });
  await page.goto(await inspected.inspect());
  await page
    .locator('[role=treeitem][data-tag="1.1"]')
    .or(page.locator('[role=treeitem]').nth(5))
    .first()
    .waitFor();
  return page;
}

/** Returns the milliseconds until the browser paints the first contents, with an empty cache. */
async function firstPaint(browser: Browser, inspected: Inspected): Promise<number> {
  const page = await open(browser, inspected);
  const ms = await page.evaluate<number>(
    `performance.getEntriesByName('first-contentful-paint')[0].startTime`,
  );
  await page.close();
  await inspected.rig.endPrograms();
  return ms;
}

/** Scrolls by a fixed number of pixels in each frame. Returns the times between frames in milliseconds. */
async function scroll(page: Page, selector: string, step: number): Promise<number[]> {
  const times = await page.evaluate<number[]>(`(async () => {
    const list = document.querySelector('${selector}');
    const times = [];
    list.scrollTop = 0;
    for (let frame = 0, last = performance.now(); frame < ${frames}; frame += 1) {
      await new Promise(requestAnimationFrame);
      times.push(performance.now() - last);
      last = performance.now();
      list.scrollTop += ${step};
    }
    return times;
  })()`);
  return times.sort((a, b) => a - b);
}

/** Prints the best of several runs: the run whose slowest frames took the least time. */
async function scrolling(page: Page, selector: string, step: number, what: string): Promise<void> {
  const all: number[][] = [];
  for (let run = 0; run < runs; run += 1) all.push(await scroll(page, selector, step));
  const at = (times: readonly number[], part: number): number => times[Math.floor(frames * part)] ?? 0;
  const [best = []] = all.sort((a, b) => at(a, 0.95) - at(b, 0.95));
  say(`frames of ${what}, ms`, { median: at(best, 0.5), '95 %': at(best, 0.95), worst: at(best, 0.999) });
}

/** Returns the milliseconds from the click on a checkpoint until both columns of its difference show lines. */
async function opening(page: Page): Promise<number> {
  await page.click('[data-tag="now"]');
  await page.locator('.empty', { hasText: 'No file differs' }).waitFor();
  return page.evaluate<number>(`(async () => {
    const begin = performance.now();
    document.querySelector('[data-tag="1.1"]').click();
    const hasLines = (side) =>
      [...document.querySelectorAll('.diff[data-drawn="big.ts"] .cm-merge-' + side + ' .cm-line')]
        .filter((line) => line.innerText.startsWith('export')).length >= 10;
    while (!hasLines('a') || !hasLines('b')) await new Promise((resolve) => setTimeout(resolve, 2));
    await new Promise(requestAnimationFrame);
    return performance.now() - begin;
  })()`);
}

async function least(what: string, measure: () => Promise<number>): Promise<void> {
  const all: number[] = [];
  for (let run = 0; run < runs; run += 1) all.push(await measure());
  say(`${what}, ms`, { least: Math.min(...all), most: Math.max(...all) });
}

const browser = await startBrowser();
if (browser === undefined) throw new Error('Chromium is not installed');
const inspected = new Inspected();
const big = (add: number): string =>
  Array.from({ length: lines }, (_, i) => `export const value${i} = ${i + add};\n`).join('');
try {
  inspected.rig.write('big.ts', big(0));
  await inspected.open('claude-code:times');
  await inspected.turn('begin');
  inspected.rig.write('big.ts', big(1));
  await inspected.tool('edit', `${lines} lines`);
  const small = await open(browser, inspected);
  await least(`difference of ${lines} changed lines`, () => opening(small));
  await scrolling(small, '.diff .cm-mergeView', 200, 'that difference');
  await small.close();
  await checkpoints(inspected, 2, painted);
  await least(`first paint with ${painted} checkpoints`, () => firstPaint(browser, inspected));
  await checkpoints(inspected, painted, scrolled);
  const page = await open(browser, inspected);
  await page.click('.timeline-facts input');
  await scrolling(page, '#timeline', 340, `${scrolled} checkpoints, ten rows each`);
} finally {
  await browser.close();
  await inspected.dispose();
}
