// Makes a conversation that fills every field of an exported document.
import { Conversation } from '../../../src/conversation/conversation.ts';
import { MemoryLog, said } from '../room.ts';

/** Returns a conversation that has a value for every field of the document. */
export function full(): Conversation {
  const conversation = new Conversation('conv-1', new MemoryLog());
  conversation.settings.setTools({ Builtin: [{ name: 'fs_read' }], Mcp: [] });
  conversation.settings.setModel({
    modelId: 'm',
    modelName: 'M',
    contextWindowTokens: 1000,
    tokenLimits: { out: 5 },
  });
  conversation.settings.setMcpEnabled(false);
  conversation.context.add(['README.md', 'docs/**/*.md']);
  conversation.append({ ...said('one'), requestMetadata: { requestId: 'r', timeToFirstChunk: 2.5, own: 1 } });
  conversation.append({ user: { toolResults: [{ toolUseId: 't' }] }, assistant: { content: 'é 😀' } });
  conversation.compact({ summary: 'main', metadata: { a: null }, keep: 1 });
  conversation.recordLines({ path: '__proto__', operation: 'create', before: 0, after: 3 });
  conversation.setNextMessage('main next');
  conversation.tangents.enter({ filesCheckpoint: 'ckpt_1' });
  conversation.append(said('aside'));
  conversation.compact({ summary: 'aside' });
  conversation.setNextMessage('then', { lock: true });
  return conversation;
}
