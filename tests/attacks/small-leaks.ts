import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { postHead, rawConnection } from '../helpers/raw-http.ts';
import { seededRandom } from '../helpers/seeded-random.ts';
import { tone, waveFile } from '../helpers/wave-file.ts';
import type { Attack, AttackField } from './attack.ts';
import { numberedSpeech, numberOf } from './numbered-speech.ts';
import { jsonAnswer } from './outside.ts';
import { nameOf } from './post.ts';

const MIB = 1024 * 1024;
const speech = (toneHz: number) => waveFile(16_000, tone(toneHz, 16_000, 0.5));

/** Finding 12, keys and figures. */
export const squattedKeys: Attack = {
  name: "keys of other people's requests, and figures that count what was not done",
  on: 'elsewhere',
  lane: 'outside',
  async run(field) {
    const headers = { 'idempotency-key': `squatted-${field.seed}` };
    // In Swedish: nobody else on this server speaks it meanwhile, so the figures are this attack's.
    const fields = { language: 'sv' };
    const own = await field.post({ file: speech(440), fields, headers });
    const token = field.target.headers(field.address(), 1);
    const other = await field.post({
      file: speech(880),
      fields,
      headers: { ...token, ...headers },
    });
    for (const outcome of [own, other].map(nameOf))
      if (outcome !== '200') field.fault(`a key of one token got ${outcome} with another`);
    const reused = nameOf(await field.post({ file: speech(220), fields, headers }));
    if (reused !== '409 idempotency_key_reused') field.fault(`another file under a key: ${reused}`);

    const repeats = field.isShort ? 50 : 400;
    const counted = () => figureOf(field, 'diktera_audio_seconds_total{engine="openai"}');
    const before = await counted();
    if (before === 0) field.fault('what was transcribed is in no figure');
    for (let turn = 0; turn < repeats; turn++)
      await field.post({ file: speech(440), fields, headers });
    const gained = (await counted()) - before;
    field.figure('s of audio counted for repeats', gained);
    if (gained > 0) field.fault('repeated answers count as audio');
    await leave(field);
  },
};

/** A client that goes away is counted. */
async function leave(field: AttackField): Promise<void> {
  const before = await figureOf(field, 'diktera_requests_total{status="499"}');
  const gone = await rawConnection(
    field.target.server.url,
    postHead(1_000_000, { headers: field.target.headers(field.address()) }),
    field.address(),
  );
  gone.socket.write('--b');
  await new Promise((resolve) => setTimeout(resolve, 200));
  gone.socket.destroy();
  for (let look = 0; look < 100; look++) {
    if ((await figureOf(field, 'diktera_requests_total{status="499"}')) > before) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  field.fault('a client that left is in no figure');
}

/** The sum of all lines that begin with the name and have the labels that are given. */
async function figureOf(field: AttackField, wanted: string): Promise<number> {
  const [name = '', label = ''] = wanted.replace('}', '').split('{');
  const text = await (await fetch(`${field.target.adminUrl}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => line.startsWith(name) && line.includes(label))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Finding 12, memory. */
export const manyAnswers: Attack = {
  name: 'answers as large as can be, each under a key of its own',
  on: 'elsewhere',
  lane: 'outside',
  async run(field, outside) {
    const { memory } = field;
    const before = memory.mostOwnBytes();
    const count = field.isShort ? 40 : 500;
    // 250 kB: as much as the engine's answer about half a second may hold.
    const text = 'word '.repeat(50_000);
    outside.engineSays((socket) => socket.write(jsonAnswer({ text })));
    for (let turn = 0; turn < count; turn++) {
      const outcome = await field.post({
        file: speech(440),
        fields: { language: 'sv' },
        headers: { 'idempotency-key': `large-${field.seed}-${turn}` },
        from: turn,
      });
      if (nameOf(outcome) !== '200') field.fault(`an answer that may be kept: ${nameOf(outcome)}`);
    }
    const growth = memory.mostOwnBytes() - before;
    field.figure('MB its own process grew by', Math.round(growth / 1e6));
    // Of which 16 are kept; the others are garbage that V8 takes its time to collect.
    if (growth > 250 * MIB) field.fault(`its own process grew by ${Math.round(growth / MIB)} MiB`);
  },
};

/** Finding 12, settings. */
export const openByMistake: Attack = {
  name: 'settings that are empty or mistyped and would open the server to all',
  on: 'plain',
  lane: 'requests',
  async run(field) {
    const mistakes: readonly Record<string, string>[] = [
      { API_TOKENS: ' , ' },
      { API_TOKEN: 'a-token-of-16-chars' },
      { API_TOKENS: 'short' },
      { TRUST_PROXY: 'all' },
      { ALLOWED_ORIGINS: '*' },
    ];
    await Promise.all(
      mistakes.map(async (env) => {
        const code = await exitCodeOf(env);
        field.count(`exit code ${code}`);
        if (code !== 1) field.fault(`${JSON.stringify(env)} starts a server`);
      }),
    );
  },
};

/** Null when it still runs after its start, and was ended. */
function exitCodeOf(env: Record<string, string>): Promise<number | null> {
  const child = spawn(process.execPath, ['dist/server/main.js'], {
    env: { ...process.env, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.on('data', () => child.kill('SIGKILL'));
  return new Promise((resolve) => child.on('close', resolve));
}

const TERMS = readFileSync(
  fileURLToPath(new URL('../fixtures/spelling/terms.txt', import.meta.url)),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** Of the review, each of which came out as another word. */
const SWAPPED = [
  'dysphasia and aphagia',
  'digoxin and later keppra and ipren',
  'async and json and backend and valkey',
];

const LANES = 4;

/** Finding 4. */
export const swappedTerms: Attack = {
  name: 'rare words that look like slips of frequent ones',
  on: 'elsewhere',
  lane: 'outside',
  async run(field, outside) {
    const random = seededRandom(field.seed);
    const lines = field.isShort ? 12 : TERMS.length;
    const some = Array.from({ length: lines }, (_, index) =>
      field.isShort ? TERMS[Math.floor(random() * TERMS.length)] : TERMS[index],
    );
    const texts = [...SWAPPED, ...some].map((text) => text ?? '');
    outside.engineSays((socket, samples) =>
      socket.write(jsonAnswer({ text: texts[numberOf(samples)], language: 'sv' })),
    );
    let next = 0;
    let words = 0;
    const lane = async () => {
      for (let index = next++; index < texts.length; index = next++) {
        const text = texts[index] ?? '';
        const outcome = await field.post({
          file: numberedSpeech(index),
          fields: { language: 'sv', fixSpelling: 'true' },
        });
        const written = outcome.kind === 'answered' ? (outcome.transcription ?? '') : '';
        const changed = wordsOf(text).filter((word) => !wordsOf(written).includes(word));
        words += wordsOf(text).length;
        if (changed.length > 0) field.fault(`changed: ${changed.join(' ')} in ${written}`);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    field.figure('words', words);
  },
};

/** Capitals and full stops are tidied; words must stay. */
const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[\s.]+/)
    .filter(Boolean);
