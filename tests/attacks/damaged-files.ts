import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Attack, AttackField } from './attack.ts';
import { type BaseFile, baseFiles } from './files/bases.ts';
import { type Wound, wounded, wounds } from './files/wounds.ts';
import { nameOf } from './post.ts';

/** A decode has ten times its processor time by the clock, and may wait for another before it. */
const HANG_MS = 40_000;

/** What a damaged file may be answered with. */
const ALLOWED =
  /^(200|400 file_empty|413 audio_too_long|415 audio_unsupported|422 audio_corrupted)$/;

const LANES = 4;

/** Structure-aware: see `files/wounds.ts`. */
export const damagedFiles: Attack = {
  name: 'damaged files: MP4, WebM, Ogg and WAV, by box and element, lengths and counts at their limits',
  on: 'plain',
  lane: 'files',
  async run(field) {
    const bases = await baseFiles();
    const rows = fc.sample(wounds, { seed: field.seed, numRuns: field.files });
    const { memory } = field;
    let next = 0;
    let slowestMs = 0;
    let bytes = 0;
    let decoded = 0;
    const lane = async () => {
      for (let index = next++; index < rows.length; index = next++) {
        const base = bases[index % bases.length];
        if (base === undefined) return;
        const made = make(base, rows[index] ?? []);
        bytes += made.length;
        const startedMs = performance.now();
        const fault = await harm(field, made, index);
        slowestMs = Math.max(slowestMs, performance.now() - startedMs);
        if (fault === '200') decoded++;
        else if (fault !== null) await keep(field, base, rows[index] ?? [], index, fault);
        if (index % 1_000 === 999) progress(index + 1);
      }
    };
    const progress = (done: number) => {
      const megabytes = Math.round(memory.mostOwnBytes() / 1e6);
      if (!field.isShort) console.log(`  ${done} files, its own process at most ${megabytes} MB`);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    field.figure('files', rows.length);
    field.figure('MB sent', Math.round(bytes / 1e6));
    field.figure('still decoded', decoded);
    field.figure('slowest ms', Math.round(slowestMs));
    field.figure('processes so far', field.target.memory.processes());
    field.figure('MB its own process had at most', Math.round(memory.mostOwnBytes() / 1e6));
    if (decoded === 0 || decoded === rows.length) field.fault('the damage is none, or total');
  },
};

const make = ({ format, file }: BaseFile, row: readonly Wound[]) => wounded(format, file, row);

/** Sends one: '200' if it is still audio, null if it was refused, else what went wrong. */
async function harm(field: AttackField, file: Uint8Array, from: number): Promise<string | null> {
  const outcome = nameOf(await field.post({ file, from, offeredAfterMs: HANG_MS }));
  if (outcome === '200') return outcome;
  return ALLOWED.test(outcome) ? null : outcome;
}

/** Leaves out wounds while the harm is still done, and keeps the rest with how it was made. */
async function keep(
  field: AttackField,
  base: BaseFile,
  row: readonly Wound[],
  index: number,
  fault: string,
): Promise<void> {
  let least = row;
  for (const one of row) {
    const without = least.filter((other) => other !== one);
    const again = await harm(field, make(base, without), index);
    if (again !== null && again !== '200') least = without;
  }
  const recipe = { seed: field.seed, index, fault, base: base.name, wounds: least };
  field.fault(`file ${index}: ${fault}: ${JSON.stringify(recipe)}`);
  if (field.keepIn === null) return;
  mkdirSync(field.keepIn, { recursive: true });
  const name = join(field.keepIn, `${field.seed}-${index}.${base.format.kind}`);
  writeFileSync(name, make(base, least));
  writeFileSync(`${name}.json`, JSON.stringify(recipe, null, 2));
}
