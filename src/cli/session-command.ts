// Declares a command that works on a session. The command's own file describes its words and options.
import type { Command } from 'commander';
import { type CliCommand, exitCodes, type Given } from './command.ts';
import { misused } from './refusal.ts';

/** Adds the command. `paths` has the words after `--`; undefined if there is no `--`. */
export function addSessionCommand(
  program: Command,
  command: CliCommand,
  paths: readonly string[] | undefined,
  done: (code: number) => void,
): void {
  const made = withSessionOptions(
    program.command(command.name, { hidden: command.hidden === true }).description(command.summary),
  );
  if (command.withoutJson !== true) withJsonOption(made);
  for (const [name, description] of command.words ?? []) made.argument(name, description);
  if (command.paths) made.argument('[paths...]', pathsHelp);
  for (const [flags, description] of command.options ?? []) made.option(flags, description);
  if (command.paged) made.option('--no-pager', 'do not use a pager for long text');
  made.allowExcessArguments().action(async () => {
    refuseExcess(made, command, paths);
    const { perform } = await import('./perform.ts');
    done(await perform(command, givenBy(made.opts(), paths), { options: made.opts(), words: made.args }));
  });
}

const pathsHelp =
  'only these files and directories, relative to the current directory; with ":/" in front, relative to the root of the work tree';

/** Refuses words that a command does not take, so that no word is ignored silently. @throws CommandRefusal */
function refuseExcess(
  { args }: Command,
  { name, words = [], paths: takesPaths, excess }: CliCommand,
  paths: readonly string[] | undefined,
): void {
  if (takesPaths === true) return;
  const [first] = [...args.slice(words.length), ...(paths ?? [])];
  if (first === undefined && paths === undefined) return;
  throw misused(
    first === undefined ? `"${name}" takes no paths after --` : `"${name}" does not take "${first}"`,
    excess ?? 'Use -C <directory> to name the work tree or a directory in it.',
  );
}

export function withSessionOptions(command: Command): Command {
  return withStorageOption(command)
    .option('-C, --directory <directory>', 'run in this directory: the work tree or a directory in it', '.')
    .option('--session <id>', 'use this session (its id, or the beginning of its id)');
}

export function withStorageOption(command: Command): Command {
  return command
    .option('--storage <directory>', 'the directory that holds the sessions')
    .addHelpText('after', exitCodes);
}

export function withJsonOption(command: Command): Command {
  return command.option('--json', 'print the result or the error as JSON');
}

export function givenBy(options: Record<string, unknown>, paths: readonly string[] = []): Given {
  const { directory, session, storage, json, pager } = options;
  return {
    path: typeof directory === 'string' ? directory : '.',
    json: json === true,
    pager: pager !== false,
    paths,
    ...(typeof session === 'string' ? { session } : {}),
    ...(typeof storage === 'string' ? { storage } : {}),
  };
}
