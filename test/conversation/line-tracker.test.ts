import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  countLineChanges,
  type FileLineTracker,
  lineCount,
  reportLines,
  trackWrite,
} from '../../src/conversation/line-tracker.ts';
import { checkProperty } from '../support/property.ts';

/** Returns the length of the longest common subsequence, by a slow and simple algorithm. */
function commonLines(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const line of a) {
    const next = [0];
    for (const [j, other] of b.entries()) {
      next.push(line === other ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

test('the counts of added and removed lines belong to the shortest possible edit (C31)', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 25 });
  checkProperty(
    fc.tuple(lines, lines),
    ([before, after]) => {
      const text = (list: readonly string[]): string => list.map((line) => `${line}\n`).join('');
      const common = commonLines(before, after);
      assert.equal(countLineChanges(text(before), text(after)), {
        added: after.length - common,
        removed: before.length - common,
      });
    },
    500,
  );
});

test('changed lines are counted in bounded time; texts that differ too much are regarded as replaced (C31)', () => {
  const before = Array.from({ length: 20_000 }, (_, i) => `old ${i}`).join('\n');
  const after = Array.from({ length: 30_000 }, (_, i) => `new ${i}`).join('\n');
  assert.equal(countLineChanges(before, after), { added: 30_000, removed: 20_000 });
});

test('a last line without a newline counts as a line, and an empty text has no line (C31)', () => {
  assert.is(lineCount(''), 0);
  assert.is(lineCount('a'), 1);
  assert.is(lineCount('a\n'), 1);
  assert.is(lineCount('a\n\n'), 2);
});

/** Returns the counts of a tracker's last write. */
function figures(tracker: FileLineTracker): Record<string, number> {
  const { linesByUser, linesByAgent } = reportLines(tracker);
  return {
    linesByUser,
    linesByAgent,
    added: tracker.linesAddedByAgent,
    removed: tracker.linesRemovedByAgent,
  };
}

test('if the first write of an agent is a create, the lines that existed before count as the user’s (C31)', () => {
  const tracker = trackWrite(undefined, { path: 'a', operation: 'create', before: 4, after: 10 });
  assert.equal(figures(tracker), { linesByUser: 4, linesByAgent: 10, added: 10, removed: 0 });
});

test('if the first write of an agent is not a create, no line counts as the user’s (C31)', () => {
  const write = { path: 'a', operation: 'append', before: 4, after: 6, newText: 'x\ny\n' } as const;
  assert.equal(figures(trackWrite(undefined, write)), {
    linesByUser: 0,
    linesByAgent: 2,
    added: 2,
    removed: 0,
  });
});

test("at a later write, the user's lines are the difference (positive or negative) from the agent's last count (C31)", () => {
  const first = trackWrite(undefined, { path: 'a', operation: 'create', before: 0, after: 10 });
  const replace = { path: 'a', operation: 'strReplace', oldText: 'x\ny\n', newText: 'x\nz\nw\n' } as const;
  const more = trackWrite(first, { ...replace, before: 13, after: 14 });
  assert.equal(figures(more), { linesByUser: 3, linesByAgent: 3, added: 2, removed: 1 });
  const less = trackWrite(more, { path: 'a', operation: 'insert', before: 9, after: 10, newText: 'q' });
  assert.equal(figures(less), { linesByUser: -5, linesByAgent: 1, added: 1, removed: 0 });
});

test('if the report of a write has no line count from before the write, the count after the previous write is used (C31)', () => {
  const first = trackWrite(undefined, { path: 'a', operation: 'create', before: 0, after: 10 });
  const second = trackWrite(first, { path: 'a', operation: 'append', after: 11, newText: 'x' });
  assert.equal(figures(second), { linesByUser: 0, linesByAgent: 1, added: 1, removed: 0 });
  assert.is(second.beforeFswriteLines, 10);
});

test.run();
