// Runs the accessibility checker axe-core in the inspector's page. The page's content security policy allows only the
// page's own script. Therefore axe is injected through the debugger protocol.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { CDPSession } from 'playwright-core';
import type { WatchedPage } from './watched-page.ts';

const script = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const look = (rules: readonly string[] | undefined): string => `axe.run(
  ${JSON.stringify(rules === undefined ? {} : { runOnly: rules })}
).then(({ violations }) => violations.flatMap(({ id, impact, nodes }) =>
  nodes.map(({ html }) => [impact, id, html.slice(0, 200)].join(' '))))`;

/** Finds violations of accessibility rules in a page. */
export class Axe {
  readonly #debugger: CDPSession;

  private constructor(debugging: CDPSession) {
    this.#debugger = debugging;
  }

  /** Injects axe into the page. Axe stays in the page until the page is loaded again. */
  static async in({ context, page }: WatchedPage): Promise<Axe> {
    const debugging = await context.newCDPSession(page);
    await debugging.send('Runtime.evaluate', { expression: `${readFileSync(script, 'utf8')};undefined` });
    return new Axe(debugging);
  }

  /**
   * Returns a line for each element that violates one of the rules, with impact, rule and element. If `rules` is
   * absent, checks all rules.
   */
  async violations(rules?: readonly string[]): Promise<readonly string[]> {
    const { result, exceptionDetails } = await this.#debugger.send('Runtime.evaluate', {
      expression: look(rules),
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? 'axe failed');
    return result.value as readonly string[];
  }
}
