// Copies a directory file by file. Node's own copy function crashes on some links (Node 26), and never returns if
// another program truncates a file meanwhile.
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** Copies a directory with its links, files and executable bits. @throws system errors */
export function copyTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyTree(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else writeFileSync(target, readFileSync(source), { mode: statSync(source).mode });
  }
}
