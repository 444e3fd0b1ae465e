// checkpointd mcp: serves MCP over stdio. The official SDK implements the MCP protocol. This module turns tool calls
// into requests to the daemon, and turns failures into answers that a model can read.
import {
  fromJsonSchema,
  type JsonSchemaType,
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { attemptAsyncOr, isA } from '../../base/attempt.ts';
import { CheckpointdGoneError, CheckpointdRequestError } from '../../client/client.ts';
import { packageVersion } from '../../wire/places.ts';
import { inCommands } from '../in-commands.ts';
import { nearestReferences } from '../nearest.ts';
import { NoSession } from '../refusal.ts';
import type { Where } from '../used-sessions.ts';
import { McpSession } from './session.ts';
import { lineOf, type McpTool, sessionCheckpoints, type ToolInput, tools } from './tools.ts';

/**
 * The maximum number of checkpoints that the server offers as resources. A person chooses from the list, so the newest
 * checkpoints are enough.
 */
const resourcesMax = 200;
const checkpointUri = 'checkpointd://checkpoint/{reference}';

/** Serves until the client closes the standard input of this process. */
export async function serveMcp(where: Where): Promise<number> {
  const session = new McpSession(where);
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  const server = serveStdio(() => make(session), {
    onerror: (error) => process.stderr.write(`checkpointd mcp: ${error.message}\n`),
  });
  await ended;
  await server.close();
  await session.close();
  return 0;
}

function make(session: McpSession): McpServer {
  const server = new McpServer(
    { name: 'checkpointd', version: packageVersion() },
    {
      instructions:
        'Checkpoints of the work tree. Make a checkpoint before a risky change. A restore shows its plan first and can be undone.',
    },
  );
  for (const tool of tools) register(server, tool, session);
  server.registerResource(
    'checkpoint',
    new ResourceTemplate(checkpointUri, {
      list: async ({ mcpReq: { signal } }) => ({
        resources: (await checkpointsIfAny(session, signal))
          .slice(-resourcesMax)
          .reverse()
          .map((checkpoint) => ({
            uri: checkpointUri.replace('{reference}', checkpoint.id),
            name: lineOf(checkpoint),
            title: lineOf(checkpoint),
            mimeType: 'application/json',
          })),
      }),
    }),
    {
      title: 'Checkpoint',
      description: 'A checkpoint and the paths that changed in it.',
      mimeType: 'application/json',
    },
    async (uri, { reference }, { mcpReq: { signal } }) => {
      try {
        const tag = decodeURIComponent(String(reference));
        const { checkpoint, message } = await session.ask('checkpoint/get', { tag }, { signal });
        const { files } = await session.ask('checkpoint/files', { tag, changedOnly: true }, { signal });
        const text = JSON.stringify({ checkpoint, message, changed: files }, null, 2);
        return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] };
      } catch (error) {
        if (error instanceof URIError || isNoCheckpoint(error))
          throw new ResourceNotFoundError(uri.href, 'No such checkpoint exists.');
        throw error;
      }
    },
  );
  return server;
}

/**
 * Returns the checkpoints of the session. Returns an empty list when no session exists, because the listing must not
 * fail without a session.
 */
async function checkpointsIfAny(
  session: McpSession,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<typeof sessionCheckpoints>>> {
  return attemptAsyncOr([], isA(NoSession), () => sessionCheckpoints(session, signal));
}

function register(server: McpServer, tool: McpTool, session: McpSession): void {
  const { name, title, description, annotations, input, output, run } = tool;
  server.registerTool(
    name,
    {
      title,
      description,
      annotations,
      inputSchema: fromJsonSchema<ToolInput>(input as JsonSchemaType),
      outputSchema: fromJsonSchema(output as JsonSchemaType),
    },
    async (given, { mcpReq: { signal } }) => {
      try {
        const { result, text } = await run(session, given, signal);
        return { content: [{ type: 'text', text }], structuredContent: { ...result } };
      } catch (error) {
        const text = `${complaintOf(error)}${await meantBy(error, given, session, signal)}`;
        return { isError: true, content: [{ type: 'text', text }] };
      }
    },
  );
}

function complaintOf(error: unknown): string {
  if (error instanceof CheckpointdRequestError) {
    // Uses only the first sentence, because the later sentences name methods that are not available as tools.
    if (error.kind === 'NothingToUndo') return `${error.kind}: ${/^[^.]*\./.exec(error.message)?.[0] ?? ''}`;
    return `${error.kind}: ${inCommands(error.message, 'tools')}`;
  }
  if (error instanceof NoSession) return `${error.fact}. checkpoint_create starts a session.`;
  if (error instanceof CheckpointdGoneError) return error.message;
  throw error;
}

function isNoCheckpoint(error: unknown): boolean {
  return error instanceof CheckpointdRequestError && ['UnknownCheckpoint', 'InvalidTag'].includes(error.kind);
}

async function meantBy(
  error: unknown,
  { tag, from, to }: ToolInput,
  session: McpSession,
  signal: AbortSignal,
): Promise<string> {
  if (!isNoCheckpoint(error)) return '';
  const words = [tag, from, to].filter((word) => word !== undefined);
  const meant = nearestReferences(words, await sessionCheckpoints(session, signal));
  return meant.length === 0 ? '' : ` Did you mean ${meant.join(', ')}?`;
}
