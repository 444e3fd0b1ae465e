// Encodes and decodes git's binary form of one directory. Git's own tools accept bad names (`.git`, `..`, empty and
// repeated names) and odd modes. This module never writes such names and modes, and rejects them when another program
// has put them into a store.
import { CheckpointdError } from '../../base/errors.ts';
import { invariant } from '../../base/invariant.ts';
import { Slices, sortedByKey } from '../../base/slices.ts';
import { byBytes, isGitName } from '../../tree/tree-path.ts';

/**
 * The modes in the trees of the daemon. No entry is a gitlink (160000), because captures treat nested repositories as
 * ordinary directories.
 */
type TreeMode = '100644' | '100755' | '120000' | '040000';

/** One name in a tree. `name` is latin1 bytes, `id` 40 hexadecimal digits. */
export interface TreeItem {
  readonly name: string;
  readonly mode: TreeMode;
  readonly id: string;
}

/** The tree without entries. Git knows this tree without an object in the repository. */
export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** True for a valid name in a tree: one path part, and never git's own directory. */
function isTreeName(name: string): boolean {
  if (name === '' || name === '.' || name === '..' || isGitName(name)) return false;
  return !name.includes('/') && !name.includes('\0');
}

/**
 * Encodes a directory. The items may be in any order.
 *
 * A directory on disk never contains an invalid name, or the same name twice. Therefore such a name, or a malformed id,
 * is a defect of the caller.
 */
export async function encodeTree(items: readonly TreeItem[], slices = new Slices()): Promise<Buffer> {
  const sorted = await sortedByKey(items, sortKey, slices);
  const seen = new Set<string>();
  let size = 0;
  for (const item of sorted) {
    if (slices.isDue()) await slices.pause();
    const isGood = isTreeName(item.name) && !seen.has(item.name) && item.id.length === 40;
    // Builds the message only for a bad item, because building a message takes longer than the check.
    if (!isGood)
      invariant(
        false,
        `a tree has an invalid name, a name twice, or an id that is not SHA-1: ${JSON.stringify(item)}`,
      );
    seen.add(item.name);
    size += storedMode(item.mode).length + item.name.length + 22;
  }
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const item of sorted) {
    if (slices.isDue()) await slices.pause();
    at += bytes.write(`${storedMode(item.mode)} ${item.name}\0`, at, 'latin1');
    at += bytes.write(item.id, at, 20, 'hex');
  }
  invariant(at === size, 'a tree is longer or shorter than its entries');
  return bytes;
}

/**
 * Decodes a directory in its stored order, and yields between slices when the directory is very large.
 * @throws StoreCorrupt for truncated bytes, invalid names and modes, repeated names, wrong order.
 */
export async function decodeTree(bytes: Buffer, id: string): Promise<TreeItem[]> {
  const slices = new Slices();
  const items: TreeItem[] = [];
  const names = new Set<string>();
  let previous = '';
  for (let at = 0; at < bytes.length; ) {
    if (slices.isDue()) await slices.pause();
    const space = bytes.indexOf(32, at);
    const nul = space < 0 ? -1 : bytes.indexOf(0, space);
    if (nul < 0 || nul + 21 > bytes.length) throw corruptTree(id, 'it is cut short');
    const mode = readMode(bytes.toString('latin1', at, space));
    const name = bytes.toString('latin1', space + 1, nul);
    if (mode === undefined) throw corruptTree(id, `mode ${bytes.toString('latin1', at, space)}`, name);
    if (!isTreeName(name) || names.has(name)) throw corruptTree(id, 'a name that is not allowed', name);
    const item: TreeItem = { name, mode, id: bytes.toString('hex', nul + 1, nul + 21) };
    const key = sortKey(item);
    if (items.length > 0 && byBytes(previous, key) >= 0) throw corruptTree(id, 'wrong order', name);
    previous = key;
    names.add(name);
    items.push(item);
    at = nul + 21;
  }
  return items.slice(); // copies the array, because an array that was built by pushing has unused capacity
}

/** Returns the sort key. Git sorts a directory as if its name ended with a slash. */
function sortKey(item: TreeItem): string {
  return item.mode === '040000' ? `${item.name}/` : item.name;
}

/** Returns a mode in its stored form. The stored mode of a directory has no leading zero. */
function storedMode(mode: TreeMode): string {
  return mode === '040000' ? '40000' : mode;
}

const fileModes = ['100644', '100755', '120000'] as const;

function readMode(text: string): TreeMode | undefined {
  if (text === '40000') return '040000';
  // Returns a shared constant instead of the parsed text. This saves memory in the cached trees, in which each name has
  // a mode.
  return fileModes.find((mode) => mode === text);
}

function corruptTree(id: string, what: string, name?: string): CheckpointdError {
  const where = name === undefined ? '' : ` at ${JSON.stringify(name.slice(0, 100))}`;
  return new CheckpointdError(
    'StoreCorrupt',
    `The stored directory ${id} cannot be used: ${what}${where}. Nothing was changed. Restore another checkpoint.`,
    { details: { tree: id } },
  );
}
