// The command line: reads the words, reaches the session, runs one command, and answers with its exit code.
import { Argument, Command, CommanderError } from 'commander';
import { type CheckpointdClient, CheckpointdGoneError, CheckpointdRequestError } from '../client/client.ts';
import type { ParamsOf, ProgressValue, RequestMethod, ResultOf } from '../protocol/types.ts';
import { allCheckpoints } from './all-checkpoints.ts';
import { type CliCommand, exits, type Given, type Task } from './command.ts';
import { create } from './commands/create.ts';
import { diff } from './commands/diff.ts';
import { list } from './commands/list.ts';
import { restore } from './commands/restore.ts';
import { show } from './commands/show.ts';
import { status } from './commands/status.ts';
import { redo, undo } from './commands/undo.ts';
import { gc, verify } from './commands/upkeep.ts';
import { completion } from './completion.ts';
import { consoleCommand } from './console/console.ts';
import { doctor } from './doctor.ts';
import { agentNames } from './hooks/payloads.ts';
import { inCommands } from './in-commands.ts';
import { nearest } from './nearest.ts';
import { paged } from './pager.ts';
import { NoSession, reach } from './reach.ts';
import { sessions } from './sessions.ts';
import { note, plain, say } from './terminal.ts';
import { cutTo } from './width.ts';

const commands: readonly CliCommand[] = [
  status,
  list,
  show,
  diff,
  create,
  restore,
  undo,
  redo,
  verify,
  gc,
  consoleCommand,
];

const eraseLine = '\r\u001b[K';

const exitCodes = `
Exit codes: 0 done, 1 refused or failed, 2 wrong command line, 3 no session here, 4 a restore that left files out,
130 interrupted.`;

/** Runs `checkpointd <command> …` (`argv` begins with the command). Returns the exit code; never throws for what a person did. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  const end = argv.indexOf('--');
  const paths = end === -1 ? [] : argv.slice(end + 1);
  let code = 0;
  const program = new Command('checkpointd')
    .description(
      'Checkpoints of a work tree, taken back by hand. Without a command it is the daemon (checkpointd --help).',
    )
    .exitOverride()
    .addHelpText('after', exitCodes);
  for (const command of commands) {
    const made = common(program.command(command.name).description(command.summary));
    for (const [name, description] of command.words ?? []) made.argument(name, description);
    made.argument('[path]', 'the work tree, or a directory in it (as -C)');
    for (const [flags, description] of command.options ?? []) made.option(flags, description);
    if (command.paged) made.option('--no-pager', 'print long text as it is');
    if (command.paths) made.usage(`${usageOf(command)} [-- paths]`);
    made.action(async () => {
      const place = made.args[command.words?.length ?? 0];
      const wanted = given({ ...made.opts(), ...(place === undefined ? {} : { path: place }) }, paths);
      if (!command.paths && end !== -1) {
        note(`"${command.name}" takes no paths after --`);
        code = exits.usage;
      } else code = await perform(command, wanted, made);
    });
  }
  const listing = common(program.command('sessions').description('all sessions, of every directory'));
  listing.action(async () => {
    code = await sessions(given(listing.opts(), []));
  });
  const looking = common(
    program.command('doctor').description('whether a daemon starts here, and what it offers'),
  );
  looking.action(async () => {
    code = await doctor(given(looking.opts(), []));
  });
  const serving = program
    .command('mcp')
    .description('serve checkpoints to a model, by the Model Context Protocol over standard input and output')
    .option('-C, --path <directory>', 'the work tree, or a directory in it', '.')
    .option('--session <id>', 'this session, or the beginning of its id')
    .option('--storage <directory>', 'where sessions are kept');
  serving.action(async () => {
    const [{ serveMcp }, { clientVersion }] = await Promise.all([
      import('./mcp/serve-mcp.ts'),
      import('./version.ts'),
    ]);
    code = await serveMcp(given(serving.opts(), []), clientVersion());
  });
  for (const what of ['enable', 'disable'] as const) addHooks(program, what, (now) => (code = now));
  const completing = program
    .command('completion')
    .description('a script that completes commands in your shell');
  completing
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', exitCodes);
  completing.action((shell: string) => {
    say(
      completion(
        shell,
        program.commands.map((each) => each.name()),
      ) ?? '',
    );
  });
  try {
    await program.parseAsync(end === -1 ? argv : argv.slice(0, end), { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exits.usage;
    return explained(error);
  }
}

/** `enable` and `disable`, which are about agents and no session. */
function addHooks(program: Command, what: 'enable' | 'disable', done: (code: number) => void): void {
  const summary =
    what === 'enable'
      ? "write our hooks into the agents' settings"
      : "take our hooks out of the agents' settings";
  const made = program
    .command(what)
    .description(`${summary}; shows what would change, and asks`)
    .option('--agent <names...>', 'these agents (default: all that are found here)')
    .option('--storage <directory>', 'where sessions are kept')
    .option('--dry-run', 'only show what would change')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print what was done, as data')
    .addHelpText('after', `\nAgents: ${agentNames.join(', ')}\n${exitCodes}`);
  made.action(async () => {
    const {
      agent = [],
      storage,
      dryRun,
      yes,
      json,
    } = made.opts<{
      agent?: string[];
      storage?: string;
      dryRun?: true;
      yes?: true;
      json?: true;
    }>();
    const { changeHooks } = await import('./enable/enable.ts');
    const agents = agent.flatMap((names) => names.split(','));
    const options = { agents, dryRun: dryRun === true, yes: yes === true, json: json === true };
    done(await changeHooks(what, { ...options, ...(storage === undefined ? {} : { storage }) }));
  });
}

function common(command: Command): Command {
  return command
    .option('-C, --path <directory>', 'the work tree, or a directory in it', '.')
    .option('--session <id>', 'this session, or the beginning of its id')
    .option('--storage <directory>', 'where sessions are kept')
    .option('--json', "print the wire's result")
    .addHelpText('after', exitCodes);
}

function usageOf({ words = [] }: CliCommand): string {
  return ['[options]', ...words.map(([name]) => name), '[path]'].join(' ');
}

function given(options: Record<string, unknown>, paths: readonly string[]): Given {
  const { path, session, storage, json, pager } = options;
  return {
    path: String(path),
    json: json === true,
    pager: pager !== false,
    paths,
    ...(typeof session === 'string' ? { session } : {}),
    ...(typeof storage === 'string' ? { storage } : {}),
  };
}

async function perform(command: CliCommand, wanted: Given, parsed: Command): Promise<number> {
  const { client, session, workspace } = await reach(wanted, { make: command.makesSession === true });
  const interrupt = new AbortController();
  const onSignal = (): void => interrupt.abort();
  process.on('SIGINT', onSignal);
  const task: Task = {
    ask: (method, params) => send(client, method, { session, ...params } as never, interrupt.signal),
    client,
    given: wanted,
    session,
    workspace,
    options: parsed.opts(),
    words: parsed.args.slice(0, command.words?.length ?? 0),
  };
  try {
    const isPaged = command.paged === true && wanted.pager && !wanted.json;
    return await paged(isPaged, () => command.run(task));
  } catch (error) {
    if (interrupt.signal.aborted) {
      note('interrupted; what was not finished has changed nothing');
      return exits.cancelled;
    }
    const code = explained(error);
    await suggest(task, error);
    return code;
  } finally {
    process.off('SIGINT', onSignal);
    await client.close();
  }
}

async function send<M extends RequestMethod>(
  client: CheckpointdClient,
  method: M,
  params: ParamsOf<M>,
  signal: AbortSignal,
): Promise<ResultOf<M>> {
  let isShown = false;
  const onProgress = (value: ProgressValue): void => {
    isShown = true;
    showProgress(value);
  };
  try {
    return await client.request(method, params, {
      signal,
      ...(process.stderr.isTTY ? { onProgress } : {}),
    });
  } finally {
    if (isShown) process.stderr.write(eraseLine);
  }
}

function showProgress(value: ProgressValue): void {
  if (value.kind === 'end') return;
  const done = value.percentage === undefined ? '' : ` ${value.percentage} %`;
  const files = value.filesDone === undefined ? '' : ` ${value.filesDone} files`;
  const line = `${plain(value.message ?? value.phase ?? 'working')}${done}${files}`;
  process.stderr.write(`${eraseLine}${cutTo(line, Math.max(1, process.stderr.columns - 1))}`);
}

function explained(error: unknown): number {
  if (error instanceof NoSession) {
    note(error.message);
    return exits.noSession;
  }
  if (error instanceof CheckpointdRequestError || error instanceof CheckpointdGoneError) {
    note(inCommands(error.message));
    return exits.failed;
  }
  if (error instanceof Error && 'code' in error) {
    note(error.message);
    return exits.failed;
  }
  throw error;
}

/** The tags and names that an unknown one may have meant. */
async function suggest(task: Task, error: unknown): Promise<void> {
  if (!(error instanceof CheckpointdRequestError) || error.kind !== 'UnknownCheckpoint') return;
  const checkpoints = await allCheckpoints(task);
  const known = checkpoints.flatMap(({ tag, name }) => [tag, name].filter((word) => word !== undefined));
  const meant = task.words.flatMap((word) => (known.includes(word) ? [] : nearest(word, known)));
  if (meant.length > 0) note(`did you mean ${meant.join(', ')}?`);
}
