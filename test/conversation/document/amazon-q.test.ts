// Imports a document of Amazon Q CLI 1.18. Messages, tools and context paths are converted to our form. Fields that a
// session does not have are reported.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Conversation } from '../../../src/conversation/conversation.ts';
import { toDocument } from '../../../src/conversation/document/conversation-json.ts';
import { MemoryLog } from '../room.ts';

const env = { env_state: { operating_system: 'linux', current_working_directory: '/p' } };
const user = (content: object): object => ({
  additional_context: '',
  env_context: env,
  content,
  timestamp: null,
  images: null,
});

const written = {
  conversation_id: 'q-1',
  next_message: user({ Prompt: { prompt: 'and now' } }),
  history: [
    {
      user: user({ Prompt: { prompt: 'Rename it' } }),
      assistant: {
        ToolUse: {
          message_id: 'm1',
          content: 'I will.',
          tool_uses: [
            {
              id: 't1',
              name: 'fs_write',
              orig_name: 'fs_write',
              args: { path: 'a' },
              orig_args: { path: 'a' },
            },
          ],
        },
      },
      request_metadata: { request_id: 'r1', model_id: 'claude' },
    },
    {
      user: user({
        ToolUseResults: {
          tool_use_results: [
            { tool_use_id: 't1', content: [{ Text: 'done' }, { Json: { exit: 0 } }], status: 'Success' },
          ],
        },
      }),
      assistant: { Response: { message_id: null, content: 'Done.' } },
      request_metadata: null,
    },
    [
      user({
        CancelledToolUses: {
          prompt: 'stop',
          tool_use_results: [{ tool_use_id: 't2', content: [{ Text: 'cancelled' }], status: 'Error' }],
        },
      }),
      { Response: { message_id: 'm3', content: 'Stopped.' } },
    ],
  ],
  valid_history_range: [1, 3],
  transcript: ['> Rename it', 'I will.'],
  tools: {
    native___: [{ ToolSpecification: { name: 'fs_read', description: 'Reads', input_schema: { json: {} } } }],
    git: [{ ToolSpecification: { name: 'log', description: 'Log', input_schema: { json: {} } } }],
  },
  context_manager: {
    max_context_files_size: 150_000,
    current_profile: 'q_cli_default',
    paths: ['README.md', { Session: 'docs/a.md' }, { Agent: 'file://AGENTS.md' }, '/etc/hosts', '~/x.md'],
    hooks: { agentSpawn: [{ command: 'date' }] },
  },
  context_message_length: 812,
  latest_summary: 'so far',
  model: null,
  model_info: { model_name: 'C', model_id: 'claude', context_window_tokens: 9000 },
  file_line_tracker: {},
  checkpoint_manager: { shadow_repo_path: '/x', checkpoints: [{ tag: '0' }, { tag: '1' }], current_turn: 1 },
  mcp_enabled: true,
  tangent_state: null,
  user_turn_metadata: { continuation_id: 'c' },
};

async function imported(): Promise<{ conversation: Conversation; warnings: readonly string[] }> {
  const conversation = new Conversation('c', new MemoryLog());
  const { warnings } = await conversation.import(JSON.stringify(written));
  return { conversation, warnings };
}

test('imported messages become text, tool results and tool uses (C3)', async () => {
  const { conversation } = await imported();
  const [asked, answered, stopped] = conversation.state.history.slice();
  assert.is(asked?.user.content, 'Rename it');
  assert.equal(asked?.user.envContext, env);
  assert.equal(asked?.assistant, {
    messageId: 'm1',
    content: 'I will.',
    toolUses: [
      { id: 't1', name: 'fs_write', origName: 'fs_write', args: { path: 'a' }, origArgs: { path: 'a' } },
    ],
  });
  assert.equal(asked?.requestMetadata, { requestId: 'r1', modelId: 'claude' });
  assert.is(answered?.user.content, undefined);
  assert.equal(answered?.user.toolResults, [
    { toolUseId: 't1', status: 'Success', content: [{ text: 'done' }, { json: { exit: 0 } }] },
  ]);
  assert.equal(answered?.assistant, { content: 'Done.' });
  assert.is(stopped?.user.content, 'stop');
  assert.is(stopped?.user.cancelled, true);
  assert.equal(
    stopped?.user.toolResults?.map(({ toolUseId }) => toolUseId),
    ['t2'],
  );
  assert.is(conversation.state.nextMessage?.content, 'and now');
});

test('if no turn follows the tool results at the start of an imported valid_history_range, the range becomes empty (C13)', async () => {
  const { conversation } = await imported();
  assert.equal(conversation.state.validRange, { start: 3, end: 3 });
});

test('an import removes the outer layer of each tool, and groups the tools as our documents do (C27)', async () => {
  const { conversation } = await imported();
  assert.equal(conversation.state.tools, {
    Builtin: [{ name: 'fs_read', description: 'Reads', inputSchema: { json: {} } }],
    git: [{ name: 'log', description: 'Log', inputSchema: { json: {} } }],
  });
});

test('an import keeps only context paths that are inside the work tree, and accepts a summary in plain text', async () => {
  const { conversation } = await imported();
  assert.equal(conversation.state.contextPaths, ['README.md', 'docs/a.md', 'AGENTS.md']);
  assert.equal(conversation.state.latestSummary, { text: 'so far', metadata: {} });
});

test('an import lists the names of the fields that it leaves out (C35)', async () => {
  const { warnings } = await imported();
  for (const expected of [
    /context path "\/etc\/hosts" was left out/,
    /context path "~\/x\.md" was left out/,
    /context_manager\.current_profile was left out/,
    /context_manager\.hooks was left out/,
    /context_message_length \(812\) was left out/,
    /2 checkpoints of checkpoint_manager were left out/,
    /user_turn_metadata was left out/,
    /valid_history_range began at an entry with tool results/,
  ]) {
    assert.is(warnings.filter((warning) => expected.test(warning)).length, 1, `${String(expected)} once`);
  }
  assert.is(warnings.length, 8, warnings.join('\n'));
});

test('an imported document can be exported in our own form and read back without loss', async () => {
  const { conversation } = await imported();
  const document = toDocument(conversation.state);
  const again = new Conversation('c', new MemoryLog());
  const { warnings } = await again.import(JSON.stringify(document));
  assert.equal(warnings, []);
  assert.equal(toDocument(again.state), document);
});

test.run();
