// checkpointd completion: what a shell needs to complete commands, their options, tags where a command takes one, and
// paths everywhere else. What there is to offer comes from the commands themselves.

export const shells = ['bash', 'zsh', 'fish'] as const;

/** What a command can be given. */
export interface Offered {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OfferedOption[];
}

interface OfferedOption {
  /** Without its dashes. */
  readonly long: string;
  readonly short?: string | undefined;
  readonly summary: string;
  readonly takesValue: boolean;
}

/** Commands whose words are checkpoints. */
const takeTags = ['show', 'diff', 'restore'];
/** Prints one reference a line, and nothing where there is none. */
const ask = 'checkpointd complete-tags 2>/dev/null';

/** How the script gets into each shell. */
export const installing = `
bash:  echo 'source <(checkpointd completion bash)' >> ~/.bashrc
zsh:   echo 'source <(checkpointd completion zsh)' >> ~/.zshrc     (below the line with compinit)
fish:  checkpointd completion fish > ~/.config/fish/completions/checkpointd.fish`;

/** The script for one shell, to be read by it at its start; undefined for a shell that is not known. */
export function completion(shell: string, commands: readonly Offered[]): string | undefined {
  if (shell === 'bash') return bash(commands);
  if (shell === 'zsh') return zsh(commands);
  return shell === 'fish' ? fish(commands) : undefined;
}

const dashed = ({ options }: Offered): string =>
  options
    .flatMap(({ long, short }) => [`--${long}`, ...(short === undefined ? [] : [`-${short}`])])
    .join(' ');

/** Options whose value is a path, or something that nobody can guess. */
const valued = (commands: readonly Offered[]): string => {
  const options = commands.flatMap(({ options }) => options).filter(({ takesValue }) => takesValue);
  const words = options.flatMap(({ long, short }) => [
    `--${long}`,
    ...(short === undefined ? [] : [`-${short}`]),
  ]);
  return [...new Set(words)].join('|');
};

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function bash(commands: readonly Offered[]): string {
  return `_checkpointd() {
  local word="\${COMP_WORDS[COMP_CWORD]}" each
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')}' -- "$word"))
    return
  fi
  for each in "\${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
    [ "$each" = -- ] && return
  done
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    ${valued(commands)}) return ;;
  esac
  case "$word" in
    -*)
      case "\${COMP_WORDS[1]}" in
${commands.map((each) => `        ${each.name}) COMPREPLY=($(compgen -W '${dashed(each)}' -- "$word")) ;;`).join('\n')}
      esac
      return ;;
  esac
  case "\${COMP_WORDS[1]}" in
    ${takeTags.join('|')}) COMPREPLY=($(compgen -W "$(${ask})" -- "$word")) ;;
    completion) COMPREPLY=($(compgen -W '${shells.join(' ')}' -- "$word")) ;;
  esac
}
complete -o default -F _checkpointd checkpointd`;
}

function zsh(commands: readonly Offered[]): string {
  const described = commands.map(({ name, summary }) => quoted(`${name}:${summary}`)).join(' ');
  return `#compdef checkpointd
_checkpointd() {
  if (( CURRENT == 2 )); then
    local -a commands=(${described})
    _describe command commands
    return
  fi
  if (( \${\${words[3,CURRENT-1]}[(I)--]} )); then
    _files
    return
  fi
  case $words[CURRENT-1] in
    ${valued(commands)}) _files; return ;;
  esac
  if [[ $PREFIX == -* ]]; then
    case $words[2] in
${commands.map((each) => `      ${each.name}) compadd -- ${dashed(each)} ;;`).join('\n')}
    esac
    return
  fi
  case $words[2] in
    ${takeTags.join('|')}) compadd -- \${(f)"$(${ask})"} ;;
    completion) compadd -- ${shells.join(' ')} ;;
    *) _files -/ ;;
  esac
}
if [[ $funcstack[1] == _checkpointd ]]; then
  _checkpointd "$@"
else
  compdef _checkpointd checkpointd
fi`;
}

function fish(commands: readonly Offered[]): string {
  const line = (condition: string, rest: string): string =>
    `complete -c checkpointd -n ${quoted(condition)} ${rest}`;
  const options = commands.flatMap(({ name, options: all }) =>
    all.map(({ long, short, summary, takesValue }) =>
      line(
        `__fish_seen_subcommand_from ${name}`,
        `-l ${long}${short === undefined ? '' : ` -s ${short}`}${takesValue ? ' -r' : ''} -d ${quoted(summary)}`,
      ),
    ),
  );
  const before = 'not contains -- -- (commandline -opc)';
  return [
    ...commands.map(({ name, summary }) =>
      line('__fish_use_subcommand', `-f -a ${name} -d ${quoted(summary)}`),
    ),
    ...options,
    line(`__fish_seen_subcommand_from ${takeTags.join(' ')}; and ${before}`, `-f -a '(${ask})'`),
    line('__fish_seen_subcommand_from completion', `-f -a '${shells.join(' ')}'`),
  ].join('\n');
}
