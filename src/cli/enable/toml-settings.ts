// Adds hooks to a TOML settings file, or removes hooks from the file. The hooks are one block between two comments at
// the end of the file, so that the rest of the file stays unchanged. This module checks each edit by parsing the whole
// file before and after the edit.
import { isDeepStrictEqual } from 'node:util';
import { parse, TomlError } from 'smol-toml';
import { applied, type Change, keepingMark, type Settings } from './settings.ts';

const begin = '# checkpointd: begin (checkpointd disable removes this)';
const end = '# checkpointd: end';

interface TomlHooks {
  readonly file: string;
  readonly events: readonly string[];
  readonly command: string;
  readonly timeoutSeconds: number;
  readonly hint?: string | undefined;
}

export function tomlSettings({ file, hint, ...hooks }: TomlHooks): Settings {
  const block = blockOf(hooks);
  return keepingMark({
    file,
    add: (text) => add(block, text ?? ''),
    remove,
    events: hooks.events,
    hint,
  });
}

/** True when the text contains hooks. Undefined when the text cannot be parsed. */
export function hasHooks(text: string): boolean | undefined {
  const value = parsed(text.replace(/^\uFEFF/, ''));
  if (value instanceof TomlError) return undefined;
  const { hooks } = value;
  return typeof hooks === 'object' && hooks !== null && Object.keys(hooks).some((key) => key !== 'state');
}

function blockOf({ events, command, timeoutSeconds }: Omit<TomlHooks, 'file' | 'hint'>): string {
  const tables = events.map(
    (event) =>
      `[[hooks.${event}]]\n[[hooks.${event}.hooks]]\ntype = "command"\ncommand = ${JSON.stringify(command)}\ntimeout = ${timeoutSeconds}\n`,
  );
  return `${begin}\n${tables.join('\n')}${end}\n`;
}

function add(block: string, text: string): Change {
  const without = remove(text);
  if ('left' in without) return without;
  const rest = without.text ?? '';
  const gap = rest === '' ? '' : rest.endsWith('\n') ? '\n' : '\n\n';
  const made = `${rest}${gap}${block}`;
  if (made === text) return { text, edits: [] };
  const value = parsed(made);
  const before = parsed(rest);
  if (value instanceof TomlError || before instanceof TomlError)
    return {
      left: 'the file defines hooks in a form that checkpointd cannot extend. Write each hook as a [[hooks.…]] table and run the command again',
    };
  if (rest !== text) return { text: made };
  return { text: made, edits: [{ offset: text.length, length: 0, content: `${gap}${block}` }] };
}

function remove(text: string): Change {
  const whole = parsed(text);
  if (whole instanceof TomlError) {
    const [what = ''] = whole.message.split('\n');
    return { left: `the file is not TOML at line ${whole.line}, column ${whole.column}: ${what}` };
  }
  const from = text.indexOf(`${begin}\n`);
  const to = text.indexOf(`${end}\n`, from);
  if (from === -1 || to === -1) return { text, edits: [] };
  // The removed part includes the empty line in front of the block.
  const start = text.slice(0, from).endsWith('\n\n') ? from - 1 : from;
  const edits = [{ offset: start, length: to + end.length + 1 - start, content: '' }];
  const rest = applied(text, edits);
  const after = parsed(rest);
  const isSame =
    !(after instanceof TomlError) &&
    isDeepStrictEqual({ ...whole, hooks: undefined }, { ...after, hooks: undefined });
  return isSame
    ? { text: rest, edits }
    : {
        left: 'the file has other settings between the two comments of checkpointd. Move these settings out and run the command again',
      };
}

function parsed(text: string): Readonly<Record<string, unknown>> | TomlError {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof TomlError) return error;
    throw error;
  }
}
