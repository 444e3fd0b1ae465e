// Our transport on stdio with one handler that does nothing: what the wire costs with us, without a daemon behind.
import { silentLog } from '../../../src/base/log.ts';
import { Server } from '../../../src/rpc/server.ts';
import { guardStdout } from '../../../src/rpc/transport/stdout-guard.ts';

const server = new Server({
  input: process.stdin,
  output: guardStdout(silentLog),
  log: silentLog,
  exit: (code) => process.exit(code),
  isParentClient: true,
});
server.listen(async () => ({
  handlers: { 'session/list': async () => ({ sessions: [] }) },
  stop: async () => undefined,
}));
