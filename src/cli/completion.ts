// checkpointd completion: prints scripts with which a shell completes commands, options and tags. For all other words,
// the shell completes paths, relative to the directory of `-C`. The names of commands and options come from the command
// line's own definitions.

export const shells = ['bash', 'zsh', 'fish'] as const;

export interface Offered {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OfferedOption[];
}

interface OfferedOption {
  /** The name without dashes. */
  readonly long: string;
  readonly short?: string | undefined;
  readonly summary: string;
  readonly takesValue: boolean;
}

/** The commands whose first words are checkpoints. The value is the maximum number of these words. */
const takeTags = { show: 1, diff: 2, restore: 1, revert: 2 } as const;
/**
 * The places where the shell completes tags: a command, and the number of words before the word that the user is
 * typing.
 */
const tagPlaces = Object.entries(takeTags).flatMap(([name, count]) =>
  Array.from({ length: count }, (_, at) => `${name}:${at}`),
);
/** The options that choose the session. The completion passes these options to the command that prints the tags. */
const whereOptions = '-C|--directory|--session|--storage';

/** The instructions to install the script in each shell. */
export const installing = `
bash:  echo 'source <(checkpointd completion bash)' >> ~/.bashrc
zsh:   echo 'source <(checkpointd completion zsh)' >> ~/.zshrc     (below the line with compinit)
fish:  checkpointd completion fish > ~/.config/fish/completions/checkpointd.fish`;

/** Returns the script that the shell reads at its start. Returns undefined for an unknown shell. */
export function completion(shell: string, commands: readonly Offered[]): string | undefined {
  if (shell === 'bash') return bash(commands);
  if (shell === 'zsh') return zsh(commands);
  return shell === 'fish' ? fish(commands) : undefined;
}

const dashed = ({ options }: Offered): string =>
  options
    .flatMap(({ long, short }) => [`--${long}`, ...(short === undefined ? [] : [`-${short}`])])
    .join(' ');

/** Returns the options that take a value. Each value is a path, or a text that the shell cannot complete. */
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
  local word="\${COMP_WORDS[COMP_CWORD]}" each option= directory=. count=0 where=() IFS=$'\n'
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(IFS=' '; compgen -W '${commands.map(({ name }) => name).join(' ')}' -- "$word"))
    return
  fi
  for each in "\${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
    [ "$each" = = ] && continue
    if [ -n "$option" ]; then
      case "$option" in
        ${whereOptions}) where+=("$option" "\${each/#\\~/$HOME}") ;;
      esac
      case "$option" in
        -C|--directory) directory="\${each/#\\~/$HOME}" ;;
      esac
      option=
      continue
    fi
    case "$each" in
      --) count=99; break ;;
      ${valued(commands)}) option="$each" ;;
      -*) ;;
      *) count=$((count + 1)) ;;
    esac
  done
  [ -n "$option" ] && return
  case "$word" in
    -*)
      [ "$count" -eq 99 ] && return
      case "\${COMP_WORDS[1]}" in
${commands.map((each) => `        ${each.name}) COMPREPLY=($(IFS=' '; compgen -W '${dashed(each)}' -- "$word")) ;;`).join('\n')}
      esac
      return ;;
  esac
  case "\${COMP_WORDS[1]}:$count" in
    ${tagPlaces.join('|')}) COMPREPLY=($(compgen -W "$(checkpointd complete-tags "\${where[@]}" 2>/dev/null)" -- "$word")) ;;
    completion:0) COMPREPLY=($(IFS=' '; compgen -W '${shells.join(' ')}' -- "$word")) ;;
  esac
  case "\${COMP_WORDS[1]}:$count" in
    restore:0|revert:0|show:*|completion:*) ;;
    restore:*|revert:*|diff:*)
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(cd "$directory" 2>/dev/null && compgen -f -- "$word")) ;;
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
  local each option= directory=. count=0
  local -a where
  for each in "\${(@)words[3,CURRENT-1]}"; do
    if [[ -n $option ]]; then
      case $option in
        ${whereOptions}) where+=($option "\${(Q)each}") ;;
      esac
      case $option in
        -C|--directory) directory="\${(Q)each}" ;;
      esac
      option=
      continue
    fi
    case $each in
      --) count=99; break ;;
      ${valued(commands)}) option=$each ;;
      -*) ;;
      *) (( count += 1 )) ;;
    esac
  done
  if [[ -n $option ]]; then
    _files
    return
  fi
  if [[ $PREFIX == -* && $count -ne 99 ]]; then
    case $words[2] in
${commands.map((each) => `      ${each.name}) compadd -- ${dashed(each)} ;;`).join('\n')}
    esac
    return
  fi
  case $words[2]:$count in
    ${tagPlaces.join('|')}) compadd -- \${(f)"$(checkpointd complete-tags "\${where[@]}" 2>/dev/null)"} ;;
    completion:0) compadd -- ${shells.join(' ')} ;;
  esac
  case $words[2]:$count in
    restore:0|revert:0|show:*|completion:*) ;;
    restore:*|revert:*|diff:*) _files -W "\${directory:A}" ;;
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
  const position = 'contains -- (__checkpointd_words)[1]';
  const tags = 'checkpointd complete-tags (__checkpointd_words)[2..] 2>/dev/null';
  return [
    fishFunctions(commands),
    ...commands.map(({ name, summary }) =>
      line('__fish_use_subcommand', `-f -a ${name} -d ${quoted(summary)}`),
    ),
    ...options,
    line(`${position} ${tagPlaces.join(' ')}`, `-f -a '(${tags})'`),
    line(`${position} diff:0 diff:1 revert:1; or __checkpointd_at_paths`, "-f -a '(__checkpointd_paths)'"),
    line('__fish_seen_subcommand_from completion', `-f -a '${shells.join(' ')}'`),
  ].join('\n');
}

/**
 * Returns the shell functions that the completions use. These functions find the position of the cursor, and the paths
 * in the command line.
 */
function fishFunctions(commands: readonly Offered[]): string {
  return `function __checkpointd_words
    set -l words (commandline -opc)
    set -l count 0
    set -l option
    set -l where
    for each in $words[3..]
        if test -n "$option"
            contains -- $option ${whereOptions.replaceAll('|', ' ')}; and set where $where $option $each
            set option
            continue
        end
        switch "$each"
            case --
                set count 99
                break
            case ${valued(commands).replaceAll('|', ' ')}
                set option $each
            case '-*'
            case '*'
                set count (math $count + 1)
        end
    end
    printf '%s\\n' "$words[2]:$count" $where
end
function __checkpointd_at_paths
    string match -qr '^(restore:[1-9]|(revert|diff):[2-9])' -- (__checkpointd_words)[1]
end
function __checkpointd_paths
    set -l directory .
    set -l where (__checkpointd_words)[2..]
    for name in -C --directory
        set -l at (contains -i -- $name $where); and set directory $where[(math $at + 1)]
    end
    for each in $directory/(commandline -ct)*
        test -d $each; and set each $each/
        string replace -- $directory/ '' $each
    end
end`;
}
