// session/get: how a session stands, with the figures of its parts.
import { given } from '../../base/given.ts';
import { viewOf } from '../../session/index/checkpoint-view.ts';
import { checkpointAnswer, checkpointsState } from '../answers/checkpoint-answer.ts';
import { shadowPath } from '../answers/shadow-path.ts';
import { watcherFigures } from '../answers/watcher-figures.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand('session/get', async ({ session }) => {
  const { marker, workTree, options, queue, conversation, openedAt } = session.parts;
  const checkpoints = session.enabled;
  const head = checkpoints?.index.head;
  const cache = checkpoints?.stats.figures ?? { hits: 0, misses: 0, size: 0, sizeMax: 0 };
  const cacheFigures = { hits: cache.hits, misses: cache.misses, size: cache.size, maxSize: cache.sizeMax };
  const { pendingUserMessage, messageLocked } = conversation.state;
  return {
    session: session.id,
    workspace: workTree.root,
    conversationId: marker.conversationId,
    strategy: marker.strategy,
    retention: marker.retention,
    durability: options.durability,
    openedAt,
    checkpoints: checkpointsState(session),
    ...(checkpoints === undefined || head === undefined
      ? {}
      : { head: checkpointAnswer(await viewOf(checkpoints, head)) }),
    manager: {
      ...given({ shadowRepoPath: shadowPath(session), pendingUserMessage }),
      workTreePath: workTree.root,
      checkpoints: checkpoints?.index.listedSize ?? 0,
      tagIndex: checkpoints?.index.tagCount ?? 0,
      currentTurn: head?.record.currentTurn ?? 0,
      toolsInTurn: head?.record.toolsInTurn ?? 0,
      messageLocked,
      fileStatsCache: cacheFigures,
    },
    cache: cacheFigures,
    watcher: watcherFigures(session),
    queue: {
      length: queue.figures.waiting,
      capacity: queue.figures.capacity,
      poisoned: queue.figures.poisoned,
      ...given({ running: queue.figures.running }),
    },
    ...given({ unfinishedRestore: session.hasUnfinishedRestore || undefined }),
  };
});
