// Fetches the heads of a remote's lines without contents, so that the daemon can list the lines. Git fetches either all
// requested heads or none. When the host cannot send a head, this module halves the group of requested heads again and
// again, until it has found the broken heads.
import { CheckpointdError } from '../base/errors.ts';
import { type Carrier, corrupt, type RemoteRef, refRoots } from './carrier.ts';
import type { TravelObjects } from './travel-objects.ts';

/** A remote's refs in two lists: refs whose heads were fetched, and refs whose heads could not be fetched. */
export interface FetchedHeads {
  readonly refs: readonly RemoteRef[];
  readonly broken: readonly { readonly ref: RemoteRef; readonly error: CheckpointdError }[];
}

/** The size limit in bytes for fetched heads. A host that cannot omit contents may send much more than heads. */
const headBytesMax = 512 << 20;
/** The maximum number of refs in one fetch. */
const refsAtOnce = 2000;
/** The maximum number of fetches for a remote with many broken refs. */
const fetchesMax = 200;
/**
 * The maximum number of attempts. An attempt fails when another machine removes a ref between the listing and the
 * fetch.
 */
const triesMax = 3;

const headsHere = 'refs/list/';
const nameHere = (ref: string): string => `${headsHere}${ref.slice('refs/'.length)}`;

/**
 * Fetches the heads that have changed since the last call, either of one session or of all sessions.
 * @throws RemoteUnreachable, RemoteRefused
 */
export async function fetchHeads(
  carrier: Carrier,
  objects: TravelObjects,
  session: string | undefined,
): Promise<FetchedHeads> {
  for (let triesLeft = triesMax - 1; ; triesLeft -= 1) {
    try {
      // Lists the refs first. A fetch without a list would make a local ref for each ref of the remote, and a remote
      // may have a million refs.
      return await fetchChanged(objects, carrier, await carrier.list(session), session);
    } catch (error) {
      if (triesLeft === 0 || !isGoneMeanwhile(error)) throw error;
    }
  }
}

async function fetchChanged(
  objects: TravelObjects,
  carrier: Carrier,
  listed: readonly RemoteRef[],
  session: string | undefined,
): Promise<FetchedHeads> {
  const within = session === undefined ? '' : `${session}/`;
  const prefixes = Object.values(refRoots).map((root) => `${nameHere(root)}${within}`);
  const before = await objects.refsBelow(...prefixes);
  const names = new Set(listed.map(({ ref }) => nameHere(ref)));
  await removeRefs(
    objects,
    [...before.keys()].filter((name) => !names.has(name)),
  );
  // Does not fetch tombstones, because the name of a tombstone's ref says everything about the tombstone.
  const heads = listed.filter(({ writer }) => writer !== undefined);
  const broken = await fetchApart(
    carrier,
    heads.filter(({ ref, commit }) => before.get(nameHere(ref)) !== commit),
  );
  // Removes the local refs of broken heads, because these refs still point to earlier heads.
  const stale = broken.map(({ ref }) => nameHere(ref.ref)).filter((name) => before.has(name));
  await removeRefs(objects, stale);
  const here = await objects.refsBelow(...prefixes);
  const refs = listed.flatMap((ref) => {
    if (ref.writer === undefined) return [ref];
    const commit = here.get(nameHere(ref.ref)); // another machine may have pushed after the refs were listed
    return commit === undefined ? [] : [{ ...ref, commit }];
  });
  return { refs, broken };
}

function removeRefs(objects: TravelObjects, names: readonly string[]): Promise<void> {
  return objects.moveRefs(new Map(names.map((name) => [name, undefined])));
}

/** True when another machine removed a ref between the listing and the fetch. */
function isGoneMeanwhile(error: unknown): boolean {
  return (
    error instanceof CheckpointdError && /couldn't find remote ref/.test(String(error.details?.['said']))
  );
}

/**
 * True when git's message names an object that the host cannot send. The host may have cut the connection for this
 * reason.
 */
function isBrokenObject(error: unknown): error is CheckpointdError {
  if (!(error instanceof CheckpointdError)) return false;
  const { kind, details } = error;
  const isCutOff = kind === 'RemoteUnreachable';
  if (!isCutOff && kind !== 'RemoteCorrupt' && details?.['reason'] !== 'other') return false;
  return /not our ref|is corrupt|fsck error|bad (?:tree|object)|unable to (?:unpack|parse)|repository corruption/.test(
    String(details?.['said']),
  );
}

/** Fetches heads. Returns the heads that the host cannot send. */
async function fetchApart(carrier: Carrier, heads: readonly RemoteRef[]): Promise<FetchedHeads['broken']> {
  const broken: { ref: RemoteRef; error: CheckpointdError }[] = [];
  const groups: RemoteRef[][] = [];
  for (let at = 0; at < heads.length; at += refsAtOnce) groups.push(heads.slice(at, at + refsAtOnce));
  for (let fetches = 0, group = groups.pop(); group !== undefined; fetches += 1, group = groups.pop()) {
    const error = fetches < fetchesMax ? await fetchGroup(carrier, group) : tooManyBroken();
    if (error === undefined) continue;
    if (group.length === 1 || fetches >= fetchesMax)
      broken.push(...group.map((ref) => ({ ref, error: asDamage(error) })));
    else {
      const half = Math.ceil(group.length / 2);
      groups.push(group.slice(0, half), group.slice(half));
    }
  }
  return broken;
}

/** Fetches a group of heads. If a ref of the group causes an error, returns this error. */
async function fetchGroup(
  carrier: Carrier,
  group: readonly RemoteRef[],
): Promise<CheckpointdError | undefined> {
  const refspecs = group.map(({ ref }) => `+${ref}:${nameHere(ref)}`);
  try {
    await carrier.fetch({ refspecs, commitsOnly: true, bytesMax: headBytesMax });
    return undefined;
  } catch (error) {
    if (!isBrokenObject(error)) throw error;
    return error;
  }
}

function asDamage(error: CheckpointdError): CheckpointdError {
  return error.kind === 'RemoteCorrupt'
    ? error
    : corrupt('the host lists the head of a line but cannot send it', error.details, error);
}

function tooManyBroken(): CheckpointdError {
  return corrupt('too many refs are broken');
}
