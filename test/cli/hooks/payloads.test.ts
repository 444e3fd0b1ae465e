// Tests recorded payloads of the agents, and invalid payloads.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { agentNames, readEvent } from '../../../src/cli/hooks/payloads.ts';

const claude = { session_id: 's1', transcript_path: '/t', cwd: '/w', permission_mode: 'default' };

function read(agent: string, payload: object, given?: string): unknown {
  return readEvent(agent, JSON.stringify(payload), given);
}

test('the hook parses Claude Code’s events for start, prompt, finished tool and end', () => {
  const base = { agent: 'claude-code', conversation: 's1', directory: '/w' };
  assert.equal(read('claude-code', { ...claude, hook_event_name: 'SessionStart', source: 'startup' }), {
    ...base,
    kind: 'start',
  });
  assert.equal(read('claude-code', { ...claude, hook_event_name: 'UserPromptSubmit', prompt: 'tidy' }), {
    ...base,
    kind: 'prompt',
    text: 'tidy',
  });
  const tool = { hook_event_name: 'PostToolUse', tool_use_id: 'toolu_1' };
  assert.equal(
    read('claude-code', { ...claude, ...tool, tool_name: 'Write', tool_input: { file_path: '/w/a.ts' } }),
    { ...base, kind: 'tool', tool: 'Write', call: 'toolu_1', files: ['/w/a.ts'] },
  );
  assert.equal(
    read('claude-code', { ...claude, ...tool, tool_name: 'Read', tool_input: { file_path: '/w/a.ts' } }),
    { ...base, kind: 'tool', tool: 'Read', call: 'toolu_1' },
  );
  assert.equal(read('claude-code', { ...claude, hook_event_name: 'SessionEnd', reason: 'other' }), {
    ...base,
    kind: 'end',
  });
  assert.equal(read('claude-code', { ...claude, hook_event_name: 'Stop' }), { nothing: 'Stop', quiet: true });
});

test('the hook parses the file names in a patch of Codex', () => {
  const command =
    '*** Begin Patch\n*** Add File: new.ts\n+x\n*** Update File: src/a b.ts\n*** Move to: c.ts\n@@\n-a\n+b\n*** Delete File: old.ts\r\n*** End Patch';
  const payload = {
    ...claude,
    hook_event_name: 'PostToolUse',
    tool_name: 'apply_patch',
    tool_input: { command },
  };
  assert.equal((read('codex', payload) as { files: unknown }).files, [
    'new.ts',
    'src/a b.ts',
    'c.ts',
    'old.ts',
  ]);
});

test('the hook parses events of Gemini CLI, Cursor, Copilot CLI and the plugin of opencode', () => {
  assert.equal(read('gemini', { ...claude, hook_event_name: 'BeforeAgent', prompt: 'go', timestamp: 't' }), {
    agent: 'gemini',
    conversation: 's1',
    directory: '/w',
    kind: 'prompt',
    text: 'go',
  });
  const cursor = { conversation_id: 'c', generation_id: 'g', cursor_version: '3', workspace_roots: ['/w'] };
  const shell = { hook_event_name: 'postToolUse', tool_name: 'Shell', tool_use_id: 'a\nb', cwd: '/w/deep' };
  const expected = {
    agent: 'cursor',
    conversation: 'c',
    directory: '/w',
    kind: 'tool',
    tool: 'Shell',
    call: 'a\nb',
  };
  assert.equal(read('cursor', { ...cursor, ...shell }), expected);
  assert.equal(read('claude-code', { ...cursor, ...shell }), expected, 'Cursor runs the file of Claude Code');
  const copilot = { sessionId: 's', timestamp: 1, cwd: '/w', toolName: 'edit', toolArgs: '{"path":"/w/a"}' };
  assert.equal(read('copilot', copilot, 'postToolUse'), {
    agent: 'copilot',
    conversation: 's',
    directory: '/w',
    kind: 'tool',
    tool: 'edit',
    files: ['/w/a'],
  });
  const opencode = { event: 'tool', sessionID: 's', directory: '/w', tool: 'write', callID: 'x' };
  assert.equal(read('opencode', { ...opencode, args: { filePath: '/w/a' } }), {
    agent: 'opencode',
    conversation: 's',
    directory: '/w',
    kind: 'tool',
    tool: 'write',
    call: 'x',
    files: ['/w/a'],
  });
});

test('invalid input from any agent is reported, and gives no event', () => {
  const full = JSON.stringify({ ...claude, hook_event_name: 'UserPromptSubmit', prompt: 'x'.repeat(99) });
  for (const agent of agentNames) {
    for (const text of [
      '',
      ' \n',
      full.slice(0, 80),
      'null',
      '[]',
      '"x"',
      '{}',
      '{"hook_event_name":"toString"}',
    ])
      assert.type((readEvent(agent, text) as { nothing?: string }).nothing, 'string', `${agent}: ${text}`);
  }
  assert.match(
    (read('claude-code', { ...claude, hook_event_name: 'NeverHeardOf' }) as { nothing: string }).nothing,
    /event NeverHeardOf is unknown/,
  );
  assert.type(
    (
      read('claude-code', { ...claude, cwd: 'relative', hook_event_name: 'SessionStart' }) as {
        nothing: string;
      }
    ).nothing,
    'string',
  );
  assert.equal(readEvent('constructor', '{}'), {
    nothing: 'checkpointd does not know the agent constructor',
  });
});

test.run();
