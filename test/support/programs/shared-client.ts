// One of several clients of a session, in a separate process, so that a test can kill it. The client starts or joins a
// daemon and opens the session. The client makes a checkpoint for each line of its input, and prints all events.
import { createInterface } from 'node:readline';
import { CheckpointdClient } from '../../../src/client/client.ts';

const [name = '', how = '', place = '', workspace = ''] = process.argv.slice(2);
const events = ['checkpoint/didCreate'] as const;
const options = { clientInfo: { name }, events };
const client =
  how === 'start'
    ? await CheckpointdClient.start({ ...options, args: [`--storage-dir=${place}`] })
    : await CheckpointdClient.attach(place, options);
const say = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
client.on('checkpoint/didCreate', ({ checkpoint, origin }) =>
  say({ event: checkpoint.description, you: origin === undefined, by: origin?.client?.name }),
);
const { session } = await client.request('session/open', {
  workspace,
  conversationId: 'shared',
  retention: 'keep',
});
say({ open: session });
for await (const message of createInterface({ input: process.stdin })) {
  await client.request('checkpoint/create', { session, kind: 'turn', message });
  say({ made: message });
}
