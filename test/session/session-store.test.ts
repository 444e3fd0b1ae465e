// Tests the error for a strategy that needs an optional dependency, when this dependency is not installed.
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ResultOf } from '../../src/protocol/types.ts';
import { withRig } from '../support/daemon-rig.ts';
import { failureOf } from '../support/wire-client.ts';

const project = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Installs a copy of the daemon with all packages except those whose names begin with `omitted`. Returns the path of
 * the copy's program.
 */
function installWithout(omitted: string, to: string): string {
  mkdirSync(join(to, 'node_modules'), { recursive: true });
  for (const name of readdirSync(join(project, 'node_modules')))
    if (!name.includes(omitted))
      symlinkSync(join(project, 'node_modules', name), join(to, 'node_modules', name));
  cpSync(join(project, 'dist/src'), join(to, 'dist/src'), { recursive: true });
  cpSync(join(project, 'package.json'), join(to, 'package.json'));
  cpSync(join(project, 'protocol'), join(to, 'protocol'), { recursive: true });
  return join(to, 'dist/src/main.js');
}

test('if a strategy cannot be used, session/open says why and what to do, and all other strategies work', () =>
  withRig(async (rig) => {
    const entry = installWithout('libsql', join(rig.top, 'installed'));
    const client = await rig.start({ command: [process.execPath, entry] });
    const [hello] = client.frames;
    const { capabilities } = (hello?.result ?? {}) as ResultOf<'initialize'>;
    const strategies = capabilities.checkpointd.sessions?.strategies ?? [];
    assert.equal(
      strategies.map(({ name, available }) => [name, available]),
      [
        ['shadow', true],
        ['local', true],
        ['sqlite', false],
      ],
    );
    const { reason = '' } = strategies.find(({ name }) => name === 'sqlite') ?? {};
    assert.match(reason, /libsql/);
    const refused = await failureOf(rig.open(client, { strategy: 'sqlite' }));
    assert.is(refused.kind, 'StrategyUnavailable');
    assert.ok(refused.message.includes(reason), refused.message);
    assert.ok((await rig.open(client)).checkpoints.enabled);
    assert.is((await client.close()).code, 0);
  }));

test.run();
