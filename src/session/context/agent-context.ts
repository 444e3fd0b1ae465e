// The agents of a client, kept for it, and the context files that their resources are at the beginning of a
// conversation. The room conversation decides which resources count. Paths that a client added itself stay as they are.
import { CheckpointdError } from '../../base/errors.ts';
import type { ClientObject } from '../../conversation/client-object.ts';
import { agentResources } from '../../conversation/context.ts';
import type { Session } from '../session.ts';
import { checkContextTargets } from './session-context.ts';

export interface KeptAgents {
  /** How many there are. */
  readonly agents: number;
  /** Paths and globs that came into the context with them. */
  readonly context: readonly string[];
  readonly warnings: readonly string[];
}

/** Keeps the agents; where the conversation has no context paths, the active agent's resources become them. */
export async function keepAgents(session: Session, given: ClientObject): Promise<KeptAgents> {
  const { conversation } = session.parts;
  const { agents, paths, warnings } = agentResources(given);
  conversation.settings.setRuntime({ agents: given });
  if (conversation.context.paths.length > 0) return { agents, context: [], warnings: [] };
  const inside: string[] = [];
  const left = [...warnings];
  for (const path of paths) {
    const refusal = await outsideReason(session, path);
    if (refusal === undefined) inside.push(path);
    else left.push(refusal);
  }
  const { added } = inside.length === 0 ? { added: [] } : conversation.context.add(inside);
  return { agents, context: added, warnings: left };
}

async function outsideReason(session: Session, path: string): Promise<string | undefined> {
  try {
    await checkContextTargets(session, [path]);
    return undefined;
  } catch (error) {
    if (error instanceof CheckpointdError && error.kind === 'PathOutsideWorkTree') return error.message;
    throw error;
  }
}
