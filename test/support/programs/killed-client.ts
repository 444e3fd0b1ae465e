// A client in its own process, which the test kills. The client opens the session, sends one request, and prints `sent`
// without waiting for the answer. The arguments OPEN and PARAMS are JSON. The client adds the session's id to PARAMS.
//
//   killed-client.js OPEN METHOD PARAMS
import { CheckpointdClient, type ParamsOf, type RequestMethod } from '../../../src/client/client.ts';

const [open = '{}', method = '', params = '{}'] = process.argv.slice(2);
const client = await CheckpointdClient.start();
const { session } = await client.request('session/open', JSON.parse(open) as ParamsOf<'session/open'>);
const request = { ...(JSON.parse(params) as object), session } as ParamsOf<RequestMethod>;
client.request(method as RequestMethod, request).catch(() => undefined);
// The library writes the request only in a later turn of the event loop.
setImmediate(() => setImmediate(() => process.stdout.write('sent\n')));
