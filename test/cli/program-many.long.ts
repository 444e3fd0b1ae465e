// Lists ten thousand real checkpoints as text and as data: once with a running daemon, and once with a daemon that the
// command starts.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonRig, withRig } from '../support/daemon-rig.ts';

const count = 10_000;

async function run(rig: DaemonRig, ...words: string[]): Promise<{ stdout: string; ms: number }> {
  const startedMs = performance.now();
  const program = await rig.command(...words);
  assert.is(program.code, 0, program.stderr);
  return { stdout: program.stdout, ms: performance.now() - startedMs };
}

test(`the command \`list\` prints ${count} checkpoints as text and as data`, () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ retention: 'keep' });
    for (let made = 1; made < count; made += 1)
      await client.request('checkpoint/create', { session, kind: 'turn', message: `turn ${made}` });
    const text = await run(rig, 'list');
    const lines = text.stdout.trimEnd().split('\n');
    assert.is(lines.length, count);
    assert.match(lines.at(-1) ?? '', new RegExp(`^\\[${count - 1}\\] .* turn ${count - 1}  \\(here\\)$`));
    const data = await run(rig, 'list', '--json');
    const { checkpoints } = JSON.parse(data.stdout) as { checkpoints: { tag: string }[] };
    assert.equal(
      checkpoints.map(({ tag }) => tag),
      Array.from({ length: count }, (_, tag) => String(tag)),
    );
    for (const { ms } of [text, data]) assert.ok(ms < 15_000, `took ${ms} ms`);
    await client.close();
    const kept = await run(rig, 'list');
    assert.is(kept.stdout, text.stdout);
    console.log(
      `note: ${count} checkpoints: text ${text.ms.toFixed(0)} ms, data ${data.ms.toFixed(0)} ms, by a daemon of its own ${kept.ms.toFixed(0)} ms`,
    );
  }));

test.run();
