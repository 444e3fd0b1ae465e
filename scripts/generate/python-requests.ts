// Projection: the Python client's requests and events with their types, as overloads that name each method. It holds
// no behaviour: the client of checkpointd/client.py gives `send` and `listen`.
import {
  type GeneratedFile,
  generatedNotice,
  type Method,
  type ProtocolDocument,
  refName,
} from './dialect.ts';

/** The client's own life: it sends these itself. */
const ownLife = new Set(['initialize', 'shutdown']);

function typeName(schema: Method['params']): string {
  if (schema?.$ref === undefined) return 'None';
  const name = refName(schema.$ref);
  if (name === 'Null') return 'None';
  return name === 'Json' ? 'Any' : name;
}

function request(method: Method): string {
  return `    @overload
    async def request(
        self,
        method: Literal["${method.name}"],
        params: ${typeName(method.params)},
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ${typeName(method.result)}: ...
`;
}

function event(method: Method): string {
  return `    @overload
    def on(
        self, event: Literal["${method.name}"], listener: Callable[[${typeName(method.params)}], None]
    ) -> Callable[[], None]: ...
`;
}

/** Emits the base class that gives `request` and `on` their types. */
export function pythonRequests(document: ProtocolDocument): GeneratedFile {
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
  const content = `# ${generatedNotice}
"""Every request and event by its name, with its types."""

from __future__ import annotations

import asyncio
from typing import Any, Callable, Literal, Mapping, Optional, overload

from ._types import (
${imports})

ProgressListener = Callable[[ProgressValue], None]


class Requests:
    """What a client can ask and be told. The client itself adds how."""

    async def send(
        self,
        method: str,
        params: Optional[Mapping[str, Any]] = None,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
        cancel: Optional[asyncio.Event] = None,
    ) -> Any:
        """Sends any request, without types."""
        raise NotImplementedError

    def listen(self, event: str, listener: Callable[[Any], None]) -> Callable[[], None]:
        """Listens to any notification, without types."""
        raise NotImplementedError

${requests.map(request).join('\n')}
    async def request(
        self,
        method: Any,
        params: Any,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
        cancel: Optional[asyncio.Event] = None,
    ) -> Any:
        """Sends a request and returns its result.

        \`\`on_progress\`\` is called with each report. After \`\`timeout\`\` seconds, and
        when \`\`cancel\`\` is set, the request is cancelled: what had committed by then is a result all the same.
        Raises :class:\`checkpointd.CheckpointdError\`, by kind.
        """
        return await self.send(method, params, on_progress=on_progress, timeout=timeout, cancel=cancel)

${events.map(event).join('\n')}
    def on(self, event: Any, listener: Callable[[Any], None]) -> Callable[[], None]:
        """Calls \`\`listener\`\` for each event of that name; returns how to stop listening."""
        return self.listen(event, listener)
`;
  return { path: 'protocol/clients/python/checkpointd/_requests.py', content };
}
