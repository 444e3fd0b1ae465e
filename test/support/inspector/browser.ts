// Runs the system's Chromium with playwright-core. Without Chromium, the tests are skipped with a message.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** Returns the path of the browser, or undefined when no browser is installed. */
export function chromiumProgram(): string | undefined {
  const places = (process.env['PATH'] ?? '').split(delimiter);
  return names.flatMap((name) => places.map((place) => join(place, name))).find((file) => existsSync(file));
}

/** Starts a browser without a window. */
export async function startBrowser(): Promise<Browser | undefined> {
  const executablePath = chromiumProgram();
  if (executablePath === undefined) return undefined;
  // The sandbox of Chromium does not work for root. In containers, /dev/shm is too small for Chromium.
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
}
