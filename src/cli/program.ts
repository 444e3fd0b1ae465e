// Implements the command line. Parses the words, loads only the module of the given command, and returns the command's
// exit code. Loads the modules of all commands only for the help and after a mistake of the user.
import { Argument, Command, CommanderError } from 'commander';
import { type CliCommand, exitCodes, exits } from './command.ts';
import { completeTags, list } from './commands/list.ts';
import type { ImportOptions } from './commands/remotes.ts';
import type { DeletionOptions } from './commands/sessions.ts';
import type { Offered } from './completion.ts';
import type { EnableOptions } from './enable/enable.ts';
import { explained } from './explained.ts';
import { agentNames } from './hooks/payloads.ts';
import { nearest } from './nearest.ts';
import { misused } from './refusal.ts';
import {
  addSessionCommand,
  givenBy,
  withJsonOption,
  withSessionOptions,
  withStorageOption,
} from './session-command.ts';
import { allowUnread, say } from './terminal.ts';
import { workDirectory } from './tree-paths.ts';

/** Adds a command to the program. `paths` has the words after `--`; undefined if there is no `--`. */
type Add = (
  program: Command,
  paths: readonly string[] | undefined,
  done: (code: number) => void,
) => Promise<void>;

const onSession =
  (load: () => Promise<CliCommand>): Add =>
  async (program, paths, done) =>
    addSessionCommand(program, await load(), paths, done);

const commands: Readonly<Record<string, Add>> = {
  status: onSession(async () => (await import('./commands/status.ts')).status),
  list: onSession(async () => list),
  show: onSession(async () => (await import('./commands/show.ts')).show),
  diff: onSession(async () => (await import('./commands/diff.ts')).diff),
  create: onSession(async () => (await import('./commands/create.ts')).create),
  restore: onSession(async () => (await import('./commands/restore.ts')).restore),
  revert: onSession(async () => (await import('./commands/revert.ts')).revert),
  undo: onSession(async () => (await import('./commands/restore.ts')).undo),
  redo: onSession(async () => (await import('./commands/restore.ts')).redo),
  forget: onSession(async () => (await import('./commands/forget.ts')).forget),
  verify: onSession(async () => (await import('./commands/status.ts')).verify),
  gc: onSession(async () => (await import('./commands/status.ts')).gc),
  console: onSession(async () => (await import('./console/console.ts')).consoleCommand),
  'complete-tags': onSession(async () => completeTags),
  push: onSession(async () => (await import('./commands/push.ts')).push),
  remote: addRemotes,
  fetch: addFetch,
  import: addImport,
  sessions: addSessions,
  stop: async (program, _, done) => {
    const summary = 'stop the background daemon that earlier commands started, and the keeper of the hooks';
    const made = withJsonOption(withStorageOption(program.command('stop'))).description(summary);
    made.action(async () => {
      const { stop } = await import('./commands/stop.ts');
      done(await stop(givenBy(made.opts())));
    });
  },
  doctor: async (program, _, done) => {
    const summary = 'check that the daemon starts, and show its strategies, sessions and agents';
    const made = withJsonOption(withStorageOption(program.command('doctor'))).description(summary);
    made.action(async () => {
      const { doctor } = await import('./doctor.ts');
      done(await doctor(givenBy(made.opts())));
    });
  },
  mcp: addMcp,
  inspect: addInspect,
  enable: (program, _, done) => addHooks(program, 'enable', done),
  disable: (program, _, done) => addHooks(program, 'disable', done),
  completion: addCompletion,
};

/**
 * Runs `checkpointd <command> …`, where `argv` begins with the command. Returns the exit code. Reports a mistake of the
 * user instead of throwing.
 */
export async function runCommand(argv: readonly string[]): Promise<number> {
  allowUnread();
  const [first = ''] = argv;
  const end = argv.indexOf('--');
  const paths = end === -1 ? undefined : argv.slice(end + 1);
  const words = end === -1 ? argv : argv.slice(0, end);
  const json = words.includes('--json');
  let code = 0;
  const program = new Command('checkpointd')
    .description(
      'Make and restore checkpoints of a work tree. Without a command, checkpointd runs as the daemon (checkpointd --help).',
    )
    .exitOverride()
    .configureHelp({ subcommandTerm: termOf })
    .addHelpText('after', exitCodes);
  program.configureOutput({
    outputError: (text, write) => json || write(text.replace(/^error: /, 'checkpointd: ')),
  });
  for (const [name, add] of Object.entries(commands))
    if (name === first || !Object.hasOwn(commands, first)) await add(program, paths, (now) => (code = now));
  try {
    if (first === 'help') refuseUnknown(words);
    await program.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) return explained(error, { json });
    if (error.exitCode === 0) return 0;
    // Without --json, commander has already printed the message.
    const fact = error.message.replace(/^error: /, '').replace(/\.?\s*$/, '');
    return json ? explained(misused(fact, `See "checkpointd help ${first}".`), { json }) : exits.usage;
  }
}

/** Refuses `help` with an unknown command. @throws CommandRefusal */
function refuseUnknown([, ...words]: readonly string[]): void {
  const wanted = words.find((word) => !word.startsWith('-'));
  if (wanted === undefined || wanted === 'help' || Object.hasOwn(commands, wanted)) return;
  const meant = nearest(wanted, Object.keys(commands));
  const hint = meant.length === 0 ? '' : ` Did you mean ${meant.join(', ')}?`;
  throw misused(`checkpointd has no command "${wanted}"`, `"checkpointd help" lists the commands.${hint}`);
}

/**
 * Returns a command's name and arguments, as the list of commands shows them. Omits the options, because every command
 * has options.
 */
function termOf(command: Command): string {
  return `${command.name()} ${command.usage().replace(/^\[options\] ?/, '')}`.trimEnd();
}

async function addSessions(program: Command, _: unknown, done: (code: number) => void): Promise<void> {
  const made = withJsonOption(withStorageOption(program.command('sessions'))).description(
    'list all sessions of every directory; "sessions delete" deletes sessions',
  );
  made.option('--remote <remote>', 'list the sessions of a git remote');
  made.action(async () => {
    const { remote } = made.opts<{ remote?: string }>();
    const { sessions } = await import('./commands/sessions.ts');
    if (remote === undefined) return done(await sessions(givenBy(made.opts())));
    const { sessionsThere } = await import('./commands/remotes.ts');
    done(await sessionsThere(givenBy(made.opts()), remote));
  });
  const deleting = made
    .command('delete [id...]')
    .description('ask, then delete sessions with their checkpoints and conversations')
    .option('--older-than <days>', 'delete the sessions that were not used for this many days')
    .option('--dry-run', 'show which sessions would be deleted, and delete nothing')
    .option('-y, --yes', 'do not ask before the change')
    .addHelpText('after', exitCodes);
  deleting.action(async (ids: readonly string[]) => {
    const { deleteSessions } = await import('./commands/sessions.ts');
    // Both `sessions` and `sessions delete` have `--storage` and `--json`. Commander passes the values of these options
    // only to the outer command.
    const options = deleting.optsWithGlobals<Omit<DeletionOptions, 'ids'> & { [name: string]: unknown }>();
    done(await deleteSessions(givenBy(options), { ...options, ids }));
  });
}

async function addRemotes(program: Command, _: unknown, done: (code: number) => void): Promise<void> {
  const made = withJsonOption(withStorageOption(program.command('remote'))).description(
    'manage the git remotes for sessions: "remote add", "remote list", "remote remove"',
  );
  made.action(() => {
    throw misused('"remote" needs a subcommand', 'checkpointd remote add|list|remove');
  });
  const given = (command: Command): ReturnType<typeof givenBy> => givenBy(command.optsWithGlobals());
  const adding = made
    .command('add <name> <address>')
    .description('add a remote: ssh://user@host/path, user@host:path, https://host/path or a path')
    .option('--leave-out <globs...>', 'never send these files to the remote');
  adding.action(async (name: string, address: string) => {
    const { addRemote } = await import('./commands/remotes.ts');
    done(await addRemote(given(adding), name, address, adding.opts<{ leaveOut?: string[] }>().leaveOut));
  });
  const listing = made.command('list').description('list the remotes');
  listing.action(async () => done(await (await import('./commands/remotes.ts')).listRemotes(given(listing))));
  const removing = made
    .command('remove <name>')
    .description('remove a remote from the list; the sessions on the remote stay');
  removing.action(async (name: string) =>
    done(await (await import('./commands/remotes.ts')).removeRemote(given(removing), name)),
  );
}

async function addFetch(program: Command, _: unknown, done: (code: number) => void): Promise<void> {
  const made = withJsonOption(withStorageOption(program.command('fetch')))
    .description(
      'fetch and verify the sessions of a git remote; "import" also fetches the session that it imports',
    )
    .argument('<remote>', 'the name of a remote, as given to "checkpointd remote add"')
    .argument('[session]', 'only this session');
  made.action(async (remote: string, session: string | undefined) => {
    const { fetchRemote } = await import('./commands/remotes.ts');
    done(await fetchRemote(givenBy(made.opts()), remote, session));
  });
}

async function addImport(program: Command, _: unknown, done: (code: number) => void): Promise<void> {
  const made = withJsonOption(withStorageOption(program.command('import')))
    .description(
      'import a session of a git remote, to continue it on this machine; only a later "restore" changes files',
    )
    .argument('<remote>', 'the name of a remote, as given to "checkpointd remote add"')
    .argument('<session>', 'the session, or the beginning of its id')
    .option('-C, --directory <directory>', 'continue the session in this directory', '.')
    .option(
      '--writer <writer>',
      'import what the machine with this writer id pushed; "sessions --remote" lists the ids (default: the latest push)',
    )
    .option(
      '--strategy <strategy>',
      'the strategy of the imported session: shadow, local or sqlite (default: shadow)',
    )
    .option('--allow-protected', 'allow the home directory, its standard folders, or the root');
  made.action(async (remote: string, session: string) => {
    const { importHere } = await import('./commands/remotes.ts');
    done(await importHere(givenBy(made.opts()), remote, session, made.opts<ImportOptions>()));
  });
}

async function addMcp(program: Command, _: unknown, done: (code: number) => void): Promise<void> {
  const made = withSessionOptions(program.command('mcp')).description(
    'serve checkpoints as tools for an agent (Model Context Protocol on stdin and stdout)',
  );
  made.action(async () => {
    const { serveMcp } = await import('./mcp/serve-mcp.ts');
    const given = givenBy(made.opts());
    workDirectory(given.path);
    done(await serveMcp(given));
  });
}

async function addInspect(program: Command, _: unknown, done: (code: number) => void): Promise<void> {
  const made = withSessionOptions(program.command('inspect'))
    .description('serve a page on 127.0.0.1 that shows, compares and restores checkpoints')
    .option('--port <port>', 'listen on this port (default: a free port)');
  made.action(async () => {
    const { runInspector } = await import('./commands/inspect.ts');
    const given = givenBy(made.opts());
    workDirectory(given.path);
    const port: unknown = made.opts()['port'];
    done(await runInspector(given, typeof port === 'string' ? port : undefined));
  });
}

/**
 * Adds the command `enable` or `disable` to the program. These commands change settings of agents and use no session.
 */
async function addHooks(
  program: Command,
  what: 'enable' | 'disable',
  done: (code: number) => void,
): Promise<void> {
  const summary =
    what === 'enable'
      ? "add the hooks of checkpointd to the agents' settings"
      : "remove the hooks of checkpointd from the agents' settings";
  const made = program
    .command(what)
    .description(`ask, then ${summary}`)
    .option('--agent <names...>', 'only these agents (default: all agents found on this machine)')
    .option('--storage <directory>', 'the directory that holds the sessions')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('-p, --patch', 'show each line that changes')
    .option('-y, --yes', 'do not ask before the change')
    .option('--json', 'print the result as JSON');
  if (what === 'enable')
    made.option(
      '--keep-days <days>',
      'delete conversations of agents after this many days without use; "never" keeps all (default: 30)',
    );
  made.addHelpText('after', `\nAgents: ${agentNames.join(', ')}\n${exitCodes}`);
  made.action(async () => {
    const { changeHooks } = await import('./enable/enable.ts');
    done(await changeHooks(what, made.opts<EnableOptions>()));
  });
}

async function addCompletion(program: Command): Promise<void> {
  const { completion, installing, shells } = await import('./completion.ts');
  program
    .command('completion')
    .description('print a script that completes commands, options and tags in your shell')
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText('after', `${installing}\n${exitCodes}`)
    .action(async (shell: string) => say(completion(shell, await offered()) ?? ''));
}

/** Returns every command in the help, with its options. */
async function offered(): Promise<Offered[]> {
  const all = new Command();
  for (const add of Object.values(commands)) await add(all, undefined, () => undefined);
  const help = all.createHelp();
  return help.visibleCommands(all).map((each) => ({
    name: each.name(),
    summary: each.description(),
    options: help.visibleOptions(each).map(({ long, short, description, required, optional }) => ({
      long: (long ?? '').replace(/^--/, ''),
      short: short?.replace(/^-/, ''),
      summary: description,
      takesValue: required || optional,
    })),
  }));
}
