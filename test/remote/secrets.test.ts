import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { secretIn } from '../../src/remote/secrets.ts';

const test = suite('secrets in contents');

/**
 * Joins the parts of an example. This file contains only parts of secrets, so that no scanner mistakes it for a file
 * with secrets.
 */
const part = (text: string): string => text;
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const found: readonly (readonly [rule: string, text: string])[] = [
  ['privateKey', `-----BEGIN ${part('OPENSSH PRIVATE')} KEY-----\nb3Bl\n`],
  ['privateKey', `-----BEGIN ${part('PRIVATE')} KEY-----`],
  ['awsKey', `key = ${part('AKIA')}${part('ABCDEFGHIJKLMNOP')}`],
  ['githubToken', `token: ${part('ghp_')}${letters.slice(0, 36)}`],
  ['gitlabToken', `${part('glpat-')}${letters.slice(0, 20)}`],
  ['slackToken', `${part('xoxb-')}123456789012-abcdef`],
  ['googleKey', `"${part('AIza')}${letters.slice(0, 35)}"`],
  ['anthropicKey', `${part('sk-ant-')}api03-${letters.slice(0, 30)}`],
  ['stripeKey', `${part('sk_live_')}${letters.slice(0, 24)}`],
  ['npmToken', `//registry/:_authToken=${part('npm_')}${letters.slice(0, 36)}`],
];

for (const [rule, text] of found) {
  test(`the search for secrets finds a content with a ${rule}`, () => {
    assert.is(secretIn(Buffer.from(`first line\n${text}\nlast line\n`)), rule);
  });
}

test('ordinary text, public keys and binary data do not count as secrets', () => {
  for (const text of [
    'const key = process.env.AWS_KEY;\n',
    '-----BEGIN PUBLIC KEY-----\n',
    'sk-ant-short',
    `sha512-${letters}`,
    `\0${part('AKIA')}${part('ABCDEFGHIJKLMNOP')}`,
    '',
  ])
    assert.is(secretIn(Buffer.from(text, 'latin1')), undefined, text);
});

test.run();
