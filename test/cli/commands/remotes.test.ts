// A laptop continues the session of a container. The container and the laptop use only the command line.
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DaemonRig } from '../../support/daemon-rig.ts';
import { bareRepository } from '../../support/machines.ts';

test('a session began in a container: with four commands, the user continues this session on a laptop', async () => {
  const remote = bareRepository();
  const [container, laptop] = [new DaemonRig(), new DaemonRig()];
  try {
    container.write('a.txt', 'from the container\n');
    container.write('.env', 'SECRET=1\n');
    await container.output('create', '-m', 'fix the parser');
    await container.output('remote', 'add', 'team', remote);
    const dry = await container.output('push', '--dry-run');
    assert.match(dry, /^Would send 2 of 2 checkpoints/);
    assert.match(dry, /Would not send 1 path .*\n {2}\.env {2}files with such a name often contain secrets/);
    const sent = await container.output('push');
    assert.match(
      sent,
      /^Sent 2 of 2 checkpoints \(\d+ bytes of contents\) to team\. To continue on another machine: checkpointd import team ses_/,
    );
    assert.match(await container.output('push', 'team'), /^team already has the whole session ses_/);

    await laptop.output('remote', 'add', 'team', remote, '--leave-out', 'private/');
    assert.match(await laptop.output('remote', 'list'), new RegExp(`^team +${remote}`));
    const listed = await laptop.output('sessions', '--remote', 'team');
    assert.match(listed, /^ses_\w{26} .* wr_\w{20} +2 checkpoints +work +"fix the parser"/);
    const id = listed.slice(0, 10);
    assert.match(await laptop.output('fetch', 'team'), /^New or changed on the remote \(1\):\n {2}ses_/);
    assert.match(
      await laptop.output('import', 'team', id),
      /^Imported ses_\w+ with 2 checkpoints and the conversation/,
    );
    await laptop.output('restore', '--hard', '1', '--yes');
    assert.is(laptop.read('a.txt'), 'from the container\n');
    assert.is(laptop.read('.env'), undefined);

    const data = JSON.parse(await laptop.output('sessions', '--remote', 'team', '--json')) as {
      lines: unknown[];
    };
    assert.is(data.lines.length, 1);
    assert.match(await laptop.output('remote', 'remove', 'team'), /^Removed the remote team from the list/);
  } finally {
    await container.dispose();
    await laptop.dispose();
  }
});

test('a command reports an invalid remote, and says how to correct it', async () => {
  const rig = new DaemonRig();
  try {
    const password = await rig.command('remote', 'add', 'team', 'https://me:secret@example.com/a.git');
    assert.is(password.code, 1);
    assert.match(password.stderr, /contains a password.*credential helper/);
    assert.not.match(password.stderr, /secret@/);
    assert.is((await rig.command('remote')).code, 2);
    await rig.output('create', '-m', 'one');
    assert.match((await rig.command('push')).stderr, /there is no remote.*checkpointd remote add/);
    await rig.output('remote', 'add', 'one', join(rig.top, 'gone.git'));
    const gone = await rig.command('push');
    assert.is(gone.code, 1);
    assert.match(gone.stderr, /There is no repository at .*gone\.git.*git init --bare/);
    await rig.output('remote', 'add', 'two', join(rig.top, 'other.git'));
    assert.match((await rig.command('push')).stderr, /there are several remotes.*one, two/);
    assert.match(
      (await rig.command('import', 'nowhere', 'ses_')).stderr,
      /no remote "nowhere".*checkpointd remote list/,
    );
  } finally {
    await rig.dispose();
  }
});

test.run();
