import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oneLine } from '../../src/base/text/one-line.ts';
import { describeTool, describeTurn } from '../../src/commands/checkpoint-create.ts';
import { checkProperty } from '../support/property.ts';

test('the description of a turn is its short message, or a default text if the turn has no message (Q22)', () => {
  assert.is(describeTurn('Fix the parser'), 'Fix the parser');
  assert.is(describeTurn('x'.repeat(60)), 'x'.repeat(60));
  assert.is(describeTurn(''), 'Turn started');
  assert.is(describeTurn(' \n\t'), 'Turn started');
});

test('the description of a long message is cut at the last space within 60 bytes (Q22)', () => {
  const message = `${'word '.repeat(20)}end`;
  assert.is(describeTurn(message), `${'word '.repeat(12).trimEnd()}...`);
  assert.is(describeTurn('x'.repeat(61)), `${'x'.repeat(60)}...`);
});

test('every description has a single line, whatever the message (Q22)', () => {
  assert.is(describeTurn('Fix it:\n\n- the parser\r\n- the rest\n'), 'Fix it: - the parser - the rest');
  assert.is(describeTurn('bell\u0007\u2028next'), 'bell next');
});

const ran = { name: 'fs_write', message: '', hasChanges: true };

test('the description of a tool checkpoint is the tool’s effect, or the tool’s name if there is no effect (Q22)', () => {
  assert.is(describeTool({ ...ran, message: 'Wrote the parser' }), 'Wrote the parser');
  assert.is(describeTool(ran), 'Tool: fs_write');
  assert.is(describeTool({ ...ran, name: 'two\nlines' }), 'Tool: two lines');
  assert.is(describeTool({ ...ran, name: undefined }), 'Tool completed');
});

test('if files changed although a tool only reads, the description says that the change was probably manual (Q22)', () => {
  for (const name of ['fs_read', 'read_file', 'readFile', 'Read']) {
    const read = { name, message: 'Read src/a.ts', hasChanges: true };
    assert.is(describeTool(read), 'External edits detected (likely manual change)');
    assert.is(describeTool({ ...read, hasChanges: false }), 'Read src/a.ts');
  }
  assert.is(describeTool({ ...ran, name: 'read_write' }), 'Tool: read_write');
});

test('a shortened description never ends inside a character (Q22)', () => {
  assert.is(describeTurn('é'.repeat(31)), `${'é'.repeat(30)}...`);
  assert.is(describeTurn(`a${'é'.repeat(40)}`), `a${'é'.repeat(29)}...`);
  assert.is(describeTurn('😀'.repeat(20)), `${'😀'.repeat(15)}...`);
  checkProperty(fc.string({ unit: 'grapheme', maxLength: 200 }), (message) => {
    const description = describeTurn(message);
    assert.ok(Buffer.byteLength(description) <= 63);
    assert.not.ok(/\p{Surrogate}/u.test(description));
    const line = oneLine(message);
    if (Buffer.byteLength(line) > 60) assert.ok(line.startsWith(description.slice(0, -3)));
  });
});

test.run();
