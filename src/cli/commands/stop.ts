// checkpointd stop: ends the background daemon that earlier commands started, and the keeper that hooks started.
import { storageAt } from '../../wire/places.ts';
import { stopBackground } from '../background.ts';
import { exits, type Given } from '../command.ts';
import { endKeeper } from '../hooks/hand-over.ts';
import { note, say } from '../terminal.ts';

const keeperMs = 10_000;

export async function stop(given: Pick<Given, 'json' | 'storage'>): Promise<number> {
  const storage = storageAt(given.storage);
  // The keeper ends first, because it captures the last changes of its conversations and needs their daemon.
  const keeperEnded = await endKeeper(storage, keeperMs);
  const stopped = await stopBackground(storage);
  if (given.json) {
    const result = {
      stopped: stopped?.hasEnded === true,
      pid: stopped?.note.pid,
      keeperStopped: keeperEnded,
    };
    say(JSON.stringify(result, null, 2));
  } else {
    if (keeperEnded === true)
      say('The keeper of the hooks has ended. The next hook of an agent starts a new keeper.');
    else if (keeperEnded === false) note('the keeper of the hooks is still running. Try again later');
    if (stopped === undefined) say('No daemon is running in the background.');
    else if (stopped.hasEnded) say(`The background daemon has ended (process ${stopped.note.pid}).`);
    else
      note(
        `the background daemon (process ${stopped.note.pid}) is still running. "kill -9 ${stopped.note.pid}" ends this daemon without loss`,
      );
  }
  return stopped?.hasEnded === false || keeperEnded === false ? exits.failed : 0;
}
