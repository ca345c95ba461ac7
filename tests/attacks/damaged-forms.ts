import { fixture } from '../helpers/running-server.ts';
import { seededRandom } from '../helpers/seeded-random.ts';
import { tone, waveFile } from '../helpers/wave-file.ts';
import type { Attack } from './attack.ts';
import { nameOf, rawForm } from './post.ts';

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
  'mdat',
  '\0\0\0\x01ftyp',
  '\0\0\0\0',
].map((text) => Buffer.from(text, 'latin1'));

/** What a damaged form may be answered with; 5xx never. */
const ALLOWED = /^(200|400 \w+|413 \w+|415 \w+|422 \w+)$/;
const HANG_MS = 40_000;
const LANES = 4;

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
        const outcome = nameOf(await field.post({ raw, from: index, offeredAfterMs: HANG_MS }));
        if (!ALLOWED.test(outcome)) field.fault(`form ${index}: ${outcome}`);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    field.figure('forms', count);
  },
};

/** Of every kind, small so that many fit into a minute. */
function wholeFiles(): Uint8Array[] {
  const recorded = ['wav', 'webm', 'mp4', 'ogg'].map((type) =>
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
