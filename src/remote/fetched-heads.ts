// Fetches the heads of a remote's lines, without contents, for a list. Git fetches all heads or none. So when one
// cannot be sent, the heads are fetched in halves until the broken ones are isolated.
import { CheckpointdError } from '../base/errors.ts';
import { type Carrier, corrupt, parseRemoteRef, type RemoteRef, refRoots } from './carrier.ts';
import type { TravelObjects } from './travel-objects.ts';

/** The refs of a remote whose heads were fetched, and those that could not be fetched. */
export interface FetchedHeads {
  readonly refs: readonly RemoteRef[];
  readonly broken: readonly { readonly ref: RemoteRef; readonly error: CheckpointdError }[];
}

/** The limit in bytes for the heads of a remote, for hosts that cannot leave contents out. */
const headBytesMax = 512 << 20;
/** The number of refs in one fetch. */
const refsAtOnce = 2000;
/** The maximum number of fetches for a remote with many broken refs. */
const fetchesMax = 200;

const headsHere = 'refs/list/';
const nameHere = (ref: string): string => `${headsHere}${ref.slice('refs/'.length)}`;

/** Fetches the heads of one session, or of all. @throws RemoteUnreachable, RemoteRefused */
export async function fetchHeads(
  carrier: Carrier,
  objects: TravelObjects,
  session: string | undefined,
): Promise<FetchedHeads> {
  const below = session === undefined ? '*' : `${session}/*`;
  const refspecs = Object.values(refRoots).map((root) => `+${root}${below}:${nameHere(root)}${below}`);
  try {
    const isAny = await carrier.fetch({ refspecs, commitsOnly: true, prune: true, bytesMax: headBytesMax });
    return { refs: isAny ? await headsOf(objects, session) : [], broken: [] };
  } catch (error) {
    if (!isBrokenObject(error)) throw error;
    return await fetchApart(carrier, objects, await carrier.list(session));
  }
}

async function headsOf(objects: TravelObjects, session: string | undefined): Promise<RemoteRef[]> {
  const within = session === undefined ? '' : `${session}/`;
  const prefixes = Object.values(refRoots).map((root) => `${nameHere(root)}${within}`);
  const here = await objects.refsBelow(...prefixes);
  return [...here].flatMap(
    ([name, commit]) => parseRemoteRef(`refs/${name.slice(headsHere.length)}`, commit) ?? [],
  );
}

/**
 * True when git names an object that the host cannot send. An error of a broken connection says nothing about the
 * refs, whatever else git reports then.
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

async function fetchApart(
  carrier: Carrier,
  objects: TravelObjects,
  listed: readonly RemoteRef[],
): Promise<FetchedHeads> {
  const refs: RemoteRef[] = [];
  const broken: { ref: RemoteRef; error: CheckpointdError }[] = [];
  const groups: RemoteRef[][] = [];
  // The name of a tombstone is sufficient, so it is not fetched.
  const heads = listed.filter(({ writer }) => writer !== undefined);
  refs.push(...listed.filter(({ writer }) => writer === undefined));
  for (let at = 0; at < heads.length; at += refsAtOnce) groups.push(heads.slice(at, at + refsAtOnce));
  for (let fetches = 0, group = groups.pop(); group !== undefined; fetches += 1, group = groups.pop()) {
    const error = fetches < fetchesMax ? await fetchGroup(carrier, group) : tooManyBroken();
    if (error === undefined) refs.push(...group);
    else if (group.length === 1 || fetches >= fetchesMax)
      broken.push(...group.map((ref) => ({ ref, error: asDamage(error) })));
    else {
      const half = Math.ceil(group.length / 2);
      groups.push(group.slice(0, half), group.slice(half));
    }
  }
  // An earlier head is not the present head.
  const here = await objects.refsBelow(headsHere);
  const stale = broken.map(({ ref }) => nameHere(ref.ref)).filter((name) => here.has(name));
  await objects.moveRefs(new Map(stale.map((name) => [name, undefined])));
  return { refs, broken };
}

/** Fetches a group. Returns the error if a ref of the group caused it. */
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
  return error.kind === 'RemoteCorrupt' ? error : corrupt('its host cannot send it', error.details, error);
}

function tooManyBroken(): CheckpointdError {
  return corrupt('more of its refs are broken than are looked for');
}
