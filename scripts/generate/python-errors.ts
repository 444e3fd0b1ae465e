// Generates one Python exception for every error kind, so that `except UnknownCheckpoint` is possible. The base class
// with its fields is hand-written in checkpointd/_error.py.
import {
  type ErrorEntry,
  type GeneratedFile,
  generatedNotice,
  type ProtocolDocument,
  wrap,
} from './dialect.ts';

function exception(error: ErrorEntry): string {
  const lines = wrap(`${error.description} ${error.remedy}`.replaceAll('"""', "'''"), 88);
  const text = lines.length === 1 ? lines[0] : `${lines.join('\n    ')}\n    `;
  return `class ${error.name}(CheckpointdError):\n    r"""${text}"""\n`;
}

/** Emits the exceptions, and the table that maps names to exceptions. */
export function pythonErrors(document: ProtocolDocument): GeneratedFile {
  const rows = document.errors.map((error) => `    "${error.name}": ${error.name},\n`).join('');
  const content = `# ${generatedNotice}
"""An exception for every error kind of the protocol."""

from __future__ import annotations

from typing import Dict, Type

from ._error import CheckpointdError

${document.errors.map((error) => `\n${exception(error)}`).join('\n')}

#: The exception for each kind of error. Any other kind raises \`\`CheckpointdError\`\`.
BY_KIND: Dict[str, Type[CheckpointdError]] = {
${rows}}
`;
  return { path: 'protocol/clients/python/checkpointd/errors.py', content };
}
