// checkpointd completion: what a shell needs to complete the names of commands, and tags where a command takes one.

export const shells = ['bash', 'zsh', 'fish'] as const;

/** Commands whose words are checkpoints. */
const takeTags = ['show', 'diff', 'restore'];
/** Prints one reference a line, and nothing where there is none. */
const ask = 'checkpointd complete-tags 2>/dev/null';

/** The script for one shell, to be read by it at its start; undefined for a shell that is not known. */
export function completion(shell: string, names: readonly string[]): string | undefined {
  const words = names.join(' ');
  switch (shell) {
    case 'bash':
      return `_checkpointd() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${words}' -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
    ${takeTags.join('|')}) COMPREPLY=($(compgen -W "$(${ask})" -- "$word")) ;;
  esac
}
complete -o default -F _checkpointd checkpointd`;
    case 'zsh':
      return `#compdef checkpointd
_checkpointd() {
  if (( CURRENT == 2 )); then
    compadd -- ${words}
  elif [[ " ${takeTags.join(' ')} " == *" $words[2] "* ]]; then
    compadd -- \${(f)"$(${ask})"}
    _files
  else
    _files
  fi
}
compdef _checkpointd checkpointd`;
    case 'fish':
      return `complete -c checkpointd -n __fish_use_subcommand -f -a '${words}'
complete -c checkpointd -n '__fish_seen_subcommand_from ${takeTags.join(' ')}' -a '(${ask})'`;
    default:
      return undefined;
  }
}
