// Lists the clients of this repository that can run on this machine, with the command lines that start them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageFile } from '../../../src/wire/places.ts';
import type { Random } from '../random.ts';

/** The names of the clients. `python` is the client for asyncio, and `pythonSync` is the client for scripts. */
export const clientNames = ['own', 'python', 'pythonSync', 'rust'] as const;
export type ClientName = (typeof clientNames)[number];

export function isClientName(name: string): name is ClientName {
  return (clientNames as readonly string[]).includes(name);
}

interface Words {
  readonly words: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Chooses a client: Python for a sixth of the episodes, and Rust for a sixth. */
export function someClient(random: Random, among: readonly ClientName[] = clientNames): ClientName {
  const weights = { own: 8, python: 1, pythonSync: 1, rust: 2 } as const;
  return random.weighed(among.map((name) => [weights[name], name] as const));
}

const known = new Map<ClientName, Words | { readonly refusal: string }>();

/**
 * Returns the command line that starts a bridge to the client, or the reason why the client cannot run here. If
 * necessary, first builds the client, which can take a minute.
 */
export function bridgeTo(client: Exclude<ClientName, 'own'>): Words | { readonly refusal: string } {
  const found = known.get(client) ?? (client === 'rust' ? rust() : python(client === 'pythonSync'));
  known.set(client, found);
  return found;
}

function python(isSync: boolean): Words | { readonly refusal: string } {
  const script = 'import sys; assert sys.version_info >= (3, 9); print(sys.executable)';
  const asked = spawnSync('python3', ['-c', script], { encoding: 'utf8' });
  if (asked.status !== 0) return { refusal: asked.error?.message ?? asked.stderr.trim() };
  return {
    words: [
      asked.stdout.trim(),
      '-X',
      'dev',
      packageFile('scripts/torture/clients/bridge.py'),
      ...(isSync ? ['--sync'] : []),
    ],
    env: { PYTHONPATH: packageFile('protocol/clients/python'), PYTHONDONTWRITEBYTECODE: '1' },
  };
}

function rust(): Words | { readonly refusal: string } {
  const target = mkdtempSync(join(tmpdir(), 'checkpointd-torture-cargo-'));
  process.on('exit', () => rmSync(target, { recursive: true, force: true }));
  const build = (...more: string[]): ReturnType<typeof spawnSync> =>
    spawnSync('cargo', ['build', '--locked', '--quiet', ...more], {
      cwd: packageFile('scripts/torture/clients/rust'),
      encoding: 'utf8',
      env: { ...process.env, CARGO_TARGET_DIR: target },
    });
  const offline = build('--offline');
  const built = offline.status === 0 || offline.error !== undefined ? offline : build();
  if (built.status !== 0) return { refusal: built.error?.message ?? String(built.stderr).trim().slice(-400) };
  return { words: [join(target, 'debug/bridge')], env: {} };
}
