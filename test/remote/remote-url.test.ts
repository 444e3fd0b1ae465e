import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { parseRemoteUrl, remoteUrlForGit, remoteUrlText } from '../../src/remote/remote-url.ts';

const test = suite('addresses of remotes');

for (const text of [
  'ssh://git@example.com/me/app.git',
  'ssh://git@example.com:2222/me/app.git',
  'ssh://[::1]:22/srv/app.git',
  'git@example.com:me/app.git',
  'example.com:app.git',
  'https://example.com/me/app.git',
  'https://me@example.com:8443/me/app.git',
  '/srv/git/app with spaces.git',
]) {
  test(`${text} is accepted and shown unchanged`, () => {
    assert.is(remoteUrlText(parseRemoteUrl(text)), text);
  });
}

test('a file: URL and its path count as the same address', () => {
  assert.equal(parseRemoteUrl('file:///srv/a%20b.git'), { form: 'file', path: '/srv/a b.git' });
  assert.is(remoteUrlForGit(parseRemoteUrl('/srv/a b.git')), 'file:///srv/a%20b.git');
});

function reasonOf(text: string): unknown {
  try {
    parseRemoteUrl(text);
  } catch (error) {
    if (!(error instanceof CheckpointdError)) throw error;
    assert.is(error.kind, 'InvalidRemote');
    assert.not.match(error.message, /hunter2|ghp_/);
    return error.details?.['reason'];
  }
  return 'accepted';
}

for (const [text, reason] of [
  ['ext::sh -c touch% /tmp/x', 'scheme'],
  ['fd::17', 'scheme'],
  ['http://example.com/a.git', 'scheme'],
  ['git://example.com/a.git', 'scheme'],
  ['ftp://example.com/a.git', 'scheme'],
  ['transport::ssh://example.com/a', 'scheme'],
  ['https://me:hunter2@example.com/a.git', 'password'],
  ['ssh://me:hunter2@example.com/a.git', 'password'],
  ['https://ghp_0123456789abcdef@example.com/a.git', 'password'],
  ['--upload-pack=touch /tmp/x', 'malformed'],
  ['-oProxyCommand=id:x', 'malformed'],
  ['ssh://-oProxyCommand=id/x', 'malformed'],
  ['-oProxyCommand=id@example.com:x', 'malformed'],
  ['ssh://a@-oProxyCommand=id/x', 'malformed'],
  ['example.com:-x', 'malformed'],
  ['ssh://example.com/-x', 'malformed'],
  ['https://example.com', 'malformed'],
  ['https://example.com/a.git?token=1', 'malformed'],
  ['https://exa mple.com/a.git', 'malformed'],
  ['ssh://example.com:99999/a.git', 'malformed'],
  ['C:\\repo', 'malformed'],
  ['relative/path', 'malformed'],
  ['/', 'malformed'],
  ['/srv/a\nb', 'malformed'],
  ['file://elsewhere/srv/a', 'malformed'],
  ['', 'malformed'],
] as const) {
  test(`${JSON.stringify(text)} is refused as ${reason}`, () => {
    assert.is(reasonOf(text), reason);
  });
}

test.run();
