// Runs the restorer with a system error or a kill at one of its calls. restorer-faults.test.ts tries a sample of the
// calls. restorer-faults.long.ts tries every call.
import { closeSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { installFault } from '../../src/base/seam.ts';
import type { AppliedPlan } from '../../src/restore/restorer.ts';
import {
  assertOldOrNew,
  checkAllDisplaced,
  openDescriptors,
  present,
  recover,
  restore,
  target,
} from '../support/programs/restore-case.ts';
import { build, makeDirectory, manifest, remove, walk } from '../support/trees/model-tree.ts';

interface Run {
  readonly result?: AppliedPlan;
  readonly error?: unknown;
  /** The call that failed, or undefined if the run ended without a failure. */
  readonly hit?: string;
}

/** Makes a restore in `root`. The n-th call fails if `failing(n)` is true. */
async function withFault(root: string, failing: (n: number) => boolean, code: string): Promise<Run> {
  let calls = 0;
  let hit: string | undefined;
  installFault((call, on) => {
    calls += 1;
    if (!failing(calls)) return;
    hit ??= `${call} ${on}`;
    throw Object.assign(new Error(`${code}: injected at call ${calls}, ${call}`), { code });
  });
  try {
    const result = await restore(root);
    return { result, ...(hit === undefined ? {} : { hit }) };
  } catch (error) {
    return { error, ...(hit === undefined ? {} : { hit }) };
  } finally {
    installFault(undefined);
  }
}

/** True if the restore did everything and set all permissions. */
const isWhole = ({ failed, conflicts, ownerOnly }: AppliedPlan): boolean =>
  failed.length + conflicts.length + ownerOnly.length === 0;

/**
 * Makes every n-th call fail with each of the given errors, or kills the restore at this call. Always includes the
 * first call.
 */
export function testFaults(strides: Readonly<Record<string, number>>, deadStride: number): void {
  for (const [code, stride] of Object.entries(strides)) testErrors(code, stride);
  testDeaths(deadStride);
}

function testErrors(code: string, stride: number): void {
  test(`after ${code} at any call of a restore, no file is half-written, and repeating the restore completes it (F91)`, async () => {
    const outcomes = new Map<string, number>();
    for (let n = 1; ; n += stride) {
      const root = makeDirectory();
      build(root, present);
      const before = openDescriptors().length;
      const { result, error, hit } = await withFault(root, (call) => call === n, code);
      const note = `${code} at call ${n} (${hit})`;
      if (hit === undefined) {
        assert.equal([...walk(root)], [...manifest(target)]);
        await checkAllDisplaced(root, 'unharmed');
        remove(root);
        assert.ok(n > 200, `only ${n} calls`);
        break;
      }
      assertOldOrNew(root, note);
      if (!hit.startsWith('close')) assert.is(openDescriptors().length, before, `${note}: descriptors`);
      if (error !== undefined) {
        if (!(error instanceof CheckpointdError)) throw error;
        if (error.effects === 'none') {
          // The restore may have made a directory without reaching the file in it, so directories are not compared.
          const left = [...walk(root)].filter(([name]) => !name.endsWith('/'));
          assert.equal(
            left.filter(([name]) => !name.includes('.ckpt-tmp-')),
            [...manifest(present)],
            note,
          );
        }
        const kind = `${error.kind} ${error.effects}`;
        outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1);
      } else if (result !== undefined && isWhole(result)) {
        const left = [...walk(root)].filter(([name]) => !name.includes('.ckpt-tmp-') && !name.endsWith('/'));
        assert.equal(left, [...manifest(target)], `${note}: said done`);
      }
      await recover(root, note);
      remove(root);
    }
    console.log(`note: ${code}: ${JSON.stringify([...outcomes])}`);
  });
}

function testDeaths(stride: number): void {
  test('after a kill at any call of a restore, no file is half-written, and the recovery completes the restore (F86)', async () => {
    for (let n = 1; ; n += stride) {
      const root = makeDirectory();
      build(root, present);
      const before = new Set(openDescriptors());
      const { hit } = await withFault(root, (call) => call >= n, 'EIO');
      // The simulated kill leaves descriptors open, which a real kill would close. This process lives on, so it closes
      // these descriptors.
      for (const fd of openDescriptors()) {
        if (before.has(fd)) continue;
        try {
          closeSync(fd);
        } catch (error) {
          assert.is((error as { code?: string }).code, 'EBADF');
        }
      }
      assertOldOrNew(root, `dead at call ${n} (${hit})`);
      await recover(root, `dead at call ${n} (${hit})`);
      remove(root);
      if (hit === undefined) break;
    }
  });
}
