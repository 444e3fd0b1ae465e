// What a client's agents say of the context: which of them is active, and the paths and globs that its resources name.
// Agents are kept for the client and otherwise unread. Adding the paths to a conversation is the session's.
import { CheckpointdError } from '../../base/errors.ts';
import { type ClientObject, isObject } from '../client-object.ts';
import { checkContextPaths, contextPathsMax } from './context.ts';

export interface AgentResources {
  /** How many agents there are. */
  readonly agents: number;
  /** Paths and globs of the work tree, normal, each once. */
  readonly paths: readonly string[];
  /** Resources that cannot be context files, and why. */
  readonly warnings: readonly string[];
}

/**
 * Reads agents given by name, or as `{agents, activeIdx}`. Active is the agent that `activeIdx` names, else the only
 * one, else the one named `default`; without any there are no resources.
 */
export function agentResources(given: ClientObject): AgentResources {
  const byName = isObject(given.agents) ? given.agents : given;
  const names = Object.keys(byName);
  const named = given.activeIdx ?? given.active_idx;
  const otherwise = names.length === 1 ? names[0] : 'default';
  const name = typeof named === 'string' ? named : otherwise;
  const active = name !== undefined && Object.hasOwn(byName, name) ? byName[name] : undefined;
  const resources =
    isObject(active) && Array.isArray(active.resources) ? (active.resources as unknown[]) : [];
  const paths = new Set<string>();
  const warnings: string[] = [];
  for (const resource of resources) {
    const path = pathOf(resource);
    if (path === undefined) warnings.push(`A resource was left out: ${naming(resource)}.`);
    else if (paths.size < contextPathsMax) paths.add(path);
    else warnings.push(`The resource ${path} was left out: a context has at most ${contextPathsMax} paths.`);
  }
  return { agents: names.length, paths: [...paths], warnings };
}

/** The path or glob of a `file://` resource, or undefined when it is none, or none of the work tree. */
function pathOf(resource: unknown): string | undefined {
  if (typeof resource !== 'string' || !resource.startsWith('file://')) return undefined;
  const path = resource.slice('file://'.length);
  if (path.startsWith('~')) return undefined;
  try {
    return checkContextPaths([path])[0];
  } catch (error) {
    if (error instanceof CheckpointdError) return undefined;
    throw error;
  }
}

function naming(resource: unknown): string {
  if (typeof resource !== 'string') return 'it is not text';
  const reason = resource.startsWith('file://')
    ? 'names no file of the work tree'
    : 'is not a file: resource';
  return `"${resource.slice(0, 200)}" ${reason}`;
}
