import { parse } from 'smol-toml';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Change } from '../../../src/cli/enable/settings.ts';
import { hasHooks, tomlSettings } from '../../../src/cli/enable/toml-settings.ts';

const settings = tomlSettings({
  file: '/x',
  events: ['SessionStart', 'PostToolUse'],
  command: '"/a b/node" main.js hook codex',
  timeoutSeconds: 3,
});
const mine = `# mine
model = "gpt" # keep
[[hooks.PostToolUse]]
matcher = "Bash"
[[hooks.PostToolUse.hooks]]
type = "command"
command = "mine"
[projects."/work"]
trust_level = "trusted"
`;

function textOf(change: Change): string {
  if ('left' in change) throw new Error(change.left);
  return change.text ?? '';
}

test('our two hooks form one block at the end of the settings, and can be removed without a trace', () => {
  const added = textOf(settings.add(mine));
  assert.ok(added.startsWith(mine));
  const { hooks, ...rest } = parse(added) as { hooks: Record<string, { hooks: { command: string }[] }[]> };
  assert.is(hooks['PostToolUse']?.[1]?.hooks[0]?.command, '"/a b/node" main.js hook codex');
  assert.equal(Object.keys(rest), ['model', 'projects']);
  assert.is(textOf(settings.add(added)), added);
  assert.is(textOf(settings.remove(added)), mine);
  assert.is(textOf(settings.remove(mine)), mine);
  assert.is(textOf(settings.remove(`${added}\n# later\n[tui]\nx = 1\n`)), `${mine}\n# later\n[tui]\nx = 1\n`);
});

test('if TOML settings cannot be parsed or extended, they stay unchanged', () => {
  assert.match((settings.add('model = ') as { left: string }).left, /not TOML/);
  assert.match((settings.remove('= x') as { left: string }).left, /not TOML/);
  assert.ok('left' in settings.add('hooks = { PostToolUse = [] }\n'));
  assert.equal(
    [hasHooks('a = 1'), hasHooks(mine), hasHooks('[hooks.state.x]\ny = 1'), hasHooks('=')],
    [false, true, false, undefined],
  );
});

test.run();
