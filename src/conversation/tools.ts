// The tools that the client offers its model, grouped by where they come from. Kept and given back, never called:
// running tools and talking to MCP servers is the client's.
import { type ClientObject, clientObject, isObject, refuse } from './client-object.ts';

/** Tools by origin: `Builtin`, `Custom`, `Mcp` and whatever else the client distinguishes (one MCP server, say). */
export interface ToolsByOrigin {
  readonly [origin: string]: readonly ClientObject[];
}

export const noTools: ToolsByOrigin = {};

/** @throws InvalidParams unless it maps origins to arrays of objects */
export function checkTools(value: unknown, what = 'tools'): ToolsByOrigin {
  const byOrigin = clientObject(value, what);
  for (const [origin, tools] of Object.entries(byOrigin)) {
    if (!Array.isArray(tools) || !tools.every(isObject)) {
      refuse(`${what}.${origin}`, 'must be an array of objects, one a tool.');
    }
  }
  return byOrigin as ToolsByOrigin;
}
