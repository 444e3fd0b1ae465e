// Chromium, as the system has it, driven by playwright-core. Where there is none, tests say so and are skipped.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** Returns the program of the browser; undefined where there is none. */
export function chromiumProgram(): string | undefined {
  const places = (process.env['PATH'] ?? '').split(delimiter);
  return names.flatMap((name) => places.map((place) => join(place, name))).find((file) => existsSync(file));
}

/** Starts a browser without a window. */
export async function startBrowser(): Promise<Browser | undefined> {
  const executablePath = chromiumProgram();
  if (executablePath === undefined) return undefined;
  // Root has no sandbox for it to use, and containers have a small /dev/shm.
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
}
