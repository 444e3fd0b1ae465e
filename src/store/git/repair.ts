// Puts right the refs that a power cut left empty or garbled: a tag is given back to the newest checkpoint that was
// made under it, a name to the checkpoint that its ref names, a checkpoint's own ref is found again through its tag. What cannot be known is removed, so that it
// can be made anew. A healthy store costs one look at a list that is empty.
import { CheckpointdError } from '../../base/errors.ts';
import { ObjectReader } from '../../git/objects/object-reader.ts';
import type { GitPlace } from '../../git/process/environment.ts';
import type { RefStore } from '../../git/refs/ref-store.ts';
import type { RefChange } from '../../git/refs/ref-transaction.ts';
import { decodeCommit } from './checkpoint-commit.ts';
import { readCheckpoints } from './checkpoints.ts';
import { checkpointRef, meaningOf, nameRef, type RefNames, tagRef } from './refs.ts';

/** `mayLack`: refs may be gone without a trace, so that a tag which nobody bears is given back as well. */
export async function repairRefs(
  refs: RefStore,
  names: RefNames,
  place: GitPlace,
  mayLack = false,
): Promise<void> {
  const held = [...refs.refs.keys()].filter((ref) => meaningOf(names, ref).kind === 'held');
  await refs.commit(held.map((ref) => ({ ref, to: undefined })));
  const broken = refs.broken.map((ref) => meaningOf(names, ref));
  if (broken.length === 0 && refs.damagedIntent === undefined && !mayLack) return;
  refs.removeBroken();
  const reader = new ObjectReader(place);
  try {
    await refs.commit(await lostCheckpoints(refs, names, reader));
    const { good } = await readCheckpoints(refs, names, reader);
    const found: RefChange[] = [];
    const tags = new Set(broken.flatMap((meaning) => (meaning.kind === 'tag' ? [meaning.tag] : [])));
    if (mayLack) {
      const made = good.flatMap(({ record }) => record.madeAs ?? []);
      for (const tag of made) if (!refs.refs.has(tagRef(names, tag))) tags.add(tag);
    }
    for (const tag of tags) {
      const bearer = good.findLast(({ record }) => record.madeAs === tag);
      if (bearer !== undefined) found.push({ ref: tagRef(names, tag), to: bearer.commit });
    }
    for (const meaning of broken) {
      if (meaning.kind === 'name') {
        const bearer = good.find(({ record }) => record.id === meaning.id);
        if (bearer !== undefined)
          found.push({ ref: nameRef(names, meaning.id, meaning.name), to: bearer.commit });
      }
    }
    await refs.commit(found);
  } finally {
    await reader.close();
  }
}

/** Checkpoints that only their tag still holds. */
async function lostCheckpoints(refs: RefStore, names: RefNames, reader: ObjectReader): Promise<RefChange[]> {
  const changes: RefChange[] = [];
  for (const [ref, commit] of refs.refs) {
    if (meaningOf(names, ref).kind !== 'tag') continue;
    try {
      const record = decodeCommit(await reader.read('commit', commit), commit);
      const own = checkpointRef(names, record.id);
      if (refs.refs.get(own) === undefined) changes.push({ ref: own, to: commit });
    } catch (error) {
      // An unreadable commit stays a problem for `verify`; it must not keep the others from being repaired.
      if (!(error instanceof CheckpointdError) || !error.kind.endsWith('Corrupt')) throw error;
    }
  }
  return changes;
}
