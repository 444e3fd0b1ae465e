// The pages of protocol/REFERENCE.md that do not come from protocol.json: the first session, the glossary, the flags,
// the environment, and how to make a client.
import { helpText } from '../../src/flags.ts';
import { type ProtocolDocument, schemaHash } from './dialect.ts';
import { firstSession } from './first-session.ts';

/** Returns the recorded session with every byte of its frames: the header, the empty line (as `␍␊`), and the body. */
export function firstPage(document: ProtocolDocument): string {
  const blocks = firstSession.map(({ who, text }) => {
    if (who === 'note') return `${text}\n`;
    const body = text.replace(/"schemaHash":"[0-9a-f]+"/, `"schemaHash":"${schemaHash(document)}"`);
    const arrow = who === 'client' ? '→' : '←';
    return `\`\`\`\n${arrow} Content-Length: ${Buffer.byteLength(body)}␍␊\n${arrow} ␍␊\n${arrow} ${body}\n\`\`\`\n`;
  });
  return `## A first session

These are all bytes of one session with the daemon. \`␍␊\` stands for CR LF. After a body, the next header follows directly, without a line end. Ids, times and paths are different each time.

${blocks.join('\n')}`;
}

export const glossary = `## Words

| word | means |
|---|---|
| **work tree** | the directory whose files are captured and restored |
| **session** | one conversation on one work tree in one store. Work tree, conversation id and strategy determine the id of the session |
| **checkpoint** | a state of the work tree with the position of the conversation. A checkpoint and its id never change |
| **tag** | the place of a checkpoint in the conversation: \`0\` is the base, \`3\` a turn, \`3.2\` a tool of that turn. A tag belongs to one checkpoint at a time and may move to a newer checkpoint |
| **head** | the current checkpoint of the session: the checkpoint that was made or restored last |
| **detached** | a checkpoint from which the head does not descend, because a restore went back to an earlier checkpoint. A detached checkpoint can still be restored |
| **snapshot** | the content of a work tree; equal contents and modes have equal ids within a strategy |
| **safety checkpoint** | a checkpoint of the state before a restore; \`checkpoint/undo\` restores this state |
| **key** | \`idempotencyKey\`: the client's own name for one intended change. Requests with the same key and parameters make the change once |
| **lane** | the queue of a request. \`session\`: requests of a session run one after the other, in the order of arrival. \`remote\`: the daemon runs the requests of each remote one after the other. \`global\` (for requests about the whole daemon) and \`none\`: the request runs immediately |
| **effects** | for a method: what the method can change (\`none\`, \`store\`, \`workspace\`, \`process\`). For an error: what the request changed (\`none\`, \`committed\`, \`unknown\` …) |
| **idempotency** | what happens if a request is sent twice. \`safe\`: the request changes nothing. \`natural\`: the second request changes nothing more. \`key\`: with the same key, the second request changes nothing more. \`none\`: the second request is refused |
| **drift** | a change that a capture found although the watcher had not reported it |
| **strategy** | how checkpoints are stored: \`shadow\`, \`local\` or \`sqlite\` |
`;

export const commandLine = `## Flags and environment

\`\`\`
${helpText.trimEnd()}
\`\`\`

The daemon reads these environment variables:

- \`PATH\`: to find git.
- \`XDG_STATE_HOME\`: the default storage is \`$XDG_STATE_HOME/checkpointd\`, or \`~/.local/state/checkpointd\` if the variable is not set.
- \`XDG_RUNTIME_DIR\`: the socket for further clients is in \`$XDG_RUNTIME_DIR/checkpointd\`, or in \`run\` of the storage if the variable is not set.
- \`XDG_CONFIG_HOME\` and \`HOME\`: to find the user's git ignore rules.

The daemon starts git without the user's \`GIT_…\` variables.
`;

export const examplesRead = `### How to read the examples

Each example is a request that succeeds; a test sends it to the daemon. Its session is \`\${session}\`, and its work tree is the git repository \`\${workspace}\` with the files \`README.md\` and \`src/a.txt\`. \`before\` lists steps before the request: a file to write, or a request whose answer gets the name \`as\`. \`\${name.field}\` is the field \`field\` of the answer called \`name\`. \`\${string}\`, \`\${integer}\` and similar names stand for any value of that type. The real answer may have more fields.
`;

export const generators = `## Making a client

| from | with | what to know |
|---|---|---|
| \`schema.json\` (JSON Schema 2020-12) | \`npx json-schema-to-typescript -i schema.json -o types.ts\` | each definition becomes a type with its name |
| | \`npx quicktype --src-lang schema --lang <language> schema.json\` | the type \`CheckpointdProtocol\` contains only references to the other types |
| | \`datamodel-codegen --input schema.json --input-file-type jsonschema --output-model-type pydantic_v2.BaseModel --use-annotated --output models.py\` | \`x-methods\` names the definitions of each method's parameters and result |
| \`openrpc.json\` (OpenRPC 1.4.1) | any OpenRPC generator; \`rpc.discover\` returns this document, too | parameters have names (\`paramStructure: by-name\`) |
| \`metaModel.json\` (the meta model of LSP 3.18) | generators for LSP such as lsprotocol | the file has requests, notifications and structures, but no examples |
| \`protocol.json\` | your own generator | the source of the other files; it also has rules, errors with remedies, and more examples |

You write the rest by hand: frames (rules M6 to M12), cancelling, progress, and the end of the daemon. The clients for TypeScript, Python and Rust in \`clients/\` do this in a few hundred lines, and share the test \`clients/scenarios.json\`. Use a default for unknown values of open enums, and ignore unknown fields.
`;
