// The common differ of all stores. The differ compares two trees that git can read. The differ returns git's own
// output, so every strategy gives the same diff. The differ runs no program from the user's configuration (no
// external differ, no text conversion). The differ's statistics decide which paths count as modified.
import { CheckpointdError, isKind } from '../../base/errors.ts';
import { bytesOf, isText, rootPath, type TreePath, toText } from '../../tree/tree-path.ts';
import type { GitPlace } from '../process/environment.ts';
import { runGit } from '../process/run.ts';
import { diffArguments, diffSettings, type TreeDiffer } from './tree-differ.ts';

/** Two trees in the object store of a git directory. */
export interface DiffTrees {
  readonly gitDir: string;
  readonly from: string;
  readonly to: string;
  /** A git process that keeps running for this git directory. When absent, each comparison starts a git process. */
  readonly differ?: TreeDiffer;
}

export interface DiffOptions {
  /** Restricts the comparison to these files and directories. Git does not treat the paths as patterns. */
  readonly paths?: readonly TreePath[] | undefined;
  /** The number of context lines in {@link unifiedText}. Default: 3. */
  readonly context?: number;
  /** The maximum length of {@link unifiedText} that the caller needs, in bytes. The result may be longer. */
  readonly textBytesMax?: number;
  /**
   * True to include the changes of binary files in {@link unifiedText}. By default one line says that the files differ.
   */
  readonly binary?: boolean | undefined;
  readonly signal?: AbortSignal;
}

/**
 * `git merge` and `git diff` have different limits for finding renames. These arguments set the limits of the merge.
 */
const mergeDiffArguments: readonly string[] = [
  'diff-tree',
  '-r',
  '-M50%',
  '-l7000',
  '--no-rename-empty',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--diff-filter=R',
  '--raw',
  '-z',
];

/** Git's letters: added, modified, deleted, renamed, copied, type changed. */
export type DiffStatus = 'A' | 'M' | 'D' | 'R' | 'C' | 'T';

export interface DiffItem {
  readonly status: DiffStatus;
  readonly path: TreePath;
  /** The source of a renamed or copied file. */
  readonly from?: TreePath;
  /** The similarity of the two files in percent, for a rename or copy. */
  readonly score?: number;
}

/** How many lines were added and how many were removed. Undefined for a binary file. */
export interface LineCount {
  readonly path: TreePath;
  readonly from?: TreePath;
  readonly added: number | undefined;
  readonly removed: number | undefined;
}

export interface Comparison {
  readonly items: readonly DiffItem[];
  readonly counts: readonly LineCount[];
}

/** Returns the paths that differ, with the renames that git finds by default. */
export async function nameStatus(trees: DiffTrees, options: DiffOptions = {}): Promise<readonly DiffItem[]> {
  return (await records(trees, ['--raw', '-z'], options)).items;
}

/**
 * Returns the paths that differ, and how many lines were added and removed at each path. Git has to read the contents
 * to count lines.
 */
export function compare(trees: DiffTrees, options: DiffOptions = {}): Promise<Comparison> {
  return records(trees, comparison, options);
}

const comparison: readonly string[] = ['--raw', '--numstat', '-z'];

/**
 * Returns the output of `git diff --stat`, 80 columns wide. The result is bytes, because some names are not valid text.
 */
export async function statText(trees: DiffTrees, options: DiffOptions = {}): Promise<Buffer> {
  return Buffer.concat(await outputs(trees, ['--stat=80'], options));
}

/** Returns the unified text of `git diff`. The result is bytes, because some contents are not valid text. */
export async function unifiedText(trees: DiffTrees, options: DiffOptions = {}): Promise<Buffer> {
  return Buffer.concat(await outputs(trees, textFormat(options), options, options.textBytesMax));
}

function textFormat({ binary, context = 3 }: DiffOptions): string[] {
  return ['-p', ...(binary === true ? ['--binary'] : []), `--unified=${context}`];
}

/** Git writes the records of a comparison before its text. These bytes are enough for the records of 80,000 files. */
const recordsBytesUsual = 16 << 20;

/**
 * Returns {@link compare} and {@link unifiedText} from one git process. Needs a process for each only if a limit for the
 * text is given and the records exceed `recordsBytesMax`.
 */
export async function compareTexts(
  trees: DiffTrees,
  options: DiffOptions = {},
  recordsBytesMax: number = recordsBytesUsual,
): Promise<Comparison & { readonly text: Buffer }> {
  const { textBytesMax = Number.POSITIVE_INFINITY } = options;
  const format = [...comparison, ...textFormat(options)];
  const all = await outputs(trees, format, options, textBytesMax + recordsBytesMax);
  const parts = all.map((bytes) => ({ bytes, ...readRecords(bytes) }));
  if (parts.some(({ bytes, textAt }) => bytes.length > 0 && textAt === undefined))
    return { ...(await compare(trees, options)), text: await unifiedText(trees, options) };
  const text = Buffer.concat(parts.map(({ bytes, textAt }) => bytes.subarray(textAt)));
  return { ...joined(parts), text };
}

/**
 * Returns the renames that git's merge finds between two trees: files with equal or similar content, except empty
 * files.
 */
export async function renamesBetween(
  { gitDir, from, to }: DiffTrees,
  signal?: AbortSignal,
): Promise<ReadonlyMap<TreePath, TreePath>> {
  const place: GitPlace = { gitDir, settings: diffSettings };
  const args = [...mergeDiffArguments, from, to];
  const { stdout } = await runGit({ place, args, signal }).catch((error: unknown) => {
    throw isDamage(error) ? damaged(error) : error;
  });
  const { items } = readRecords(stdout);
  return new Map(
    items.flatMap(({ status, path, from: old }) =>
      status === 'R' && old !== undefined ? [[old, path]] : [],
    ),
  );
}

async function records(
  trees: DiffTrees,
  format: readonly string[],
  options: DiffOptions,
): Promise<Comparison> {
  return joined((await outputs(trees, format, options)).map(readRecords));
}

function joined(parts: readonly Comparison[]): Comparison {
  return {
    items: parts.flatMap(({ items }) => items),
    counts: parts.flatMap(({ counts }) => counts),
  };
}

/**
 * Returns git's output, if possible from the running process. If paths are given, always starts new git processes,
 * because git accepts paths only as arguments. Then there is one output for each portion of the paths.
 */
async function outputs(
  trees: DiffTrees,
  format: readonly string[],
  options: DiffOptions,
  bytesMax?: number,
): Promise<Buffer[]> {
  const { from, to, differ } = trees;
  if (from === to) return [];
  if (options.paths !== undefined || differ === undefined) return diff(trees, format, options);
  const asked = await differ.ask(format, from, to, options.signal, bytesMax);
  return asked === undefined ? diff(trees, format, options) : [asked];
}

/**
 * Parses records whose fields end in NULs. Git writes `:modes ids letter NUL path NUL` for every path that differs.
 * After these records, git writes `added TAB removed TAB path NUL` for every path. A rename has two paths. In the
 * second record of a rename, an empty path precedes the two paths. If a text follows the records, a further NUL
 * precedes the text.
 */
function readRecords(bytes: Buffer): Comparison & { readonly textAt: number | undefined } {
  const end = bytes.indexOf('\0\0diff --git ');
  const parts = bytes.toString('latin1', 0, end < 0 ? bytes.length : end + 1).split('\0') as TreePath[];
  const items: DiffItem[] = [];
  const counts: LineCount[] = [];
  for (let at = 0; at + 1 < parts.length; ) {
    const head: string = parts[at] ?? '';
    const [first, second] = [parts[at + 1], parts[at + 2]];
    if (head.startsWith(':')) {
      const word = head.slice(head.lastIndexOf(' ') + 1);
      const status = word.slice(0, 1) as DiffStatus;
      const isPair = status === 'R' || status === 'C';
      if (isPair)
        items.push({
          status,
          path: second ?? rootPath,
          from: first ?? rootPath,
          score: Number(word.slice(1)),
        });
      else items.push({ status, path: first ?? rootPath });
      at += isPair ? 3 : 2;
      continue;
    }
    const [added = '', removed = '', ...name] = head.split('\t');
    const count = { added: lines(added), removed: lines(removed) };
    const path = name.join('\t') as TreePath;
    if (path === '') counts.push({ path: second ?? rootPath, from: first ?? rootPath, ...count });
    else counts.push({ path, ...count });
    at += path === '' ? 3 : 1;
  }
  return { items, counts, textAt: end < 0 ? undefined : end + 2 };
}

async function diff(trees: DiffTrees, format: readonly string[], options: DiffOptions): Promise<Buffer[]> {
  const place: GitPlace = { gitDir: trees.gitDir, settings: diffSettings };
  const found: Buffer[] = [];
  for (const paths of portions(options.paths)) {
    const args = [...diffArguments, ...format, trees.from, trees.to, '--', ...paths];
    const run = await runGit({ place, args, signal: options.signal }).catch((error: unknown) => {
      throw isDamage(error) ? damaged(error) : error;
    });
    found.push(run.stdout);
  }
  return found;
}

/** True when git failed because of the compared objects. False when git failed because of the arguments. */
function isDamage(error: unknown): error is CheckpointdError {
  if (!isKind('GitFailed')(error)) return false;
  return /corrupt|unpack|mismatch|unable to (find|read)|bad (object|tree)|cannot (read|find)/.test(
    error.message,
  );
}

function damaged(cause: CheckpointdError): CheckpointdError {
  return new CheckpointdError(
    'DataCorrupt',
    'A file or directory of the comparison is missing from the checkpoint store, or is damaged. Run store/verify to see which checkpoints are affected.',
    { details: { ...cause.details }, cause },
  );
}

/**
 * Splits path arguments into portions that are short enough for a command line. If a rename's two paths are in
 * different portions, the rename appears as an added and a deleted file.
 */
function portions(paths: readonly TreePath[] | undefined): string[][] {
  if (paths === undefined) return [[]];
  const list: string[][] = [];
  for (let at = 0; at < paths.length; at += 200) {
    list.push(paths.slice(at, at + 200).flatMap(pathspecs));
  }
  return list;
}

/**
 * Returns the arguments that name a path. Arguments are text, so a name that is not UTF-8 becomes a pattern with `?`
 * for each byte above 127. The pattern may also match another path that differs only in these bytes. In this case, the
 * result contains the other path, too.
 */
function pathspecs(path: TreePath): string[] {
  if (path === '') return ['.'];
  if (isText(path)) return [`:(literal)${toText(path)}`];
  let pattern = '';
  for (const byte of bytesOf(path)) {
    const character = String.fromCharCode(byte);
    pattern += byte > 0x7f ? '?' : /[*?[\\]/.test(character) ? `\\${character}` : character;
  }
  return [`:(glob)${pattern}`, `:(glob)${pattern}/**`];
}

function lines(text: string): number | undefined {
  return text === '-' ? undefined : Number(text);
}

// Quotes a path like git. If the path contains characters that would fake a line or end a quote, writes it in quotes
// with escapes. A path without such characters stays unchanged. Bytes above 127 stay unchanged, because every git call
// of the daemon sets core.quotePath=false.

const letters: Readonly<Record<string, string>> = {
  '\u0007': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\u000b': 'v',
  '\f': 'f',
  '\r': 'r',
  '"': '"',
  '\\': '\\',
};

/** Returns the latin1 bytes of a path for a text. `prefix` is git's `a/` or `b/`. */
export function quotedPath(path: TreePath, prefix = ''): string {
  const text = `${prefix}${path}`;
  let escaped = '';
  for (const character of text) escaped += escapeOf(character) ?? character;
  return escaped === text ? text : `"${escaped}"`;
}

function escapeOf(character: string): string | undefined {
  const letter = letters[character];
  if (letter !== undefined) return `\\${letter}`;
  const code = character.charCodeAt(0);
  return code < 0x20 || code === 0x7f ? `\\${code.toString(8).padStart(3, '0')}` : undefined;
}
