// Tests the access of pages to the inspector: allowed hosts and origins, cookies, links that work once, and the second
// secret.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  cookieIn,
  cookieName,
  isLoopbackHost,
  isSameOrigin,
  PageAccess,
} from '../../src/inspector/access.ts';

test('the inspector accepts only requests to names of this machine, at any port', () => {
  for (const host of ['127.0.0.1:8080', 'localhost:1', 'LOCALHOST', '[::1]:65535', '127.0.0.1'])
    assert.ok(isLoopbackHost(host), host);
  for (const host of [
    undefined,
    '',
    'evil.example:8080',
    '127.0.0.1.evil.example',
    'localhost.evil.example:80',
    '127.0.0.1:80@evil.example',
    '127.0.0.1:8080x',
    '0.0.0.0:8080',
    '192.168.0.1:8080',
    '127.0.0.1:',
    ' 127.0.0.1',
    '127.0.0.1\n',
  ])
    assert.not.ok(isLoopbackHost(host), JSON.stringify(host));
});

test('an origin is accepted if its scheme, host and port equal those of the request', () => {
  assert.ok(isSameOrigin('http://127.0.0.1:8080', '127.0.0.1:8080'));
  assert.ok(isSameOrigin('http://localhost:8080', 'LOCALHOST:8080'));
  for (const origin of [
    undefined,
    'null',
    '',
    'https://127.0.0.1:8080',
    'http://127.0.0.1:8081',
    'http://127.0.0.1',
    'http://localhost:8080',
    'http://127.0.0.1:8080/',
    'http://127.0.0.1:8080.evil.example',
  ])
    assert.not.ok(isSameOrigin(origin, '127.0.0.1:8080'), origin);
});

test('the cookies of two ports have different names', () => {
  assert.is.not(cookieName('127.0.0.1:8080'), cookieName('127.0.0.1:8081'));
  const header = `other=1; ${cookieName('127.0.0.1:8081')}=b; ${cookieName('127.0.0.1:8080')}=a`;
  assert.is(cookieIn(header, '127.0.0.1:8080'), 'a');
  assert.is(cookieIn('other=1', '127.0.0.1:8080'), undefined);
  assert.is(cookieIn(undefined, '127.0.0.1:8080'), undefined);
});

test('a link to the inspector works only once', () => {
  const access = new PageAccess();
  const token = access.newToken();
  assert.is(access.redeem('', undefined), undefined);
  assert.is(access.redeem(`${token}x`, undefined), undefined);
  assert.ok(access.redeem(token, undefined));
  assert.is(access.redeem(token, undefined), undefined);
});

test('a page needs both its cookie and its secret; a secret of another browser is refused', () => {
  const access = new PageAccess();
  const [one, two] = [1, 2].map(() => access.redeem(access.newToken(), undefined));
  assert.ok(one !== undefined && two !== undefined);
  assert.ok(access.admits(one.visitor, one.secret));
  assert.not.ok(access.admits(one.visitor, undefined));
  assert.not.ok(access.admits(undefined, one.secret));
  assert.not.ok(access.admits(one.visitor, ''));
  assert.not.ok(access.admits(one.visitor, two.secret));
  assert.not.ok(access.admits(two.visitor, one.secret));
});

test('the first page of a browser stays valid after the browser opens a second link', () => {
  const access = new PageAccess();
  const one = access.redeem(access.newToken(), undefined);
  assert.ok(one !== undefined);
  const two = access.redeem(access.newToken(), one.visitor);
  assert.ok(two !== undefined);
  assert.is(two.visitor, one.visitor);
  assert.ok(access.admits(one.visitor, one.secret));
  assert.ok(access.admits(two.visitor, two.secret));
  const stranger = access.redeem(access.newToken(), 'made up');
  assert.is.not(stranger?.visitor, 'made up');
});

test.run();
