// Adds hooks to a JSON settings file, and removes hooks. The file may have comments. An edit changes only our hooks and
// keeps comments, order and layout. This module refuses an edit that would also
// change other settings.
import { isDeepStrictEqual } from 'node:util';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { isObject, type JsonObject } from '../../base/json.ts';
import { JsonDraft } from './json-draft.ts';
import { type Change, isOurs, keepingMark, placeIn, type Settings } from './settings.ts';

interface JsonHooks {
  readonly agent: string;
  readonly file: string;
  /** True when the agent accepts comments in its settings. */
  readonly comments: boolean;
  /** The fields at the beginning of a new file, such as a version. */
  readonly base: JsonObject;
  /** For each event, the item to add to the event's list: a group with `hooks`, or the handler itself. */
  readonly entries: Readonly<Record<string, JsonObject>>;
  readonly hint?: string | undefined;
}

export function jsonSettings(hooks: JsonHooks): Settings {
  const { file, hint } = hooks;
  return keepingMark({
    file,
    add: (text) => add(hooks, text),
    remove: (text) => remove(hooks, text),
    events: Object.keys(hooks.entries),
    hint,
  });
}

function add(hooks: JsonHooks, text: string | undefined): Change {
  const { agent, base, entries } = hooks;
  if (text === undefined || text.trim() === '') {
    const made = { ...base, hooks: mapped(entries, (entry) => [entry]) };
    const content = `${JSON.stringify(made, null, 2)}\n`;
    // "disable" uses the recorded edits to make the file empty again.
    return { text: content, edits: [{ offset: 0, length: text?.length ?? 0, content }] };
  }
  const complaint = complaintAbout(hooks, text);
  if (complaint !== undefined) return { left: complaint };
  const draft = new JsonDraft(text);
  for (const [key, value] of Object.entries(base))
    if (!Object.hasOwn(draft.value as JsonObject, key)) draft.insert([key], value);
  if ((draft.value as JsonObject)['hooks'] === undefined) draft.insert(['hooks'], {});
  for (const [event, entry] of Object.entries(entries)) {
    const list = listOf(draft.value, event);
    const ours = list.findIndex((each) => handlersOf(each).some((handler) => isOurs(agent, handler)));
    if (!Object.hasOwn((draft.value as { readonly hooks: JsonObject }).hooks, event))
      draft.insert(['hooks', event], [entry]);
    else if (ours === -1) draft.insert(['hooks', event, list.length], entry);
    else if (!isDeepStrictEqual(list[ours], entry) && handlersOf(list[ours]).length === 1)
      draft.replace(['hooks', event, ours], entry);
  }
  return checked(hooks, text, draft);
}

function remove(hooks: JsonHooks, text: string): Change {
  if (text.trim() === '') return { text, edits: [] };
  const complaint = complaintAbout(hooks, text);
  if (complaint !== undefined) return { left: complaint };
  const draft = new JsonDraft(text);
  const { hooks: table = {} } = draft.value as { readonly hooks?: JsonObject };
  for (const event of Object.keys(table)) removeFrom(draft, hooks.agent, event);
  const isEmptied = draft.edits.length > 0 && isDeepStrictEqual((draft.value as JsonObject)['hooks'], {});
  if (isEmptied) draft.remove(['hooks']);
  return checked(hooks, text, draft);
}

function removeFrom(draft: JsonDraft, agent: string, event: string): void {
  const list = listOf(draft.value, event);
  let left = list.length;
  for (const [index, entry] of [...list.entries()].reverse()) {
    const handlers = handlersOf(entry);
    const ours = handlers.flatMap((handler, at) => (isOurs(agent, handler) ? [at] : []));
    if (ours.length === 0) continue;
    if (ours.length === handlers.length) {
      draft.remove(['hooks', event, index]);
      left -= 1;
    } else for (const at of ours.reverse()) draft.remove(['hooks', event, index, 'hooks', at]);
  }
  if (left === 0 && list.length > 0) draft.remove(['hooks', event]);
}

/** Checks that the edit changes only our hooks. An edit may change more if, for example, a key occurs twice. */
function checked({ agent }: JsonHooks, before: string, draft: JsonDraft): Change {
  const isSame = isDeepStrictEqual(withoutOurs(agent, parse(before)), withoutOurs(agent, draft.value));
  const kept = [...before.matchAll(/^\s*\/\/.*$/gm)]
    .map(([line]) => line.trim())
    .every((comment) => draft.text.includes(comment));
  if (!isSame || !kept)
    return { left: 'the edit would also change settings that are not hooks of checkpointd' };
  return { text: draft.text, edits: draft.edits };
}

function complaintAbout({ comments }: JsonHooks, text: string): string | undefined {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: false, disallowComments: !comments });
  const [error] = errors;
  if (error !== undefined) {
    const place = placeIn(text, error.offset);
    if (printParseErrorCode(error.error) === 'InvalidCommentToken')
      return `the file has a comment at ${place}, but the settings of this agent must be JSON without comments. Remove the comment and run the command again`;
    const what = comments ? 'JSON with comments' : 'JSON';
    return `the file is not valid ${what} at ${place}. Correct the file and run the command again`;
  }
  if (!isObject(value)) return 'the file does not contain a JSON object';
  const { hooks } = value;
  if (hooks !== undefined && !isObject(hooks)) return 'the value of "hooks" in the file is not an object';
  if (isObject(hooks) && Object.entries(hooks).some(([name, each]) => isKnown(name) && !Array.isArray(each)))
    return 'the hooks of an event in the file are not a list';
  return undefined;
}

/** True for the name of an event. The object may also have other settings with any value, such as a switch. */
function isKnown(event: string): boolean {
  return /^[A-Za-z]+(Start|End|Submit|Agent|Tool|Use|Failure|Prompt)$/.test(event);
}

function withoutOurs(agent: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  const { hooks, version: _, ...rest } = value;
  if (!isObject(hooks)) return rest;
  const others = mapped(hooks, (list) =>
    Array.isArray(list)
      ? list.map((entry) => othersIn(agent, entry)).filter((each) => each !== undefined)
      : list,
  );
  const left = Object.entries(others).filter(([, list]) => !Array.isArray(list) || list.length > 0);
  return left.length === 0 ? rest : { ...rest, hooks: Object.fromEntries(left) };
}

function othersIn(agent: string, entry: unknown): unknown {
  const handlers = handlersOf(entry);
  const others = handlers.filter((handler) => !isOurs(agent, handler));
  if (others.length === handlers.length) return entry;
  return others.length === 0 ? undefined : { ...(entry as JsonObject), hooks: others };
}

function listOf(value: unknown, event: string): readonly unknown[] {
  const { hooks } = value as { readonly hooks?: JsonObject };
  const list = hooks !== undefined && Object.hasOwn(hooks, event) ? hooks[event] : undefined;
  return Array.isArray(list) ? list : [];
}

function handlersOf(entry: unknown): readonly unknown[] {
  const { hooks } = isObject(entry) ? entry : {};
  return Array.isArray(hooks) ? hooks : [entry];
}

function mapped<T>(
  fields: Readonly<Record<string, T>>,
  make: (value: T) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, make(value)]));
}
