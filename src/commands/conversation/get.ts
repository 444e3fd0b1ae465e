// conversation/get: the fields of the conversation, but for the lists that are read by pages.
import { contextNow } from '../../session/context/session-context.ts';
import { conversation } from '../answers/conversation-answer.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand('conversation/get', async ({ session, context }) =>
  conversation(session, await contextNow(session, context.signal)),
);
