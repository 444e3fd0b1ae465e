// Some parts of a document are written only by Amazon Q CLI. This module converts these parts to our own form. In these
// parts, each message or tool is inside an object that names its kind, and each context path has an origin. Parts in
// our own form stay unchanged, and no field of a message is lost.

import { isObject } from '../../base/json.ts';
import { type ClientObject } from '../client-object.ts';

/** Converts a user's message, whose `content` is a `Prompt`, `ToolUseResults` or `CancelledToolUses`. */
export function userFromQ(value: unknown): unknown {
  if (!isObject(value) || !isObject(value.content)) return value;
  const [kind, said] = onlyField(value.content) ?? [];
  if (!isObject(said) || !['Prompt', 'ToolUseResults', 'CancelledToolUses'].includes(kind ?? ''))
    return value;
  const { content: _content, additional_context, env_context, ...rest } = value;
  const message: Record<string, unknown> = withoutNulls({
    ...rest,
    additionalContext: additional_context === '' ? null : additional_context,
    envContext: env_context,
    content: said.prompt,
  });
  if (Array.isArray(said.tool_use_results)) message.toolResults = said.tool_use_results.map(resultFromQ);
  if (kind === 'CancelledToolUses') message.cancelled = true;
  return message;
}

/** Converts an answer of the assistant from the form `{Response: {…}}` or `{ToolUse: {…}}`. */
export function assistantFromQ(value: unknown): unknown {
  if (!isObject(value)) return value;
  const [kind, answer] = onlyField(value) ?? [];
  if (!isObject(answer) || !['Response', 'ToolUse'].includes(kind ?? '')) return value;
  const { message_id, tool_uses, ...rest } = answer;
  const message: Record<string, unknown> = withoutNulls({ messageId: message_id, ...rest });
  if (Array.isArray(tool_uses)) message.toolUses = tool_uses.map(useFromQ);
  return message;
}

/** Converts an entry. An entry is an object or, in documents of older programs, a pair of user message and answer. */
export function entryFromQ(value: unknown): unknown {
  if (!Array.isArray(value) || value.length !== 2) return value;
  const [user, assistant] = value as unknown[];
  return { user, assistant };
}

/**
 * Converts the tools, which are grouped by origin. Amazon Q lists its own tools under `native___`, and puts each tool
 * into an object `{ToolSpecification}`.
 */
export function toolsFromQ(tools: ClientObject): ClientObject {
  const byOrigin = Object.entries(tools).map(([origin, list]) => {
    const name = origin === 'native___' && !Object.hasOwn(tools, 'Builtin') ? 'Builtin' : origin;
    return [name, Array.isArray(list) ? list.map(toolFromQ) : list] as const;
  });
  return Object.fromEntries(byOrigin);
}

/**
 * Returns the paths of a context manager. Older programs write the paths under `profile_config`. Newer programs put
 * each path into an object `{Agent}` or `{Session}`.
 */
export function contextPathsFromQ(manager: ClientObject): unknown {
  const profile = isObject(manager.profile_config) ? manager.profile_config : {};
  const paths = manager.paths ?? profile.paths;
  return Array.isArray(paths) ? paths.map(contextPathFromQ) : paths;
}

function contextPathFromQ(value: unknown): unknown {
  const [origin, inner] = isObject(value) ? (onlyField(value) ?? []) : [];
  const path = origin === 'Agent' || origin === 'Session' ? inner : value;
  return typeof path === 'string' ? path.replace(/^file:\/\//, '') : path;
}

function resultFromQ(value: unknown): unknown {
  if (!isObject(value) || !('tool_use_id' in value)) return value;
  const { tool_use_id, content, ...rest } = value;
  const blocks = Array.isArray(content) ? content.map(blockFromQ) : content;
  return { toolUseId: tool_use_id, ...rest, content: blocks };
}

function blockFromQ(value: unknown): unknown {
  const [kind, inner] = isObject(value) ? (onlyField(value) ?? []) : [];
  if (kind === 'Text') return { text: inner };
  return kind === 'Json' ? { json: inner } : value;
}

function useFromQ(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { orig_name, orig_args, ...rest } = value;
  return withoutNulls({ ...rest, origName: orig_name, origArgs: orig_args });
}

function toolFromQ(value: unknown): unknown {
  const [kind, tool] = isObject(value) ? (onlyField(value) ?? []) : [];
  if (kind !== 'ToolSpecification' || !isObject(tool)) return value;
  const { input_schema, ...rest } = tool;
  return withoutNulls({ ...rest, inputSchema: input_schema });
}

function onlyField(object: ClientObject): readonly [string, unknown] | undefined {
  const fields = Object.entries(object);
  return fields.length === 1 ? fields[0] : undefined;
}

/** Removes fields that are null, because our documents omit them. */
function withoutNulls(object: ClientObject): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== null && value !== undefined),
  );
}
