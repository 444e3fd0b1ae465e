// Decides which paths of a snapshot are not sent when the session is pushed, and makes the tree without these paths.
// Checks names, permissions and the rules of the capture, and searches contents for secrets. This module sends nothing.
import { createHash } from 'node:crypto';
import type { BlobId } from '../base/ids.ts';
import { Slices } from '../base/slices.ts';
import type { CaptureRules, Contents } from '../store/snapshot-store.ts';
import { Globs } from '../tree/globs.ts';
import { type Directory, type Entry, type FileNode, isDirectory, isLink } from '../tree/tree.ts';
import { ancestors, join, rootPath, type TreePath } from '../tree/tree-path.ts';
import { scannedBytesMax, secretIn } from './secrets.ts';

/** The reason why a path is not sent, in the words of the protocol. */
export type StayReason = 'leftOut' | 'pattern' | 'strictMode' | 'included' | 'secret' | 'earlier';

export interface LeftPath {
  readonly path: TreePath;
  readonly because: StayReason;
  /** The name of the rule that found a secret. */
  readonly rule?: string;
}

/** Patterns for the names of files that usually contain secrets. */
const secretNames: readonly string[] = [
  '.env*',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.jks',
  '*.keystore',
  '*.kdbx',
  '*.ppk',
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519',
  '.netrc',
  '.pgpass',
  '.pypirc',
  '.git-credentials',
  '.htpasswd',
  '.ssh/',
  '.aws/',
  '.gnupg/',
];

/**
 * The choices of one push. `send`: globs for paths to send, although they are not sent by default. `leaveOut`: globs
 * for other paths not to send.
 */
export interface SendChoices {
  readonly send: readonly string[];
  readonly leaveOut: readonly string[];
}

/**
 * Returns an id that is computed from the choices. If a later push has the same id, the earlier decisions are still
 * valid.
 */
export function choicesId({ send, leaveOut }: SendChoices): string {
  const text = JSON.stringify([1, secretNames, [...send].sort(), [...leaveOut].sort()]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

interface SentTree {
  readonly root: Directory;
  readonly left: readonly LeftPath[];
}

type Matcher = (path: TreePath, isDirectory: boolean) => boolean;

export class LeftBehind {
  readonly #contents: Contents;
  readonly #send: Matcher;
  readonly #leaveOut: Matcher;
  readonly #patterns: Matcher;
  /**
   * The result of the scan of each content: the name of the rule that found a secret, or '' when there is no secret.
   */
  readonly #scanned = new Map<BlobId, string>();

  constructor(contents: Contents, { send, leaveOut }: SendChoices) {
    this.#contents = contents;
    this.#send = matcher(send);
    this.#leaveOut = matcher(leaveOut);
    this.#patterns = matcher(secretNames);
  }

  /**
   * Returns the tree to send, and the paths that are not sent. A directory that is sent completely is the same object
   * as in the snapshot.
   */
  async treeToSend(root: Directory, rules: CaptureRules, signal?: AbortSignal): Promise<SentTree> {
    const found: FoundFile[] = [];
    await this.#walk(
      root,
      rootPath,
      { include: matcher(rules.include ?? []), found, slices: new Slices(signal) },
      {},
    );
    await this.#scan(found, signal);
    const left = new Map<TreePath, LeftPath>();
    for (const { path, node, because, isNamed } of found) {
      const rule = isNamed ? '' : (this.#scanned.get(node.blob) ?? '');
      if (because !== undefined) left.set(path, { path, because });
      else if (rule !== '') left.set(path, { path, because: 'secret', rule });
    }
    if (left.size === 0) return { root, left: [] };
    return without(root, left);
  }

  /**
   * True when all these files may be sent. The caller passes all files in which a tree differs from an earlier tree
   * that was sent completely.
   */
  async goWhole(files: readonly Entry[], rules: CaptureRules, signal?: AbortSignal): Promise<boolean> {
    const include = matcher(rules.include ?? []);
    const found: FoundFile[] = [];
    for (const { path, ...node } of files) {
      const places: readonly (readonly [TreePath, boolean])[] = [
        [path, false],
        ...ancestors(path).map((directory) => [directory, true] as const),
      ];
      const matches = (matching: Matcher): boolean => places.some((place) => matching(...place));
      const isNamed = matches(this.#send);
      if (matches(this.#leaveOut)) return false;
      if (!isNamed && (matches(this.#patterns) || matches(include) || isStrict(node))) return false;
      found.push({ path, node, isNamed });
    }
    await this.#scan(found, signal);
    return found.every(({ node, isNamed }) => isNamed || (this.#scanned.get(node.blob) ?? '') === '');
  }

  /**
   * Records that the contents of a tree were sent before and need no scan. `idOf` returns the id that this store uses
   * for a content.
   */
  recordSent(root: Directory, idOf: (blob: BlobId) => BlobId | undefined): void {
    for (const node of root.entries.values()) {
      if (isDirectory(node)) this.recordSent(node, idOf);
      else {
        const blob = idOf(node.blob);
        if (blob !== undefined && !this.#scanned.has(blob)) this.#scanned.set(blob, '');
      }
    }
  }

  async #walk(
    directory: Directory,
    at: TreePath,
    walk: { readonly include: Matcher; readonly found: FoundFile[]; readonly slices: Slices },
    above: { readonly because?: StayReason | undefined; readonly isNamed?: boolean },
  ): Promise<void> {
    for (const [name, node] of directory.entries) {
      if (walk.slices.isDue()) await walk.slices.pause();
      const path = join(at, name);
      const isNamed = above.isNamed === true || this.#send(path, isDirectory(node));
      const own = this.#leaveOut(path, isDirectory(node)) ? 'leftOut' : undefined;
      const because =
        own ?? (isNamed ? undefined : (above.because ?? this.#reasonOf(path, node, walk.include)));
      const inherited = { isNamed, because };
      if (isDirectory(node)) await this.#walk(node, path, walk, inherited);
      else walk.found.push({ path, node, ...inherited });
    }
  }

  #reasonOf(path: TreePath, node: FileNode | Directory, include: Matcher): StayReason | undefined {
    if (this.#patterns(path, isDirectory(node))) return 'pattern';
    if (isStrict(node)) return 'strictMode';
    return include(path, isDirectory(node)) ? 'included' : undefined;
  }

  /** Scans the contents of the files to send. Skips contents that were scanned before. */
  async #scan(found: readonly FoundFile[], signal: AbortSignal | undefined): Promise<void> {
    const wanted = found.filter(
      ({ node, because, isNamed }) =>
        because === undefined && !isNamed && !isLink(node) && !this.#scanned.has(node.blob),
    );
    const blobs = [...new Set(wanted.map(({ node }) => node.blob))];
    const sizes = await this.#contents.sizes(blobs);
    const small = blobs.filter((_, i) => (sizes[i] ?? -1) >= 0 && (sizes[i] ?? 0) <= scannedBytesMax);
    const work = async (): Promise<void> => {
      for (let blob = small.pop(); blob !== undefined; blob = small.pop()) {
        signal?.throwIfAborted();
        const parts: Uint8Array[] = [];
        for await (const part of this.#contents.read(blob)) parts.push(part);
        this.#scanned.set(blob, secretIn(Buffer.concat(parts)) ?? '');
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
  }
}

interface FoundFile {
  readonly path: TreePath;
  readonly node: FileNode;
  readonly because?: StayReason | undefined;
  readonly isNamed: boolean;
}

/**
 * True when the group or other users must not read the file. Such a file is meant only for some users of this machine.
 */
function isStrict({ permissions }: FileNode | Directory): boolean {
  return permissions !== undefined && (permissions & 0o044) !== 0o044;
}

function matcher(patterns: readonly string[]): Matcher {
  const globs = new Globs(patterns);
  return globs.isEmpty ? () => false : (path, isDirectoryThere) => globs.matches(path, isDirectoryThere);
}

/**
 * Returns the tree without these files, and the list of the paths that are not sent. If a directory becomes empty, the
 * list contains the directory instead of its files.
 */
function without(root: Directory, left: ReadonlyMap<TreePath, LeftPath>): SentTree {
  const names: LeftPath[] = [];
  const strip = (
    directory: Directory,
    at: TreePath,
  ): { readonly kept?: Directory; readonly left: LeftPath[] } => {
    const entries: Directory['entries'] = new Map();
    const here: LeftPath[] = [];
    let isChanged = false;
    for (const [name, node] of directory.entries) {
      const path = join(at, name);
      if (isDirectory(node)) {
        const below = strip(node, path);
        here.push(...below.left);
        if (below.kept !== undefined) entries.set(name, below.kept);
        isChanged ||= below.kept !== node;
        continue;
      }
      const stays = left.get(path);
      if (stays === undefined) entries.set(name, node);
      else here.push(stays);
      isChanged ||= stays !== undefined;
    }
    if (!isChanged) return { kept: directory, left: [] };
    const first = here[0];
    // If nothing in a directory is sent, makes one entry for the directory, because a build directory has thousands of
    // files.
    if (entries.size === 0 && at !== rootPath && first !== undefined)
      return { left: [{ ...first, path: at }] };
    const { permissions } = directory;
    return { kept: { entries, permissions }, left: here };
  };
  const stripped = strip(root, rootPath);
  names.push(...stripped.left);
  return { root: stripped.kept ?? { entries: new Map() }, left: names };
}
