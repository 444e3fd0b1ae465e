// checkpointd stop: ends the daemon that commands left in the background.
import { storageAt } from '../../wire/places.ts';
import { stopBackground } from '../background.ts';
import { exits, type Given } from '../command.ts';
import { note, say } from '../terminal.ts';

export async function stop(given: Pick<Given, 'json' | 'storage'>): Promise<number> {
  const stopped = await stopBackground(storageAt(given.storage));
  if (given.json) {
    const { pid } = stopped?.note ?? {};
    say(
      JSON.stringify({ stopped: stopped?.hasEnded === true, ...(pid === undefined ? {} : { pid }) }, null, 2),
    );
  } else if (stopped === undefined) say('No daemon runs in the background.');
  else if (stopped.hasEnded) say(`The daemon in the background has ended (process ${stopped.note.pid}).`);
  else
    note(
      `process ${stopped.note.pid} still runs; "kill -9 ${stopped.note.pid}" ends it, and no work is lost`,
    );
  return stopped?.hasEnded === false ? exits.failed : 0;
}
