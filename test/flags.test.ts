import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandOf, helpText } from '../src/flags.ts';

const serve = (transport: object, more: object = {}): object => ({
  do: 'serve',
  transport,
  logLevel: 'info',
  logFile: undefined,
  listens: true,
  watches: true,
  idleMs: 600_000,
  ...more,
});

test('the daemon uses stdio by default, and accepts each flag in both spellings', () => {
  assert.equal(commandOf([]), serve({ kind: 'stdio' }));
  assert.equal(commandOf(['--stdio']), serve({ kind: 'stdio' }));
  for (const [name, value, expected] of [
    ['--pipe', '/tmp/x.sock', serve({ kind: 'pipe', path: '/tmp/x.sock' })],
    ['--pipe', '\\\\.\\pipe\\x', serve({ kind: 'pipe', path: '\\\\.\\pipe\\x' })],
    ['--socket', '5007', serve({ kind: 'socket', port: 5007 })],
    ['--port', '5007', serve({ kind: 'socket', port: 5007 })],
    ['--clientProcessId', '42', serve({ kind: 'stdio' }, { clientProcessId: 42 })],
    ['--storage-dir', '/s', serve({ kind: 'stdio' }, { storageDirectory: '/s' })],
    ['--log-file', 'a.log', serve({ kind: 'stdio' }, { logFile: 'a.log' })],
    ['--log-level', 'debug', serve({ kind: 'stdio' }, { logLevel: 'debug' })],
  ] as const) {
    assert.equal(commandOf([`${name}=${value}`]), expected);
    assert.equal(commandOf([name, value]), expected);
  }
  assert.equal(
    commandOf(['--storage-dir=here']),
    serve({ kind: 'stdio' }, { storageDirectory: `${process.cwd()}/here` }),
  );
});

test('a daemon that starts without a client waits for clients, and ends after an idle time', () => {
  assert.equal(commandOf(['--no-listen']), serve({ kind: 'stdio' }, { listens: false }));
  assert.equal(commandOf(['--no-watch']), serve({ kind: 'stdio' }, { watches: false }));
  assert.equal(commandOf(['daemon']), serve({ kind: 'none' }));
  assert.equal(commandOf(['daemon', '--idle-minutes=0.5']), serve({ kind: 'none' }, { idleMs: 30_000 }));
  for (const argv of [
    ['daemon', '--no-listen'],
    ['daemon', '--stdio'],
    ['daemon', '--clientProcessId=4'],
    ['--idle-minutes=4'],
    ['daemon', '--idle-minutes=soon'],
  ])
    assert.is(commandOf(argv).do, 'complain', argv.join(' '));
});

test('the daemon accepts the flags of a VS Code client', () => {
  assert.equal(
    commandOf(['--stdio', '--clientProcessId=7']),
    serve({ kind: 'stdio' }, { clientProcessId: 7 }),
  );
});

test('the error for a wrong command line names the wrong flag', () => {
  for (const [argv, named] of [
    [['--bogus'], '--bogus'],
    [['stray'], 'stray'],
    [['--pipe'], '--pipe'],
    [['--pipe='], '--pipe'],
    [['--socket=http'], '--socket'],
    [['--port=0'], '--port'],
    [['--socket=65536'], '--socket'],
    [['--clientProcessId=-1'], '--clientProcessId'],
    [['--clientProcessId=me'], '--clientProcessId'],
    [['--log-level=loud'], '--log-level'],
    [['--stdio', '--pipe=x'], '--pipe'],
    [['--stdio=yes'], '--stdio'],
  ] as const) {
    const command = commandOf(argv);
    assert.is(command.do, 'complain', argv.join(' '));
    if (command.do === 'complain') assert.ok(command.complaint.includes(named), command.complaint);
  }
});

test('the flags for help, version and protocol take precedence, and the help names every flag', () => {
  assert.equal(commandOf(['--help', '--pipe=x']), { do: 'help' });
  assert.equal(commandOf(['-v']), { do: 'version' });
  assert.equal(commandOf(['--print-protocol']), { do: 'printProtocol' });
  for (const flag of [
    'stdio',
    'pipe',
    'socket',
    'port',
    'clientProcessId',
    'storage-dir',
    'no-listen',
    'no-watch',
    'idle-minutes',
    'log-file',
    'log-level',
    'print-protocol',
    'version',
    'help',
  ]) {
    assert.ok(helpText.includes(`--${flag}`), flag);
  }
});

test.run();
