// Collects the licences of the packages whose code is in a bundle. These licences require a notice.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Returns the notices of all packages to which these files belong. */
export function noticesOf(root: string, modules: readonly string[]): string {
  const names = modules.flatMap(
    (file) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(relative(root, file).replaceAll('\\', '/'))?.[0] ?? [],
  );
  return [...new Set(names)]
    .sort()
    .map((name) => noticeOf(root, name))
    .join('\n');
}

function noticeOf(root: string, name: string): string {
  const directory = join(root, name);
  const { version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly license: string;
  };
  const file = readdirSync(directory).find((each) => /^licen[cs]e/i.test(each));
  const text =
    file === undefined ? `License: ${license}` : readFileSync(join(directory, file), 'utf8').trim();
  return `${name.slice('node_modules/'.length)} ${version}\n\n${text}\n\n${'-'.repeat(80)}\n`;
}
