// A browser window with the inspector. Records each error, each violation of the page's policy and each request to
// another server. If anything was recorded, the test fails when the page is closed.
import type { Browser, BrowserContext, Page } from 'playwright-core';

const firstSize = { width: 1360, height: 800 } as const;

export class WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly complaints: string[] = [];
  /** The initial size of the window. */
  readonly size = firstSize;

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
  }

  /** Opens a link in a new browser profile, and waits for the first checkpoint. */
  static async open(
    browser: Browser,
    link: string,
    options: { readonly waits?: boolean } = {},
  ): Promise<WatchedPage> {
    const context = await browser.newContext({
      viewport: firstSize,
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(15_000);
    const watched = new WatchedPage(context, await context.newPage());
    const { page, complaints } = watched;
    const { origin } = new URL(link);
    page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
    page.on('console', (message) => {
      // Ignores refused connections, because the browser itself logs them.
      const isOurs =
        message.type() === 'error' && !/WebSocket connection|Failed to load resource/.test(message.text());
      if (isOurs || /Content.Security.Policy|TrustedHTML/i.test(message.text()))
        complaints.push(message.text());
    });
    page.on('dialog', (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!/^(blob|data):/.test(request.url()) && new URL(request.url()).origin !== origin)
        complaints.push(`request: ${request.url()}`);
    });
    await page.goto(link);
    if (options.waits !== false) await page.locator('[role=treeitem][data-tag="0"]').waitFor();
    return watched;
  }

  /** Selects a checkpoint by its tag, and waits until the page's heading shows the tag. */
  async select(tag: string): Promise<void> {
    await this.page.click(`[role=treeitem][data-tag="${tag}"]`);
    await this.page
      .locator('.checkpoint-head .tag', { hasText: new RegExp(`^${tag.replaceAll('.', '\\.')}$`) })
      .waitFor();
  }

  /** Waits until the list of changed files is complete, selects a file, and waits for its diff. */
  async file(path: string): Promise<void> {
    await this.page.locator('.files[aria-busy=false]').waitFor();
    await this.page.locator('.file', { has: this.page.locator(`.path[title="${path}"]`) }).click();
    await this.page.locator(`.diff[data-drawn="${path}"]`).waitFor();
  }

  async close(): Promise<void> {
    await this.context.close();
    if (this.complaints.length > 0) throw new Error(this.complaints.join('\n'));
  }
}
