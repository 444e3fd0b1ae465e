// If no descriptor is free for a new process, its start fails with a system error, and the daemon continues.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const source = (file: string): string => fileURLToPath(new URL(`../../../src/${file}`, import.meta.url));

/**
 * Runs code in a process with at most 512 descriptors. The code may call `full` to use up all descriptors, and `free`
 * to release them. Node's loader may open some hundred files at once.
 */
function withFewDescriptors(body: string): string {
  const script = `
    const { openSync, closeSync } = await import('node:fs');
    const { runGit, openGit, loadExeca } = await import(${JSON.stringify(source('git/process/run.js'))});
    const { withAccessLists } = await import(${JSON.stringify(source('base/access-lists.js'))});
    await loadExeca();
    const held = [];
    const full = () => { try { for (;;) held.push(openSync('/dev/null')); } catch {} };
    const free = () => { for (const fd of held.splice(0)) closeSync(fd); };
    const told = (work) => work.then(() => 'done', (error) => error.code ?? error.kind ?? String(error));
    const place = { gitDir: '/' };
    ${body}`;
  const args = ['-c', 'ulimit -n 512 && exec "$0" --input-type=module -e "$1"', process.execPath, script];
  const { status, stdout, stderr } = spawnSync('sh', args, { encoding: 'utf8', timeout: 30_000 });
  assert.is(status, 0, stderr);
  return stdout.trim();
}

test('if no descriptor is free for git, the error is a system error, and git starts as soon as descriptors are free', () => {
  const body = `
    full();
    const first = await told(runGit({ place, args: ['version'] }));
    const second = await told(openGit(place, ['version']));
    await new Promise((next) => setImmediate(next));
    free();
    console.log(first, second, await told(runGit({ place, args: ['version'] })));`;
  assert.is(withFewDescriptors(body), 'EMFILE EMFILE done');
});

test('if the access list of a path cannot be read, the daemon assumes that the path has an access list', () => {
  const body = `
    await withAccessLists([Buffer.from('/')]);
    full();
    const has = await withAccessLists([Buffer.from('/')]).catch((error) => () => String(error));
    free();
    console.log(has(1));`;
  assert.is(withFewDescriptors(body), 'true');
});

test.run();
