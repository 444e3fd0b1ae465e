// The pages of protocol/REFERENCE.md that are not generated from protocol.json: the first session, the words, flags
// and environment, and how to make a client from the projections.
import { helpText } from '../../src/flags.ts';
import { type ProtocolDocument, schemaHash } from './dialect.ts';
import { firstSession } from './first-session.ts';

/** Returns the recorded session with every byte of its frames: the header, the empty line (as `␍␊`), the body. */
export function firstPage(document: ProtocolDocument): string {
  const blocks = firstSession.map(({ who, text }) => {
    if (who === 'note') return `${text}\n`;
    const body = text.replace(/"schemaHash":"[0-9a-f]+"/, `"schemaHash":"${schemaHash(document)}"`);
    const arrow = who === 'client' ? '→' : '←';
    return `\`\`\`\n${arrow} Content-Length: ${Buffer.byteLength(body)}␍␊\n${arrow} ␍␊\n${arrow} ${body}\n\`\`\`\n`;
  });
  return `## A first session

A whole session, byte for byte, recorded from the daemon. \`␍␊\` stands for CR LF, the only line ends there are: a body is followed by nothing. Ids, times and paths are different each time.

${blocks.join('\n')}`;
}

export const glossary = `## Words

| word | means |
|---|---|
| **work tree** | the directory whose files are captured and restored |
| **session** | one conversation on one work tree in one store. Work tree, conversation id and strategy decide its id |
| **checkpoint** | an immutable state of the work tree together with how far the conversation was; its id is for ever |
| **tag** | \`0\`, \`3\`, \`3.2\`: base, turn, tool of a turn. A tag has one bearer at a time and may move to a newer checkpoint |
| **head** | the checkpoint that the session *stands on*: the one that it made or restored last |
| **detached** | said of a checkpoint that the head does not come after, because a restore went back behind it. It can still be restored |
| **snapshot** | the content of a work tree; equal contents and modes have equal ids within a strategy |
| **safety checkpoint** | the present as it was before a restore; \`checkpoint/undo\` goes back to it |
| **key** | \`idempotencyKey\`: the client's own name for one intent. The same key with the same parameters is done once, however often it is asked |
| **lane** | which requests wait for each other. \`session\`: one after the other in the order of arrival, for each session. \`remote\`: one after the other for each remote, beside everything else. \`global\`: the life of the whole daemon. \`none\` and others: at once |
| **effects** | of a method: what it can change (\`none\`, \`store\`, \`workspace\`, \`process\`). Of an error: what was changed before it (\`none\`, \`committed\`, \`unknown\` …) |
| **drift** | a change that a capture found and the watch had not told |
| **strategy** | how checkpoints are kept: \`shadow\`, \`local\` or \`sqlite\` |
`;

export const commandLine = `## Flags and environment

\`\`\`
${helpText.trimEnd()}
\`\`\`

From the environment the daemon takes \`PATH\` (to find git), \`XDG_STATE_HOME\` (sessions live in \`$XDG_STATE_HOME/checkpointd\`, default \`~/.local/state/checkpointd\`), \`XDG_RUNTIME_DIR\` (the socket for further clients stands in \`$XDG_RUNTIME_DIR/checkpointd\`, default \`run\` of the storage), \`XDG_CONFIG_HOME\` and \`HOME\` (your own git ignore rules). git gets an environment of its own: no \`GIT_…\` variable reaches it.
`;

export const examplesRead = `### How to read the examples

They succeed, in a session that is open as \`\${session}\` on the git repository \`\${workspace}\` with \`README.md\` and \`src/a.txt\`. \`before\` are steps that come first: a file that is written, a request whose answer has the name \`as\`. \`\${name.field}\` is a value of such an answer; \`\${string}\`, \`\${integer}\` and the like stand for any value of that type. An answer may have more fields than are shown. Each is executed against the daemon.
`;

export const generators = `## Making a client

| from | with | what to know |
|---|---|---|
| \`schema.json\` (JSON Schema 2020-12) | \`npx json-schema-to-typescript -i schema.json -o types.ts\` | every definition is a type of its name |
| | \`npx quicktype --src-lang schema --lang <language> schema.json\` | the type \`CheckpointdProtocol\` only names the others |
| | \`datamodel-codegen --input schema.json --input-file-type jsonschema --output-model-type pydantic_v2.BaseModel --use-annotated --output models.py\` | \`x-methods\` tells which definitions are the parameters and the result of a method |
| \`openrpc.json\` (OpenRPC 1.4.1) | any OpenRPC generator; also answered by \`rpc.discover\` | parameters go by name (\`paramStructure: by-name\`) |
| \`metaModel.json\` (the meta model of LSP 3.18) | generators for LSP such as lsprotocol | requests, notifications and structures; no examples |
| \`protocol.json\` | your own generator | the source: also rules, errors with remedies, and more examples |

What a generator does not make: frames (rules M6 to M12), cancelling, progress, and the end of the daemon. The clients for TypeScript, Python and Rust in \`clients/\` show each in a few hundred lines, and \`clients/scenarios.json\` is the test that they share. Read enums marked open with a default, and ignore fields that you do not know.
`;
