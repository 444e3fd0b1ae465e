// checkpointd inspect: serves the inspector until Ctrl-C. The inspector is a page that shows the sessions of a storage.
import { systemCode } from '../../base/errors.ts';
import { summaryOf } from '../../client/stored-sessions.ts';
import type { InspectedSession } from '../../inspector/own-methods.ts';
import { inspectedEvents } from '../../inspector/reached-sessions.ts';
import { serveInspector } from '../../inspector/server.ts';
import { storageAt } from '../../wire/places.ts';
import { reach } from '../reach.ts';
import { misused } from '../refusal.ts';
import { note, plain, say } from '../terminal.ts';
import { agentOf, usedSessions, type Where } from '../used-sessions.ts';

const portMax = 65_535;

/** Serves until a signal arrives or the terminal is closed. Prints a new link for each line that the user enters. */
export async function runInspector(where: Where, wantedPort: string | undefined): Promise<number> {
  const port = wantedPort === undefined ? 0 : Number(wantedPort);
  if (!Number.isInteger(port) || port < 0 || port > portMax)
    throw misused(
      `"${wantedPort}" is not a port`,
      `Give a number from 0 to ${portMax}; 0 lets the system choose.`,
    );
  const storage = storageAt(where.storage);
  const purpose = { events: inspectedEvents, daemon: 'lasting' } as const;
  const { client, session } = await reach(where, purpose);
  const open = async (id: string) =>
    (await reach({ path: where.path, session: id, storage }, purpose)).client;
  const source = { storage, list: () => sessionsOf(storage), open };
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  try {
    const server = await serveInspector({ source, session, client, port });
    say(server.link());
    if (process.stdin.isTTY) {
      note('the link works only once; press Enter for another link, or Ctrl-C to end the inspector');
      process.stdin.on('data', () => say(server.link()));
    }
    await ended;
    process.stdin.pause();
    await server.close();
    return 0;
  } catch (error) {
    await client.close();
    if (systemCode(error) !== 'EADDRINUSE') throw error;
    throw misused(`port ${port} is in use`, 'Omit --port to let the system choose a free port.');
  }
}

function sessionsOf(storage: string): InspectedSession[] {
  return usedSessions(storage).map((stored) => {
    const { session, workspace, conversationId, strategy, retention, created, lastUsedMs } = stored;
    const { firstPrompt, checkpoints } = summaryOf(stored);
    return {
      session,
      workspace,
      conversationId,
      strategy,
      retention,
      created,
      lastUsedMs,
      agent: agentOf(stored),
      checkpoints,
      ...(firstPrompt === undefined ? {} : { firstPrompt: plain(firstPrompt) }),
    };
  });
}
