// A diff as it is said: to a pipe or a file a patch, byte for byte; to a terminal text for people.
import type { CheckpointDiffParams, DiffFile } from '../protocol/types.ts';
import { exits, type Task } from './command.ts';
import { readableLines, visible } from './readable-lines.ts';
import { CommandRefusal } from './refusal.ts';
import { paint, plain, say, sayAll, sayBytes } from './terminal.ts';

/** What is compared. */
export type Compared = Omit<CheckpointDiffParams, 'session' | 'format'>;

/** Says a diff. @throws CommandRefusal for a patch that is too large */
export function sayDiff(task: Task, compared: Compared): Promise<void> {
  return process.stdout.isTTY ? sayParts(task, compared) : sayPatch(task, compared);
}

/** Says a patch that `git apply` takes. One that had to be cut is none, so nothing of it is said. */
async function sayPatch({ ask }: Task, compared: Compared): Promise<void> {
  const result = await ask('checkpoint/diff', { ...compared, format: 'unified', binary: true });
  if (result.truncated === true) {
    const fact = 'the patch is too large to be made at once';
    throw new CommandRefusal(
      'LimitExceeded',
      fact,
      'Ask for fewer paths, one after the other.',
      exits.failed,
    );
  }
  await sayBytes(Buffer.from(result.text ?? '', result.encoding === 'base64' ? 'base64' : 'utf8'));
}

/** Says each file by itself: one that is not UTF-8 changes nothing for the others. */
async function sayParts({ ask, paths }: Task, compared: Compared): Promise<void> {
  const result = await ask('checkpoint/diff', { ...compared, format: 'unified', perFile: true });
  for (const file of result.files) await sayAll(partLines(file, paths.toShow(file.path)));
  if (result.truncated === true) say('… more than is shown; ask for fewer paths');
}

/** The lines of one file, in colour where colour is wanted. `shown` names it to a person. */
export function* partLines(file: Pick<DiffFile, 'unified' | 'encoding'>, shown: string): Generator<string> {
  if (file.unified === undefined) {
    yield paint('bold', `${plain(shown)}: too large to be shown`);
    return;
  }
  const bytes = Buffer.from(file.unified, file.encoding === 'base64' ? 'base64' : 'utf8');
  const { lines, encoding } = readableLines(bytes);
  let isHeader = true;
  for (const line of lines) {
    if (isHeader && line.startsWith('@@')) {
      isHeader = false;
      if (encoding !== undefined) yield paint('bold', `(not UTF-8: read as ${encoding})`);
    }
    if (line !== '') yield isHeader ? paint('bold', visible(line)) : coloured(visible(line));
  }
}

function coloured(line: string): string {
  if (line.startsWith('+')) return paint('green', line);
  if (line.startsWith('-')) return paint('red', line);
  return line.startsWith('@@') ? paint('cyan', line) : line;
}
