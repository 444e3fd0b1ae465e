// Tests that hooks are added to settings in any layout, and removed again.
import fc from 'fast-check';
import { type ParseError, parse } from 'jsonc-parser';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonSettings } from '../../../src/cli/enable/json-settings.ts';
import { applied, type Change, inverse } from '../../../src/cli/enable/settings.ts';
import { parameters } from '../../support/property.ts';

const entry = { matcher: '*', hooks: [{ type: 'command', command: 'checkpointd hook gemini', timeout: 5 }] };
const settings = jsonSettings({
  agent: 'gemini',
  file: '/x',
  comments: true,
  base: {},
  entries: { SessionStart: { hooks: entry.hooks }, AfterTool: entry },
});
const strict = jsonSettings({
  agent: 'gemini',
  file: '/x',
  comments: false,
  base: {},
  entries: { Stop: entry },
});

function textOf(change: Change): string {
  if ('left' in change) throw new Error(change.left);
  return change.text ?? '';
}

const withHooks = `// my settings
{
    "theme": "dark", // keep this
    "hooks": {
        /* mine */
        "AfterTool": [
            { "matcher": "run_shell_command", "hooks": [{ "type": "command", "command": "mine" }] }
        ]
    }
}
`;

test('adding a hook keeps the comments, the order and the other hooks of existing settings', () => {
  const added = textOf(settings.add(withHooks));
  for (const line of withHooks.split('\n').filter((each) => /mine|dark|settings/.test(each)))
    assert.ok(added.includes(line), line);
  const { hooks } = parse(added) as { hooks: Record<string, unknown[]> };
  assert.equal([hooks['AfterTool']?.length, hooks['SessionStart']?.length], [2, 1]);
  assert.is(textOf(settings.add(added)), added, 'a second time changes nothing');
  const removed = textOf(settings.remove(added));
  assert.is(removed, withHooks);
  const commented = '{\n\t"a": [1, 2] // last\n}\n';
  const beside = textOf(settings.add(commented));
  assert.ok(beside.startsWith('{\n\t"a": [1, 2], // last\n\t"hooks": {\n\t\t"SessionStart": [\n'), beside);
  assert.is(textOf(settings.remove(beside)), commented);
});

test('if the path of our command changes, the existing hook is updated, and no second hook is added', () => {
  const older = textOf(settings.add('{}')).replaceAll('checkpointd hook', '/old/node /old/main.js hook');
  const renewed = textOf(settings.add(older));
  assert.not.match(renewed, /old/);
  assert.equal(parse(renewed), parse(textOf(settings.add('{}'))));
  assert.equal(parse(textOf(settings.remove(older))), {});
});

test('if the user extended our group of hooks, disabling removes only our own hook', () => {
  const mixed = `{"hooks":{"AfterTool":[{"matcher":"*","hooks":[{"command":"checkpointd hook gemini"},{"command":"mine"}]}]}}`;
  assert.equal(parse(textOf(settings.remove(mixed))), {
    hooks: { AfterTool: [{ matcher: '*', hooks: [{ command: 'mine' }] }] },
  });
});

test('settings that cannot be parsed stay unchanged, and the reason is reported', () => {
  const commented = '{ // mine\n}';
  assert.match(
    (strict.add(commented) as { left: string }).left,
    /a comment at line 1, column 3, .* Remove the comment/,
  );
  assert.match((strict.remove(commented) as { left: string }).left, /JSON without comments/);
  assert.match(
    (settings.add('{"a":1,}') as { left: string }).left,
    /not valid JSON with comments at line 1, column 8/,
  );
  for (const text of ['[]', '"x"', '{"hooks":[]}', '{"hooks":{"AfterTool":{}}}', '{"hooks":', 'hooks = 1'])
    assert.type((settings.add(text) as { left?: string }).left, 'string', text);
  const twice = '{"hooks":{"AfterTool":[{"command":"a"}]},"hooks":{"AfterTool":[{"command":"b"}]}}';
  assert.ok('left' in settings.add(twice) || textOf(settings.add(twice)).includes('"a"'));
});

test('adding hooks and then removing them leaves every byte of the settings as before', () => {
  const value = fc
    .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
    // The library that parses settings drops the key `__proto__`, so settings with this key stay unchanged.
    .filter((each) => !('hooks' in each) && !JSON.stringify(each).includes('"__proto__"'));
  const hooks = fc.option(
    fc.record({
      AfterTool: fc.option(fc.array(fc.record({ command: fc.string() }), { maxLength: 2 }), {
        nil: undefined,
      }),
      BeforeTool: fc.array(fc.record({ matcher: fc.string(), hooks: fc.constant([]) }), { maxLength: 2 }),
    }),
    { nil: undefined },
  );
  fc.assert(
    fc.property(
      value,
      hooks,
      fc.constantFrom(undefined, 2, 4, '\t'),
      fc.boolean(),
      (rest, own, indent, crlf) => {
        const text = JSON.stringify({ ...rest, ...(own === undefined ? {} : { hooks: own }) }, null, indent);
        const before = crlf ? text.replaceAll('\n', '\r\n') : text;
        const change = settings.add(before);
        const after = textOf(change);
        const errors: ParseError[] = [];
        parse(after, errors);
        assert.equal(errors, []);
        const { edits = [] } = change as { edits?: readonly [] };
        assert.is(applied(after, inverse(before, edits)), before);
      },
    ),
    parameters(300),
  );
});

test.run();
