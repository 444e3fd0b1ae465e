// checkpointd stop: ends the background daemon that earlier commands started.
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
  } else if (stopped === undefined) say('No daemon is running in the background.');
  else if (stopped.hasEnded) say(`The background daemon has ended (process ${stopped.note.pid}).`);
  else
    note(
      `the background daemon (process ${stopped.note.pid}) is still running. "kill -9 ${stopped.note.pid}" ends this daemon without loss`,
    );
  return stopped?.hasEnded === false ? exits.failed : 0;
}
