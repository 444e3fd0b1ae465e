// Maps the rules of the reference to the cases that test them, and finds rules without a case.
import type { ProtocolDocument } from '../generate/dialect.ts';
import type { ConformanceCase } from './conformance-case.ts';

/** Returns every rule with the cases that test it, in the order of the reference. */
export function traces(
  document: ProtocolDocument,
  cases: readonly ConformanceCase[],
): Record<string, string[]> {
  const rules = document.rules.flatMap(({ musts }) => musts.map(({ id }) => id));
  return Object.fromEntries(
    rules.map((id) => [id, cases.filter((one) => one.rules.includes(id)).map(({ name }) => name)]),
  );
}

/** Returns the rules without a case, the cases that name an unknown rule, and the names that several cases have. */
export function traceProblems(document: ProtocolDocument, cases: readonly ConformanceCase[]): string[] {
  const table = traces(document, cases);
  const names = new Set<string>();
  const problems = Object.entries(table).flatMap(([id, list]) =>
    list.length === 0 ? [`no case tests the rule ${id}`] : [],
  );
  for (const { name, rules } of cases) {
    if (names.has(name)) problems.push(`two cases have the name "${name}"`);
    names.add(name);
    if (rules.length === 0) problems.push(`the case "${name}" names no rule`);
    for (const id of rules)
      if (!Object.hasOwn(table, id)) problems.push(`the case "${name}" names ${id}, which is not a rule`);
  }
  return problems;
}
