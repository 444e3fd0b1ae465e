// What a checkpoint is called when its maker does not say: one line, which is the commit's subject as well. Cuts bytes,
// because git's subject line and a terminal's row are what it must fit.
import { oneLine } from '../base/text/one-line.ts';

const bytesMax = 60;

/** The line cut at 60 bytes: at a space (else a character), with `...`, so at most 63 bytes. */
function cut(text: string): string {
  const line = oneLine(text);
  // 61 UTF-16 units are more than 60 bytes, so the rest of a long message need not be encoded.
  const bytes = Buffer.from(line.slice(0, bytesMax + 1), 'utf8');
  if (bytes.length <= bytesMax) return line;
  let end = bytesMax;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  const head = bytes.toString('utf8', 0, end);
  const space = head.lastIndexOf(' ');
  return `${space < 0 ? head : head.slice(0, space)}...`;
}

/** A turn is called by the user's message; its checkpoint is made at its start, and without a message says so. */
export function describeTurn(message: string): string {
  return cut(message) || 'Turn started';
}

/** What is known of a tool that has run. */
export interface ToolRun {
  readonly name: string | undefined;
  /** What it did, in words; '' when nobody said. */
  readonly message: string;
  /** Whether files differ from what the session stood on. */
  readonly hasChanges: boolean;
}

/**
 * A tool is called by what it did, else by its name. Where a tool that only reads finds changes, somebody else made
 * them, and the checkpoint says that.
 */
export function describeTool({ name, message, hasChanges }: ToolRun): string {
  if (hasChanges && name !== undefined && onlyReads(name)) {
    return 'External edits detected (likely manual change)';
  }
  const said = cut(message);
  if (said !== '') return said;
  return name === undefined || oneLine(name) === '' ? 'Tool completed' : `Tool: ${oneLine(name)}`;
}

/** Names that agents give the tool that reads files: `fs_read`, `read_file`, `readFile`, `Read`. */
function onlyReads(name: string): boolean {
  return ['fsread', 'read', 'readfile'].includes(name.replace(/[^a-z]/gi, '').toLowerCase());
}
