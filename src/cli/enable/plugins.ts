// Makes the source texts of our plugins, for agents whose settings have no hooks. The plugins are plain JavaScript and
// import none of our modules, because the agent loads the plugins in its own runtime. A plugin runs our hook for each
// event of the agent and passes the event's data. A plugin never throws: opencode would end the prompt, and pi would
// print the error.

/** Returns the source text of the function `tell(event)`. `words` is the command line that starts the hook. */
function reportingSource(words: readonly string[]): string {
  return `import { spawn } from 'node:child_process';

const [program, ...words] = ${JSON.stringify(words)};

/** Reports an event to checkpointd. Resolves within 1.5 s with the text for the agent, and never rejects. */
function tell(event) {
  return new Promise((resolve) => {
    let said = '';
    const late = setTimeout(() => resolve(''), 1500);
    const done = (text) => {
      clearTimeout(late);
      resolve(text);
    };
    try {
      const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true });
      child.on('error', () => done(''));
      child.stdin.on('error', () => undefined);
      child.stdout.on('data', (chunk) => (said += chunk));
      child.on('close', () => done(said));
      child.stdin.end(JSON.stringify(event));
    } catch {
      done('');
    }
  });
}
`;
}

const firstLineOf = (agent: string): string =>
  `// checkpointd: written by "checkpointd enable --agent ${agent}"; "checkpointd disable" removes it.`;

export function isOurPlugin(text: string): boolean {
  return text.startsWith('// checkpointd: written by "checkpointd enable');
}

/** Returns the source text of the plugin for opencode. `words` is the command line that starts the hook. */
export function opencodePlugin(words: readonly string[]): string {
  return `${firstLineOf('opencode')}
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
      const forModel = await tell({ event: 'prompt', prompt, ...base(input.sessionID) });
      if (forModel === '' || output?.message?.id === undefined) return;
      parts.push({
        id: 'prt_checkpointd' + Date.now().toString(36),
        sessionID: input.sessionID,
        messageID: output.message.id,
        type: 'text',
        text: forModel,
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

export function isOurExtension(text: string): boolean {
  return text.startsWith('// checkpointd: written by "checkpointd enable --agent pi"');
}

/** Returns the source text of the extension for pi. `words` is the command line that starts the hook. */
export function piExtension(words: readonly string[]): string {
  return `${firstLineOf('pi')}
${reportingSource(words)}
/** Returns the fields of every event; undefined when this version of pi does not report the session of an event. */
function from(ctx) {
  try {
    return { sessionID: ctx.sessionManager.getSessionId(), directory: ctx.cwd };
  } catch {
    return undefined;
  }
}

async function report(event, ctx) {
  const base = from(ctx);
  return base === undefined ? '' : tell({ ...event, ...base });
}

export default function checkpointd(pi) {
  pi.on('session_start', async (_, ctx) => {
    await report({ event: 'start' }, ctx);
  });
  pi.on('before_agent_start', async ({ prompt }, ctx) => {
    const forModel = await report({ event: 'prompt', prompt }, ctx);
    if (forModel !== '') return { message: { customType: 'checkpointd', content: forModel, display: false } };
  });
  pi.on('tool_result', async ({ toolName, toolCallId, input }, ctx) => {
    await report({ event: 'tool', tool: toolName, callID: toolCallId, args: input }, ctx);
  });
  pi.on('session_shutdown', async (_, ctx) => {
    await report({ event: 'end' }, ctx);
  });
}
`;
}
