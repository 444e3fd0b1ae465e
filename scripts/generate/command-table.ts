// Projection: src/commands/table.ts. The table of all commands: one file a request of a client, found by the method's
// name, so that a method without a command does not compile. The life cycle's own requests are answered by rpc/.
import { type GeneratedFile, generatedNotice, type ProtocolDocument } from './dialect.ts';

const kebab = (word: string): string => word.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/**
 * `checkpoint/readFile`: in `checkpoint/read-file.ts`, and `checkpointReadFile` in the table. What several methods of a
 * noun are about, and one of them is named after, has a folder: `conversation/enterTangent` and `conversation/tangent`
 * are in `conversation/tangent/`.
 */
function placeOf(
  method: string,
  methods: readonly string[],
): { readonly file: string; readonly name: string } {
  const [noun = '', verb = ''] = method.split('/');
  const lastWord = (of: string): string => (/[A-Z][a-z]*$/.exec(of)?.[0] ?? '').toLowerCase();
  const isNamedAfter = methods.some((other) => other.startsWith(`${noun}/`) && lastWord(other) === verb);
  const thing = isNamedAfter ? verb : lastWord(verb);
  const folder = isNamedAfter || methods.includes(`${noun}/${thing}`) ? `${noun}/${thing}` : noun;
  return {
    file: `./${folder}/${kebab(verb)}.ts`,
    name: `${noun}${verb.charAt(0).toUpperCase()}${verb.slice(1)}`,
  };
}

/** As the formatter sorts them: by the words of the path. */
const byFile = (a: { readonly file: string }, b: { readonly file: string }): number =>
  a.file.replace('.ts', '') < b.file.replace('.ts', '') ? -1 : 1;

/** Emits the table, in the order of the files' names, as the formatter wants it. */
export function commandTable(document: ProtocolDocument): GeneratedFile {
  const commands = document.methods
    .filter(
      ({ name, kind, direction }) =>
        kind === 'request' && direction !== 'serverToClient' && name.includes('/'),
    )
    .map(({ name: method }, _, all) => ({
      method,
      ...placeOf(
        method,
        all.map(({ name }) => name),
      ),
    }))
    .sort(byFile);
  const imports = [...commands, { file: './command.ts', name: '' }]
    .sort(byFile)
    .map(({ file, name }) =>
      name === ''
        ? `import type { Commands } from '${file}';\n`
        : `import { command as ${name} } from '${file}';\n`,
    );
  const rows = commands.map(({ method, name }) => `  '${method}': ${name},\n`);
  const content = [
    `// ${generatedNotice}\n// Every command by its method. It decides nothing.\n`,
    `${imports.join('')}\n`,
    `export const commands: Commands = {\n${rows.join('')}};\n`,
  ].join('');
  return { path: 'src/commands/table.ts', content };
}
