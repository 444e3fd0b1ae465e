// Defines the names of the refs for a session's checkpoints, in both git strategies. There is one ref for each
// checkpoint, each tag, each name, and each blob that is in no tree. The functions are pure and do not move refs.
import { CheckpointdError } from '../../base/errors.ts';
import type { CheckpointId, Tag } from '../../base/ids.ts';

/** The two namespaces of one session. Each ends in `/`. */
export interface RefNames {
  /** The namespace of tags. In the shadow, this namespace is `refs/tags/`, so that plain `git tag` lists the tags. */
  readonly tags: string;
  /** The namespace of all other refs of the session. */
  readonly own: string;
}

/** The namespaces in the shadow, which is a separate repository. */
export const shadowNames: RefNames = { tags: 'refs/tags/', own: 'refs/checkpointd/' };

/** Returns the namespaces in the user's repository. @throws StrategyUnavailable */
export function localNames(session: string): RefNames {
  if (/^[\w-]{1,100}$/.test(session)) {
    const own = `refs/checkpointd/${session}/`;
    return { tags: `${own}tags/`, own };
  }
  throw new CheckpointdError(
    'StrategyUnavailable',
    `The session id ${JSON.stringify(session)} cannot be part of a ref's name.`,
  );
}

/** The meaning of a ref, read from its name. */
type RefMeaning =
  | { readonly kind: 'checkpoint'; readonly id: CheckpointId }
  | { readonly kind: 'tag'; readonly tag: Tag }
  | { readonly kind: 'name'; readonly id: CheckpointId; readonly name: string }
  | { readonly kind: 'modes'; readonly blob: string }
  | { readonly kind: 'protecting' }
  | { readonly kind: 'foreign' };

export function refDirectories(names: RefNames): string[] {
  return [names.tags, ...['checkpoints/', 'names/', 'modes/'].map((each) => `${names.own}${each}`)];
}

const tagForm = /^(?:0|[1-9]\d{0,8})(?:\.[1-9]\d{0,8})?$/;
const idForm = /^ckpt_[0-9a-z]{1,64}$/;
/** One part of a path may have up to 255 bytes. */
const chunkLength = 200;

/**
 * Returns the ref of a tag.
 * @throws InvalidTag. The caller has checked the tag already; this is the last check before git gets the ref.
 */
export function tagRef(names: RefNames, tag: Tag): string {
  if (tagForm.test(tag)) return `${names.tags}${tag}`;
  throw new CheckpointdError('InvalidTag', 'A tag is a turn ("3") or a tool of a turn ("3.2").', {
    details: { tag: tag.slice(0, 64) },
  });
}

/** Returns the ref of a checkpoint. @throws UnknownCheckpoint for text that cannot be an id */
export function checkpointRef(names: RefNames, id: CheckpointId): string {
  return `${names.own}checkpoints/${checked(id)}`;
}

/**
 * Returns the ref of a checkpoint's name. The ref's path contains the checkpoint's id, then the name as hexadecimal
 * digits, split into parts. The last part begins with `e` and all other parts begin with `c`. So the ref of one name is
 * never a directory that another name needs.
 */
export function nameRef(names: RefNames, id: CheckpointId, name: string): string {
  const digits = Buffer.from(name, 'utf8').toString('hex');
  const parts: string[] = [];
  for (let at = 0; at < digits.length || at === 0; at += chunkLength) {
    const last = at + chunkLength >= digits.length;
    parts.push(`${last ? 'e' : 'c'}${digits.slice(at, at + chunkLength)}`);
  }
  return `${names.own}names/${checked(id)}/${parts.join('/')}`;
}

/**
 * No tree contains the blob of strict permissions, so a ref must protect it from garbage collection. Returns this ref.
 */
export function modesRef(names: RefNames, blob: string): string {
  return `${names.own}modes/${blob}`;
}

/** Returns the ref to the note that names the session of the refs; see belonging.ts. */
export function ownerRef(names: RefNames): string {
  return `${names.own}owner`;
}

/**
 * Returns the ref that protects a snapshot while a sweep runs. If a kill leaves this ref behind, the next opening
 * removes it.
 */
export function protectingRef(names: RefNames, id: string): string {
  return `${names.own}held/${id}`;
}

export function meaningOf(names: RefNames, ref: string): RefMeaning {
  if (ref.startsWith(names.tags)) {
    const tag = ref.slice(names.tags.length);
    return tagForm.test(tag) ? { kind: 'tag', tag: tag as Tag } : { kind: 'foreign' };
  }
  if (!ref.startsWith(names.own)) return { kind: 'foreign' };
  const [kind, first = '', ...parts] = ref.slice(names.own.length).split('/');
  if (kind === 'modes' && parts.length === 0) return { kind: 'modes', blob: first };
  if (kind === 'held') return { kind: 'protecting' };
  if (!idForm.test(first)) return { kind: 'foreign' };
  if (kind === 'checkpoints' && parts.length === 0) return { kind: 'checkpoint', id: first as CheckpointId };
  if (kind !== 'names') return { kind: 'foreign' };
  const digits = parts.map((part) => part.slice(1)).join('');
  return { kind: 'name', id: first as CheckpointId, name: Buffer.from(digits, 'hex').toString('utf8') };
}

function checked(id: CheckpointId): CheckpointId {
  if (idForm.test(id)) return id;
  throw unknownCheckpoint(id);
}

export function unknownCheckpoint(id: CheckpointId): CheckpointdError {
  const shown = id.slice(0, 64);
  return new CheckpointdError(
    'UnknownCheckpoint',
    `Checkpoint "${shown}" not found. Use checkpoint/list to see the checkpoints.`,
    { details: { id: shown } },
  );
}
