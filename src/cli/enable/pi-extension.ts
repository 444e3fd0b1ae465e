// The extension that pi runs: it tells our hook what pi's events say. It never throws, because pi prints what an
// extension throws.
import { reportingSource } from './reporting-source.ts';

const firstLine =
  '// checkpointd: written by "checkpointd enable --agent pi"; "checkpointd disable" removes it.';

export function isOurExtension(text: string): boolean {
  return text.startsWith('// checkpointd: written by "checkpointd enable --agent pi"');
}

/** `words` start the hook. */
export function piExtension(words: readonly string[]): string {
  return `${firstLine}
${reportingSource(words)}
/** What every event says; undefined where this version of pi does not say whose event it is. */
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
    const told = await report({ event: 'prompt', prompt }, ctx);
    if (told !== '') return { message: { customType: 'checkpointd', content: told, display: false } };
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
