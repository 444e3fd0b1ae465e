// Generates src/protocol/error-remedies.ts, which has the remedy for each error. The command line prints remedies,
// because its users do not read the reference. The table is a separate file, because only a failed command needs it.
import { type GeneratedFile, generatedNotice, type ProtocolDocument } from './dialect.ts';

/** Emits a table of the remedies, whose keys are the names of the errors. */
export function typescriptRemedies(document: ProtocolDocument): GeneratedFile {
  const rows = document.errors.map(({ name, remedy }) => `  ${name}: ${quoted(remedy)},\n`);
  const content = [
    `// ${generatedNotice}\n`,
    `/** A remedy for each kind of error. */\nexport const errorRemedies = {\n${rows.join('')}} as const;\n`,
  ].join('\n');
  return { path: 'src/protocol/error-remedies.ts', content };
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
