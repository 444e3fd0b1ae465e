// Generates a method of the Python client for each request and event, so that a type checker finds wrong fields. The
// methods only call `request` and `on`, which client.py and sync.py implement.
import {
  type GeneratedFile,
  generatedNotice,
  type Method,
  type ProtocolDocument,
  refName,
  wrap,
} from './dialect.ts';

/** The requests that begin and end a connection. The client sends these requests by itself. */
const ownLife = new Set(['initialize', 'shutdown']);

function typeName(schema: Method['params']): string {
  if (schema?.$ref === undefined) return 'None';
  const name = refName(schema.$ref);
  if (name === 'Null') return 'None';
  return name === 'Json' ? 'Any' : name;
}

/** Returns a method's name in Python's spelling: `checkpoint_has_changes` for `checkpoint/hasChanges`. */
function pythonName(method: string): string {
  return method.replace(/[/.]/g, '_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

interface Face {
  readonly path: string;
  readonly words: string;
  readonly className: string;
  readonly isAsync: boolean;
}

const asyncFace: Face = {
  path: 'protocol/clients/python/checkpointd/_requests.py',
  words: 'Every request and event of the protocol, for asyncio.',
  className: 'Requests',
  isAsync: true,
};

const syncFace: Face = {
  path: 'protocol/clients/python/checkpointd/_sync_requests.py',
  words: 'Every request and event of the protocol, for scripts.',
  className: 'SyncRequests',
  isAsync: false,
};

/** Returns the keyword arguments of a request, and the code that passes them on. */
function options({ isAsync }: Face): { declared: string; passed: string } {
  const declared = [
    '        *,\n        on_progress: Optional[ProgressListener] = None,\n        timeout: Optional[float] = None,\n',
    isAsync ? '        cancel: Optional[asyncio.Event] = None,\n' : '',
  ].join('');
  return { declared, passed: `on_progress=on_progress, timeout=timeout${isAsync ? ', cancel=cancel' : ''}` };
}

function docstring(text: string | undefined): string {
  const lines = wrap((text ?? '').replaceAll('"""', "'''"), 90);
  return lines.length === 1 ? `"""${lines[0]}"""` : `"""${lines.join('\n        ')}\n        """`;
}

function request(method: Method, face: Face): string {
  const { declared, passed } = options(face);
  const [definition, call] = face.isAsync ? ['async def', 'await self'] : ['def', 'self'];
  const result = typeName(method.result);
  const sent = `${call}.request("${method.name}", params, ${passed})`;
  return `    ${definition} ${pythonName(method.name)}(
        self,
        params: ${typeName(method.params)},
${declared}    ) -> ${result}:
        ${docstring(method.description)}
        ${result === 'Any' ? `return ${sent}` : `result: ${result} = ${sent}\n        return result`}
`;
}

function event(method: Method): string {
  return `    def on_${pythonName(method.name.replace('$/', ''))}(
        self, listener: Callable[[${typeName(method.params)}], None]
    ) -> Callable[[], None]:
        ${docstring(method.description)}
        return self.on("${method.name}", listener)
`;
}

function pythonFace(document: ProtocolDocument, face: Face): GeneratedFile {
  const requests = document.methods.filter(
    (method) => method.kind === 'request' && !ownLife.has(method.name),
  );
  const events = document.methods.filter(
    (method) =>
      method.kind === 'notification' && method.direction === 'serverToClient' && method.name !== '$/progress',
  );
  const used = new Set(
    [...requests, ...events]
      .flatMap((method) => [typeName(method.params), typeName(method.result)])
      .filter((name) => name !== 'None' && name !== 'Any'),
  );
  const imports = [...used, 'ProgressValue']
    .sort()
    .map((name) => `    ${name},\n`)
    .join('');
  const { declared } = options(face);
  const content = `# ${generatedNotice}
"""${face.words}"""

from __future__ import annotations

${face.isAsync ? 'import asyncio\n' : ''}from typing import Any, Callable, Mapping, Optional

from ._types import (
${imports})

ProgressListener = Callable[[ProgressValue], None]


class ${face.className}:
    """The requests and events of the protocol. The client class sends and receives the messages.

    Each request takes its parameters as a dictionary, and calls \`\`on_progress\`\` with each report of progress. The
    client cancels the request after \`\`timeout\`\` seconds${face.isAsync ? ', or when ``cancel`` is set' : ''}. A request that has already
    committed still returns its result. Raises :class:\`checkpointd.CheckpointdError\`, by kind.
    """

    ${face.isAsync ? 'async def' : 'def'} request(
        self,
        method: str,
        params: Optional[Mapping[str, Any]] = None,
${declared}    ) -> Any:
        """Sends the request \`\`method\`\`, without types."""
        raise NotImplementedError

    def on(self, event: str, listener: Callable[[Any], None]) -> Callable[[], None]:
        """Calls \`\`listener\`\` for each notification \`\`event\`\`. Returns a function that stops this."""
        raise NotImplementedError

${[...requests.map((method) => request(method, face)), ...events.map(event)].join('\n')}`;
  return { path: face.path, content };
}

/** Emits the base class of the client for asyncio. */
export function pythonRequests(document: ProtocolDocument): GeneratedFile {
  return pythonFace(document, asyncFace);
}

/** Emits the base class of the client for scripts. */
export function pythonSyncRequests(document: ProtocolDocument): GeneratedFile {
  return pythonFace(document, syncFace);
}
