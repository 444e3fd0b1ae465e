// An immutable map with string keys. `set` returns a new map, which shares almost all nodes with the old map. The line
// trackers of all states of a conversation therefore need memory only for the changes. Keys cannot be deleted.

interface Node<V> {
  readonly key: string;
  readonly value: V;
  readonly priority: number;
  readonly left: Node<V> | undefined;
  readonly right: Node<V> | undefined;
}

/**
 * Returns a hash of the key (FNV-1a), which balances the tree. The shape of the tree depends only on the keys, and not
 * on the order of the `set` calls.
 */
function priorityOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i += 1) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

function rotateLeft<V>(node: Node<V>, right: Node<V>): Node<V> {
  return { ...right, left: { ...node, right: right.left } };
}

function rotateRight<V>(node: Node<V>, left: Node<V>): Node<V> {
  return { ...left, right: { ...node, left: left.right } };
}

function insert<V>(node: Node<V> | undefined, key: string, value: V): Node<V> {
  if (node === undefined) return { key, value, priority: priorityOf(key), left: undefined, right: undefined };
  if (key === node.key) return { ...node, value };
  if (key < node.key) {
    const left = insert(node.left, key, value);
    return left.priority > node.priority ? rotateRight(node, left) : { ...node, left };
  }
  const right = insert(node.right, key, value);
  return right.priority > node.priority ? rotateLeft(node, right) : { ...node, right };
}

function* walk<V>(node: Node<V> | undefined): Generator<readonly [string, V]> {
  if (node === undefined) return;
  yield* walk(node.left);
  yield [node.key, node.value];
  yield* walk(node.right);
}

/** An immutable map. Iterates in the order of the keys. `set` takes logarithmic time and memory. */
export class PersistentMap<V> implements Iterable<readonly [string, V]> {
  readonly size: number;
  readonly #root: Node<V> | undefined;

  private constructor(root: Node<V> | undefined, size: number) {
    this.#root = root;
    this.size = size;
  }

  static empty<V>(): PersistentMap<V> {
    return new PersistentMap<V>(undefined, 0);
  }

  get(key: string): V | undefined {
    let node = this.#root;
    while (node !== undefined && node.key !== key) node = key < node.key ? node.left : node.right;
    return node?.value;
  }

  has(key: string): boolean {
    let node = this.#root;
    while (node !== undefined && node.key !== key) node = key < node.key ? node.left : node.right;
    return node !== undefined;
  }

  set(key: string, value: V): PersistentMap<V> {
    return new PersistentMap(insert(this.#root, key, value), this.size + (this.has(key) ? 0 : 1));
  }

  [Symbol.iterator](): Iterator<readonly [string, V]> {
    return walk(this.#root);
  }
}
