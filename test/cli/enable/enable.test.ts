// Runs `enable` and `disable` as a person would, in a separate home directory.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writtenEvents } from '../../../src/cli/hooks/written-events.ts';
import { type DaemonRig, withRig } from '../../support/daemon-rig.ts';
import { endKeepers } from '../../support/programs/keepers.ts';
import { until } from '../../support/until.ts';
import { commandOf, hasTerminal, inTerminal, type Screen } from '../console/console-rig.ts';
import { hook } from '../hooks/hook-rig.ts';

const directories = ['.claude', '.gemini', '.codex', '.cursor', '.config/opencode', '.copilot', '.pi/agent'];
const files = [
  '.claude/settings.json',
  '.gemini/settings.json',
  '.codex/hooks.json',
  '.cursor/hooks.json',
  '.config/opencode/plugins/checkpointd.js',
  '.copilot/hooks/checkpointd.json',
  '.pi/agent/extensions/checkpointd.ts',
];

function everything(rig: DaemonRig): Record<string, string> {
  const names = readdirSync(rig.home, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const path = join(rig.home, name);
      const stat = statSync(path);
      return [`${name} ${(stat.mode & 0o777).toString(8)}`, stat.isFile() ? readFileSync(path, 'utf8') : ''];
    }),
  );
}

test('the command `enable` adds hooks for all agents only once, and `disable` leaves no trace', () =>
  withRig(async (rig) => {
    for (const directory of directories) mkdirSync(join(rig.home, directory), { recursive: true });
    const claude = join(rig.home, '.claude/settings.json');
    writeFileSync(claude, '{"permissions": {"allow": ["Bash"]},\n "hooks": {}}');
    chmodSync(claude, 0o600);
    writeFileSync(join(rig.home, '.gemini/settings.json'), '{\n  // mine\n  "ui": {"theme": "x"}\n}\n');
    const before = everything(rig);
    const dry = await rig.command('enable', '--dry-run');
    assert.is(dry.code, 0, dry.stderr);
    assert.match(
      dry.stdout,
      /settings\.json\n {2}at {4}SessionStart, .*SessionEnd\n {2}runs {2}.*hook claude-code/,
    );
    assert.ok(dry.stdout.split('\n').length <= 5 * files.length, 'each agent takes a few lines');
    const whole = await rig.command('enable', '--dry-run', '--patch');
    assert.match(whole.stdout, /\+ .*hook claude-code/);
    assert.equal(everything(rig), before);
    const asked = await rig.command('enable');
    assert.is(asked.code, 2);
    assert.match(asked.stderr, /cannot ask/);
    assert.equal(everything(rig), before);
    const enabled = await rig.command('enable', '--yes');
    assert.is(enabled.code, 0, enabled.stderr);
    assert.match(enabled.stdout, /Codex asks you to review/);
    for (const file of files) assert.match(readFileSync(join(rig.home, file), 'utf8'), /hook/, file);
    assert.match(readFileSync(join(rig.home, '.gemini/settings.json'), 'utf8'), /\/\/ mine/);
    assert.is(statSync(claude).mode & 0o777, 0o600);
    const once = everything(rig);
    const again = await rig.command('enable', '--yes', '--json');
    const { agents } = JSON.parse(again.stdout) as { agents: { state: string }[] };
    assert.equal(new Set(agents.map(({ state }) => state)), new Set(['unchanged']));
    assert.equal(everything(rig), once);
    assert.is((await rig.command('disable', '--yes')).code, 0);
    assert.equal(everything(rig), before);
    assert.not.ok(existsSync(join(rig.storage, 'hooks', 'enabled.json')));
  }));

test('the command `disable` keeps later changes of the user, and does not replace a link by a file', () =>
  withRig(async (rig) => {
    mkdirSync(join(rig.home, '.claude'));
    mkdirSync(join(rig.home, 'dotfiles'));
    writeFileSync(join(rig.home, 'dotfiles/claude.json'), '{}\n');
    const file = join(rig.home, '.claude/settings.json');
    symlinkSync('../dotfiles/claude.json', file);
    await rig.command('enable', '--yes', '--agent', 'claude-code');
    const enabled = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ model: 'opus', ...enabled }));
    assert.is((await rig.command('disable', '--yes')).code, 0);
    // The layout of the settings is unchanged.
    assert.is(readFileSync(join(rig.home, 'dotfiles/claude.json'), 'utf8'), '{"model":"opus"}');
    assert.equal(readdirSync(join(rig.home, '.claude')), ['settings.json']);
  }));

test('the command `enable` reports and keeps an unparsable settings file and a plugin file that is not ours', () =>
  withRig(async (rig) => {
    const texts: readonly (readonly [string, string])[] = [
      ['.claude/settings.json', '{ // comment\n}'],
      ['.gemini/settings.json', '{"a": 1,}'],
      ['.codex/config.toml', 'model = '],
      ['.cursor/hooks.json', 'not json'],
      ['.config/opencode/plugins/checkpointd.js', 'export const mine = 1;'],
      ['.copilot/hooks/checkpointd.json', '{"hooks":{"x":[{"command":"mine"}]}}'],
      ['.pi/agent/extensions/checkpointd.ts', 'export default () => undefined;'],
    ];
    for (const [file, text] of texts) {
      mkdirSync(join(rig.home, file, '..'), { recursive: true });
      writeFileSync(join(rig.home, file), text);
    }
    for (const what of ['enable', 'disable']) {
      const ran = await rig.command(what, '--yes');
      assert.is(ran.code, 1);
      for (const [file, text] of texts) {
        assert.ok(ran.stderr.includes(`${file} was not changed`), `${what} ${file}: ${ran.stderr}`);
        assert.is(readFileSync(join(rig.home, file), 'utf8'), text);
      }
    }
  }));

test('after `enable` and `disable`, an empty settings file is empty again, and a byte order mark remains', () =>
  withRig(async (rig) => {
    const texts: readonly (readonly [string, string])[] = [
      ['.claude/settings.json', ''],
      ['.gemini/settings.json', '\uFEFF{\n  // mine\n  "ui": {}\n}\n'],
      ['.cursor/hooks.json', '\uFEFF'],
      ['.codex/config.toml', '\uFEFF[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "x"\n'],
    ];
    for (const [file, text] of texts) {
      mkdirSync(join(rig.home, file, '..'), { recursive: true });
      writeFileSync(join(rig.home, file), text);
    }
    const before = everything(rig);
    const enabled = await rig.command('enable', '--yes');
    assert.is(enabled.code, 0, enabled.stderr);
    for (const [file, text] of texts) {
      const now = readFileSync(join(rig.home, file), 'utf8');
      assert.match(now, / hook /, file);
      assert.is(now.startsWith('\uFEFF'), text.startsWith('\uFEFF'), file);
    }
    assert.is((await rig.command('disable', '--yes')).code, 0);
    assert.equal(everything(rig), before);
    const again = await rig.command('disable', '--yes');
    assert.is(again.code, 0, again.stderr);
    const doctor = await rig.command('doctor');
    assert.match(doctor.stdout, /^agent claude-code: not enabled/m);
    assert.match(doctor.stdout, /^agent cursor: not enabled/m);
  }));

test('the command `enable` replaces a read-only settings file only after the user agrees', () =>
  withRig(async (rig) => {
    const file = join(rig.home, '.claude/settings.json');
    mkdirSync(join(rig.home, '.claude'));
    writeFileSync(file, '{}\n');
    chmodSync(file, 0o400);
    const ran = await rig.command('enable', '--yes');
    assert.is(ran.code, 1);
    assert.match(
      ran.stderr,
      /settings\.json was not changed: the file is read-only \(mode 0400\)\. With --yes, the command does not/,
    );
    assert.is(readFileSync(file, 'utf8'), '{}\n');
    if (!hasTerminal()) return;
    for (const [answer, expected] of [
      ['n', /^\{\}\n$/],
      ['y', / hook claude-code/],
    ] as const) {
      const asked = async ({ type, shows, ended }: Screen): Promise<void> => {
        await shows(/Write this\? \[y\/N\]/);
        type('y', 'Enter');
        await shows(/is read-only \(mode 0400\)\. Replace it\? \[y\/N\]/);
        type(answer, 'Enter');
        await ended();
      };
      await inTerminal(rig, commandOf(rig, 'enable'), asked, 250);
      assert.match(readFileSync(file, 'utf8'), expected);
      assert.is(statSync(file).mode & 0o777, 0o400);
    }
  }));

test('the command `enable` reports the line and column of a syntax error in a settings file', () =>
  withRig(async (rig) => {
    const texts: readonly (readonly [string, string, RegExp])[] = [
      ['.claude/settings.json', '{\n  "a": 1,\n}', /claude\/settings\.json .* at line 3, column 1/],
      ['.gemini/settings.json', '{\n  // mine\n  "a" 1\n}', /gemini\/settings\.json .* at line 3, column 7/],
      ['.codex/config.toml', 'model = "x"\nwhat\n', /codex\/config\.toml .* at line 2, column \d/],
    ];
    for (const [file, text] of texts) {
      mkdirSync(join(rig.home, file, '..'), { recursive: true });
      writeFileSync(join(rig.home, file), text);
    }
    const ran = await rig.command('enable', '--yes');
    assert.is(ran.code, 1);
    for (const [, , said] of texts) assert.match(ran.stderr, said);
  }));

test('the commands `status` and `doctor` list the enabled agents and the result of each agent’s last hook', () =>
  withRig(async (rig) => {
    for (const directory of ['.claude', '.codex']) mkdirSync(join(rig.home, directory));
    assert.is((await rig.command('enable', '--yes', '--agent', 'claude-code')).code, 0);
    const doctor = async (): Promise<string> => (await rig.command('doctor')).stdout;
    assert.match(await doctor(), /^agent claude-code: enabled; no hook has run yet$/m);
    assert.match(await doctor(), /^agent codex: not enabled \("checkpointd enable --agent codex"\)$/m);
    const before = await rig.command('status');
    assert.is(before.code, 3);
    assert.match(before.stdout, /^agent +claude-code: enabled; no hook has run yet$/m);
    const prompt = { session_id: 'one', cwd: rig.work, hook_event_name: 'UserPromptSubmit', prompt: 'x' };
    try {
      const done = /claude-code: enabled, last hook just now \(prompt\): done$/m;
      // On a busy machine a hook may give up before it has read its event. The log then says so.
      await until('a hook has ended', async () => {
        await hook(rig, 'claude-code', prompt);
        await until('the event is processed', () => writtenEvents(rig.storage).length === 0);
        return done.test(await doctor());
      });
      assert.match((await rig.command('status')).stdout, done);
      await hook(rig, 'claude-code', '{"cut');
      assert.match(
        await doctor(),
        /claude-code: enabled, last hook just now: the input is not JSON, or was cut/,
      );
    } finally {
      await endKeepers(rig.storage);
    }
  }));

test('the command `enable` reports an unknown agent, and also reports if it finds no agent', () =>
  withRig(async (rig) => {
    const unknown = await rig.command('enable', '--agent', 'gemni');
    assert.is(unknown.code, 2);
    assert.match(
      unknown.stderr,
      /checkpointd does not know the agent gemni\. Did you mean gemini\? Known agents: claude-code, /,
    );
    const far = await rig.command('enable', '--agent', 'emacs');
    assert.match(far.stderr, /checkpointd does not know the agent emacs\. Known agents: claude-code, /);
    const none = await rig.command('enable', '--json');
    assert.is(none.code, 2);
    const { error } = JSON.parse(none.stdout) as { error: object };
    assert.match(
      JSON.stringify(error),
      /"WrongCommandLine".*there is nothing to enable, because no supported agent was found.*Name an agent with --agent/,
    );
  }));

test.run();
