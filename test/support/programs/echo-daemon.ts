// Our transport on stdio with one handler that does nothing: what the wire costs with us, without a daemon behind.
import { silentLog } from '../../../src/base/log.ts';
import { Server } from '../../../src/rpc/server.ts';
import { guardStdout } from '../../../src/rpc/transport/stdout-guard.ts';

const server = new Server({
  log: silentLog,
  exit: (code) => process.exit(code),
  first: {
    streams: { input: process.stdin, output: guardStdout(silentLog), close: () => undefined },
    isParent: true,
  },
});
server.listen(async () => ({
  handlers: { 'session/list': async () => ({ sessions: [] }) },
  stop: async () => undefined,
}));
