import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { fixture } from '../helpers/running-server.ts';
import { seededRandom } from '../helpers/seeded-random.ts';
import { tone, waveFile } from '../helpers/wave-file.ts';
import type { Attack, AttackField } from './attack.ts';
import { type BaseFile, baseFiles, otherFiles } from './files/bases.ts';
import { type Wound, wounded, wounds } from './files/wounds.ts';
import { nameOf, rawForm } from './post.ts';

/** A decode has ten times its processor time by the clock, and may wait for another before it. */
const HANG_MS = 40_000;

/** The answers allowed for a damaged file. */
const ALLOWED =
  /^(200|400 file_empty|413 audio_too_long|415 audio_unsupported|422 audio_corrupted)$/;

const LANES = 4;

/** Structure-aware: see `files/wounds.ts`. */
export const damagedFiles: Attack = damaged(
  'damaged files: MP4, WebM, Ogg and WAV, by box and element, lengths and counts at their limits',
  baseFiles,
  (files) => files,
);

/** The same of other kinds, of which there are fewer places where something can be wrong. */
export const damagedOtherFiles: Attack = damaged(
  'damaged sound: MP3, FLAC, AAC and Vorbis, by frame, with checksums that are right',
  otherFiles,
  (files) => Math.ceil(files / 3),
);

function damaged(
  name: string,
  makeBases: () => Promise<readonly BaseFile[]>,
  countOf: (files: number) => number,
): Attack {
  return {
    name,
    on: 'plain',
    lane: 'files',
    run: (field) => sendDamaged(field, makeBases, countOf(field.files)),
  };
}

async function sendDamaged(
  field: AttackField,
  makeBases: () => Promise<readonly BaseFile[]>,
  count: number,
): Promise<void> {
  const bases = await makeBases();
  const rows = fc.sample(wounds, { seed: field.seed, numRuns: count });
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
}

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

/** A request body with its type, as it goes over the wire. */
type RawUpload = { readonly contentType: string; readonly body: Uint8Array };

/** Bytes that mean something to one of the parsers on the way. */
const TOKENS = [
  '\r\n',
  '\r\n\r\n',
  '--',
  'Content-Disposition: form-data; name="audioFile"; filename="a.wav"\r\n\r\n',
  'Content-Type: multipart/mixed; boundary=x\r\n',
  'name="__proto__"',
  "filename*=utf-8''%ff%fe",
  'RIFF\xff\xff\xff\xff',
  'WAVEfmt ',
  'data\xff\xff\xff\xff',
  'OggS',
  'OpusHead',
  '\x1a\x45\xdf\xa3',
  '\x01\xff\xff\xff\xff\xff\xff\xff',
  'moov',
  'fLaC',
  'ID3\x04\0\0\x7f\x7f\x7f\x7f',
  'mdat',
  '\0\0\0\x01ftyp',
  '\0\0\0\0',
].map((text) => Buffer.from(text, 'latin1'));

/** The answers allowed for a damaged form; 5xx never. */
const FORM_ALLOWED = /^(200|400 \w+|413 \w+|415 \w+|422 \w+)$/;
const FORM_HANG_MS = 40_000;
const FORM_LANES = 4;

/** Blind to structure: for the parser of forms, and for what gets through to the decoders. */
export const damagedForms: Attack = {
  name: 'damaged forms: bytes changed, cut off, left out, doubled, tokens put in',
  on: 'plain',
  lane: 'requests',
  async run(field) {
    const whole = await Promise.all(wholeFiles().map((file) => rawForm(file)));
    const count = Math.ceil(field.files / 4);
    let next = 0;
    const lane = async () => {
      for (let index = next++; index < count; index = next++) {
        // Each has a row of its own, so that number 4711 is the same however many are sent.
        const random = seededRandom(field.seed * 1_000_003 + index);
        const form = whole[index % whole.length];
        if (form === undefined) return;
        const raw = mutate(form, random);
        const outcome = nameOf(
          await field.post({ raw, from: index, offeredAfterMs: FORM_HANG_MS }),
        );
        if (!FORM_ALLOWED.test(outcome)) field.fault(`form ${index}: ${outcome}`);
      }
    };
    await Promise.all(Array.from({ length: FORM_LANES }, lane));
    field.figure('forms', count);
  },
};

/** Of every kind, small so that many fit into a minute. */
function wholeFiles(): Uint8Array[] {
  const recorded = ['wav', 'webm', 'mp4', 'ogg', 'mp3', 'flac'].map((type) =>
    fixture(`speech-en.${type}`).slice(0, 12_000),
  );
  const short = waveFile(16_000, tone(440, 16_000, 0.05));
  return [...recorded, short, fixture('speech-en-aac.mp4').slice(0, 12_000)];
}

/** One upload with one to six wounds: bytes changed, cut off, left out, doubled, tokens put in. */
function mutate(upload: RawUpload, random: () => number): RawUpload {
  let body = Buffer.from(upload.body);
  const below = (most: number) => Math.floor(random() * most);
  // Headers of the form and of the file are where the harm is.
  const place = () => below(random() < 0.6 ? Math.min(900, body.length) : body.length);
  for (let wounds = 1 + below(6); wounds > 0 && body.length > 0; wounds--) {
    const at = place();
    const length = 1 + below(random() < 0.8 ? 8 : 2_000);
    switch (below(6)) {
      case 0:
        body[at] = below(256);
        break;
      case 1:
        body[at] = (body[at] ?? 0) ^ (1 << below(8));
        break;
      case 2:
        body = body.subarray(0, at);
        break;
      case 3:
        body = Buffer.concat([body.subarray(0, at), body.subarray(at + length)]);
        break;
      case 4:
        body = Buffer.concat([body.subarray(0, at + length), body.subarray(at)]);
        break;
      default: {
        const token = TOKENS[below(TOKENS.length)] ?? Buffer.alloc(0);
        body = Buffer.concat([body.subarray(0, at), token, body.subarray(at)]);
      }
    }
  }
  const contentType = random() < 0.03 ? upload.contentType.slice(0, below(60)) : upload.contentType;
  return { contentType, body: new Uint8Array(body) };
}
