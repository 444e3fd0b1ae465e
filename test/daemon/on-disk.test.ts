// Compares src/ON-DISK.md with real sessions. The page must name every path and ref that a daemon makes, and each of
// its rows must match a path or ref. The second paragraph of the page must name the modes.
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DaemonRig } from '../support/daemon-rig.ts';
import { entriesBelow } from '../support/entries-below.ts';
import { git } from '../support/git-oracle.ts';
import { until } from '../support/until.ts';

const page = readFileSync(fileURLToPath(new URL('../../../src/ON-DISK.md', import.meta.url)), 'utf8');

/** Finds the section whose heading begins with `title`. Returns the patterns in the first cell of each row. */
function rowsOf(title: string): { readonly patterns: readonly RegExp[]; readonly text: string }[] {
  const section = page.split(/^## /m).find((each) => each.startsWith(title)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((text) => ({
    text,
    patterns: [...(text.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map((match) =>
      patternOf(match[1] ?? ''),
    ),
  }));
}

function patternOf(path: string): RegExp {
  const escaped = path.replace(/[.$]/g, '\\$&').replace(/\/\*\*$/, '(/.*)?');
  const filled = escaped
    .replace(/<session>/g, 'ses_[0-9a-z]{26}')
    .replace(/<checkpoint>/g, 'ckpt_[0-9a-z]{20}')
    .replace(/<restore>/g, '[0-9a-z]{20}')
    .replace(/<hex>/g, '[0-9a-f]+')
    .replace(/<remote>/g, '[A-Za-z0-9._-]+')
    .replace(/<tag>/g, '\\d+(\\.\\d+)?')
    .replace(/^\*/, '.*');
  return new RegExp(`^${filled}$`);
}

/** Returns the files, links and empty directories below a directory. */
function leaves(top: string): string[] {
  return readdirSync(top, { withFileTypes: true }).flatMap((entry) => {
    const path = join(top, entry.name);
    if (!entry.isDirectory()) return [path];
    const below = leaves(path);
    return below.length === 0 ? [path] : below;
  });
}

/** Returns every mode that the page does not mention, with the path that has it. */
function oddModes(storage: string): string[] {
  const umask = process.umask();
  const ofSession = 'ses_[^/]+/(local/view\\.git/|checkpointd/travel/objects\\.git/)?';
  const byGit = new RegExp(
    `^(${ofSession}|remotes/[^/]+/[^/]+/objects\\.git/)(HEAD$|packed-refs$|config$|shallow$|(objects|refs)(/|$))`,
  );
  const readOnly = /\/(objects|kept|incoming)\/[0-9a-f]{2}\/|\/pack\/.*(?<!\.promisor)$/;
  const odd: string[] = [];
  for (const entry of entriesBelow(storage)) {
    const path = relative(storage, join(entry.parentPath, entry.name));
    if (entry.isSymbolicLink()) continue;
    const own = entry.isDirectory() ? [0o700] : readOnly.test(path) ? [0o400, 0o444] : [0o600];
    const gits = !byGit.test(path) ? [] : entry.isDirectory() ? [0o755] : [0o644];
    const mode = lstatSync(join(storage, path)).mode & 0o777;
    if (![...own, ...gits].some((each) => (each & ~umask) === mode)) odd.push(`${mode.toString(8)} ${path}`);
  }
  return odd;
}

async function pathsAndRefs(
  strategy: 'shadow' | 'local' | 'sqlite',
): Promise<[string[], string[], string[]]> {
  const rig = new DaemonRig();
  const { client, session } = await rig.opened({ strategy, retention: 'keep' });
  rig.write('a.txt', 'changed\n');
  rig.write('new.txt', 'new\n'); // git answers whether the rules ignore a new path
  await client.request('checkpoint/create', { session, kind: 'turn', message: 'one', idempotencyKey: 'k' });
  await client.request('conversation/append', {
    session,
    entry: { user: { content: 'hello' }, assistant: { content: 'there' } },
  });
  rig.write('a.txt', 'again\n');
  // The daemon keeps the content of a reported write while a second session is open on the work tree.
  const params = { workspace: rig.work, conversationId: 'another', strategy: 'shadow' } as const;
  const { session: other } = await client.request('session/open', params);
  await client.request('ledger/recordWrite', { session, path: 'a.txt' });
  await client.request('session/close', { session: other });
  await client.request('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  const url = join(rig.top, 'remote.git');
  git(rig.top, 'init', '-q', '--bare', url);
  await client.request('remote/add', { name: 'team', url });
  await client.request('remote/push', { remote: 'team', session });
  await client.request('remote/fetch', { remote: 'team', idempotencyKey: 'once' });
  await client.request('session/close', { session });
  const again = await rig.opened({ strategy, retention: 'keep' });
  // The directory for the watcher's cookie files exists while the watcher runs.
  await until('the work tree is watched', async () => {
    const { state } = await again.client.request('worktree/status', { session });
    return state === 'live';
  });
  const odd = oddModes(rig.storage);
  // Makes the state after a kill between two steps of a restore or of an atomic write.
  writeFileSync(join(rig.storage, session, 'checkpointd', 'owner.json.0123456789ab.tmp'), '');
  writeFileSync(join(rig.storage, session, 'checkpointd', 'session.log.damaged-0123456789ab'), '');
  mkdirSync(join(rig.storage, session, 'checkpointd', 'imported')); // exists until an import is converted
  const paths = leaves(rig.storage).map((path) => relative(rig.storage, path));
  const refs = git(rig.work, 'for-each-ref', '--format=%(refname)').split('\n').filter(Boolean);
  await rig.dispose();
  return [paths, refs, odd];
}

test('ON-DISK.md names exactly the paths and refs that sessions make', async () => {
  const kept = rowsOf('Storage');
  const theirs = rowsOf("In the user's repository").slice(0, 3);
  assert.ok(kept.length > 12 && theirs.length === 3, 'the tables of the page are found');
  const seen = new Set<string>();
  const unnamed: string[] = [];
  for (const strategy of ['shadow', 'local', 'sqlite'] as const) {
    const [paths, refs, odd] = await pathsAndRefs(strategy);
    assert.equal(odd, [], 'the modes are those that the page tells');
    for (const [names, rows] of [
      [paths, kept],
      [refs, theirs],
    ] as const) {
      for (const name of names) {
        const row = rows.find(({ patterns }) => patterns.some((pattern) => pattern.test(name)));
        if (row === undefined) unnamed.push(`${strategy}: ${name}`);
        else seen.add(row.text);
      }
    }
  }
  assert.equal(unnamed, []);
  const lasting = [...kept, ...theirs].filter(
    ({ text }) =>
      !/restored?(\.|-<restore>\.)json|displaced-|ref-intent|\/merge\/|\/wanted`|\.trash-/.test(text),
  );
  assert.equal(
    lasting.filter(({ text }) => !seen.has(text)).map(({ text }) => text),
    [],
  );
});

test.run();
