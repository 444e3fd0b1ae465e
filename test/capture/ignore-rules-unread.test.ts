// If ignore rules cannot be read for a moment, a capture fails or reports the unread rules. A capture never takes a
// file that these rules ignore.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { makeRig, pathsOf, type Rig } from '../support/capture-rig.ts';

/** For each source of ignore rules, makes one file that no other source ignores. */
function withEveryRule(): Rig {
  const rig = makeRig();
  rig.write('.gitignore', 'by-root\n');
  rig.write('c/.gitignore', 'by-directory\n');
  rig.write('.git/info/exclude', 'by-exclude\n');
  writeFileSync(join(rig.home, '.gitconfig'), '[include]\n\tpath = included\n');
  writeFileSync(join(rig.home, 'included'), '[core]\n\texcludesFile = ~/excludes\n');
  writeFileSync(join(rig.home, 'excludes'), 'by-global\n');
  mkdirSync(join(rig.root, 'c'), { recursive: true });
  for (const name of ['by-root', 'by-exclude', 'by-global', 'c/by-directory', 'kept', 'c/kept'])
    rig.write(name, `${name}\n`);
  return rig;
}

const ruleFiles = /\.gitignore$|\/info\/exclude$|\/\.gitconfig$|\/excludes$/;

for (const code of ['EIO', 'EMFILE', 'ENOMEM']) {
  test(`if ignore rules cannot be read (${code}), a capture includes no file that these rules ignore`, async () => {
    const met = new Set<string>();
    for (let at = 1; ; at += 1) {
      const rig = withEveryRule();
      let calls = 0;
      let isRules = false;
      let failed = '';
      installFault((call, target) => {
        // A call on a descriptor belongs to the file that the last call on a path has opened.
        isRules = ruleFiles.test(target) || (isRules && /^\d+$/.test(target));
        if (!isRules || !/^(lstat|stat|open|fstat|readFile|read)$/.test(call)) return;
        calls += 1;
        if (calls !== at) return;
        failed = `${call} ${target}`;
        throw Object.assign(new Error(`${code}: injected, ${failed}`), { code, syscall: call });
      });
      try {
        const taken = await rig.capturer.capture().then(
          (capture) => pathsOf(rig.store, capture),
          (error: unknown) => {
            if (failed === '') throw error;
            return [];
          },
        );
        const ignored = taken.filter((path) => path.includes('by-'));
        assert.equal(ignored, [], `${code} of ${failed}`);
        if (failed === '') break;
        met.add(failed.slice(failed.lastIndexOf('/') + 1));
      } finally {
        installFault(undefined);
        await rig.remove();
      }
    }
    for (const name of ['.gitignore', 'exclude', '.gitconfig', 'excludes'])
      assert.ok(met.has(name), `${name} among ${[...met].join(', ')}`);
  });
}

test.run();
