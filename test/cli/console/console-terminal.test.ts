// Tests the console in a real terminal: keys, lists of choices, completion.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../../support/daemon-rig.ts';
import { until } from '../../support/until.ts';
import { commandOf, hasTerminal, inTerminal, prepared } from './console-rig.ts';

if (hasTerminal()) {
  test('the user picks a turn with the arrow keys, and the console completes commands and tags (Q45)', () =>
    withRig(async (rig) => {
      await prepared(rig);
      await inTerminal(rig, commandOf(rig, 'console'), async ({ type, shows, ended }) => {
        await shows(/^>/m);
        type('/ch', 'Tab');
        await shows(/> \/checkpoint/);
        type('resto', 'Tab');
        await shows(/> \/checkpoint restore/);
        type('Enter');
        await shows(/Select checkpoint to restore:/);
        await shows(/❯ \[2\]/);
        type('Up');
        await shows(/❯ \[1\]/);
        type('Enter');
        await shows(/✓ Restored to checkpoint 1\n>/);
        assert.is(rig.read('a.txt'), 'one\n');
        type('/undo', 'Enter');
        await shows(/> \/undo/);
        await until('the restore is undone', () => rig.read('a.txt') === 'spoilt\n');
        type('C-t');
        await shows(/↯ >/);
        type('C-d');
        await ended();
      });
    }));

  test('the command `clean` asks first, and deletes the checkpoints only after a yes', () =>
    withRig(async (rig) => {
      await prepared(rig);
      await inTerminal(rig, commandOf(rig, 'console'), async ({ type, shows, ended }) => {
        await shows(/^>/m);
        type('/checkpoint clean', 'Enter');
        await shows(/The deletion cannot be undone\. \[y\/N\]/);
        type('n', 'Enter');
        await shows(/Nothing was deleted\.\n>/);
        type('C-l', '/checkpoint clean', 'Enter');
        await shows(/The deletion cannot be undone\. \[y\/N\]/);
        type('y', 'Enter');
        await shows(/✓ Deleted shadow repository for this session\.\n>/);
        type('C-d');
        await ended();
      });
    }));

  test('the user can choose another key for /tangent; Ctrl-T then has no effect', () =>
    withRig(async (rig) => {
      await prepared(rig);
      await inTerminal(rig, commandOf(rig, 'console --tangent-key=g'), async ({ type, shows, ended }) => {
        await shows(/^>/m);
        type('C-t', '/tangent tail', 'Enter');
        await shows(/You need to be in tangent mode to use tail\./);
        type('C-g');
        await shows(/↯ >/);
        type('C-d');
        await ended();
      });
    }));

  test('Escape or Ctrl-C closes the list of turns and changes nothing; Ctrl-C also clears a typed line (Q45)', () =>
    withRig(async (rig) => {
      await prepared(rig);
      await inTerminal(rig, commandOf(rig, 'console'), async ({ type, shows, ended }) => {
        await shows(/^>/m);
        for (const key of ['Escape', 'C-c']) {
          type('/checkpoint restore --hard', 'Enter');
          await shows(/❯ \[2\][^❯]*$/);
          type(key);
          await shows(/navigate[^❯]*\n>$|\n>\s*$/);
          type('half a wo', 'C-c', '/sta', 'Tab', 'Tab');
          await shows(/> \/status\s*$/);
          type('Enter');
          await shows(/> \/status\nses_\S+ of [^>]*\n>\s*$/);
          type('C-l');
        }
        type('C-c');
        await ended();
      });
      assert.is(rig.read('a.txt'), 'spoilt\n');
    }));

  test('on a terminal of twenty columns, no message is cut, and each choice takes one line (Q45, Q46)', () =>
    withRig(async (rig) => {
      await prepared(rig);
      await inTerminal(
        rig,
        commandOf(rig, 'console'),
        async ({ type, shows, ended }) => {
          await shows(/^>/m);
          type('/checkpoint restore', 'Enter');
          await shows(/\n {2}\[0\] \S+ \d{2}:?…?\n {2}\[1\] \S+ \d{2}:?…?\n❯ \[2\]/);
          type('C-c');
          await shows(/\n>\s*$/);
          type('/tangent', 'Enter');
          await shows(/removed in the fut\s*ure\.\s*\n↯ >/);
          type('/checkpoint list', 'Enter');
          await shows(/exit\s*tangent mode if you\s*want to use checkpoi\s*nt\.\s*\n↯ >/);
          type('C-d');
          await ended();
        },
        20,
      );
    }));

  test('with the arrow keys, the user picks the message to which the conversation goes back (C22)', () =>
    withRig(async (rig) => {
      const { client, session } = await rig.opened({ retention: 'keep' });
      for (const content of ['one of ours', 'two of ours', 'three of ours'])
        await client.request('conversation/append', {
          session,
          entry: { user: { content }, assistant: { content: 'yes' } },
        });
      await inTerminal(rig, commandOf(rig, 'console'), async ({ type, shows, ended }) => {
        await shows(/^>/m);
        type('/tangent forget', 'Enter');
        await shows(/Select the message to revert back to/);
        await shows(/❯ two of ours \(forget 1 message after this\)\n {2}one of ours \(forget 2 messages/);
        await shows(/ {2}Clear all messages \(forget 3 messages\)/);
        type('Down', 'Enter');
        await shows(/Forgetting the last 2 messages\.\n>/);
        type('C-d');
        await ended();
      });
      assert.is((await client.request('conversation/get', { session })).historyLength, 1);
      await client.close();
    }));
}

test.run();
