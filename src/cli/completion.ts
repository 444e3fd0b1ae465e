// checkpointd completion: what a shell needs to complete the names of commands.

/** The script for one shell, to be read by it at its start; undefined for a shell that is not known. */
export function completion(shell: string, names: readonly string[]): string | undefined {
  const words = names.join(' ');
  switch (shell) {
    case 'bash':
      return `complete -o default -W '${words}' checkpointd`;
    case 'zsh':
      return `#compdef checkpointd\ncompdef '_arguments "1:command:(${words})" "*:file:_files"' checkpointd`;
    case 'fish':
      return `complete -c checkpointd -n __fish_use_subcommand -f -a '${words}'`;
    default:
      return undefined;
  }
}
