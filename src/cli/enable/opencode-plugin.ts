// The plugin that opencode runs: it tells our hook what its events say, and never throws, because a throw of a plugin
// ends the prompt.
import { reportingSource } from './reporting-source.ts';

const firstLine =
  '// checkpointd: written by "checkpointd enable --agent opencode"; "checkpointd disable" removes it.';

export function isOurPlugin(text: string): boolean {
  return text.startsWith('// checkpointd: written by "checkpointd enable');
}

/** `words` start the hook. */
export function opencodePlugin(words: readonly string[]): string {
  return `${firstLine}
${reportingSource(words)}
const Checkpointd = async ({ directory }) => {
  const parents = new Map(); // a subagent's work belongs to the conversation that called it
  const conversations = new Set();
  const base = (sessionID) => {
    const id = parents.get(sessionID) ?? sessionID;
    conversations.add(id);
    return { sessionID: id, directory };
  };
  const end = async (sessionID) => {
    if (conversations.delete(sessionID)) await tell({ event: 'end', sessionID, directory });
  };
  return {
    event: async ({ event }) => {
      const { type, properties = {} } = event ?? {};
      const info = properties.info ?? {};
      if (type === 'session.created' && info.parentID)
        parents.set(info.id, parents.get(info.parentID) ?? info.parentID);
      else if (type === 'session.created' && info.id) await tell({ event: 'start', ...base(info.id) });
      else if (type === 'session.deleted') await end(info.id ?? properties.sessionID);
    },
    'chat.message': async (input, output) => {
      if (parents.has(input.sessionID)) return;
      const parts = output?.parts ?? [];
      const prompt = parts.map((part) => (part.type === 'text' ? part.text : '')).join('\\n').trim();
      const told = await tell({ event: 'prompt', prompt, ...base(input.sessionID) });
      if (told === '' || output?.message?.id === undefined) return;
      parts.push({
        id: 'prt_checkpointd' + Date.now().toString(36),
        sessionID: input.sessionID,
        messageID: output.message.id,
        type: 'text',
        text: told,
        synthetic: true,
      });
    },
    'tool.execute.after': async ({ tool, sessionID, callID, args }) => {
      await tell({ event: 'tool', tool, callID, args, ...base(sessionID) });
    },
    dispose: async () => {
      await Promise.all([...conversations].map(end));
    },
  };
};

export { Checkpointd };
`;
}
