// How a command that works on a session is said on the command line: its words and options, from what its file tells.
import type { Command } from 'commander';
import { type CliCommand, exitCodes, exits, type Given } from './command.ts';
import { note } from './terminal.ts';

/** Adds it; `paths` is what stood after `--`, undefined without one. */
export function addSessionCommand(
  program: Command,
  command: CliCommand,
  paths: readonly string[] | undefined,
  done: (code: number) => void,
): void {
  const made = withCommonOptions(
    program.command(command.name, { hidden: command.hidden === true }).description(command.summary),
  );
  for (const [name, description] of command.words ?? []) made.argument(name, description);
  made.argument('[path]', 'the work tree, or a directory in it (as -C)');
  for (const [flags, description] of command.options ?? []) made.option(flags, description);
  if (command.paged) made.option('--no-pager', 'print long text as it is');
  if (command.paths) made.usage(`${usageOf(command)} [-- paths]`);
  made.action(async () => {
    const count = command.words?.length ?? 0;
    if (!command.paths && paths !== undefined) {
      note(`"${command.name}" takes no paths after --`);
      done(exits.usage);
      return;
    }
    const { perform } = await import('./perform.ts');
    const options = optionsOf(made, count);
    done(await perform(command, givenBy(options, paths), { options, words: made.args.slice(0, count) }));
  });
}

/** The options of a command that was read; a path that stands after its `count` words is the option of that name. */
export function optionsOf(made: Command, count: number): Record<string, unknown> {
  const place = made.args[count];
  return { ...made.opts(), ...(place === undefined ? {} : { path: place }) };
}

export function withCommonOptions(command: Command): Command {
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

export function givenBy(options: Record<string, unknown>, paths: readonly string[] = []): Given {
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
