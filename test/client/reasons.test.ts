// Every reason of the protocol that a person may see has a text. No text is left for a removed reason.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inWords, reasonsInWords } from '../../src/client/reasons.ts';

const file = fileURLToPath(new URL('../../../protocol/protocol.json', import.meta.url));
const { $defs } = JSON.parse(readFileSync(file, 'utf8')) as {
  $defs: Record<'SkipReason' | 'FailureReason' | 'RevertConflict' | 'StayReason', { knownValues: string[] }>;
};

test('the client has a readable text for each reason of the protocol', () => {
  const lists = [$defs.SkipReason, $defs.FailureReason, $defs.RevertConflict, $defs.StayReason];
  const known = new Set(lists.flatMap(({ knownValues }) => knownValues));
  assert.equal([...known].sort(), [...reasonsInWords].sort());
  assert.is(inWords('tooLarge'), 'larger than the limit');
  assert.is(inWords('ofTomorrow'), 'ofTomorrow');
});

test.run();
