import { expect, onTestFinished, test, vi } from 'vitest';
import { createDeferred } from '../../src/core/async.ts';
import { writeWav } from '../../src/core/audio/wav-file.ts';
import { type FileProgress, transcribe } from '../../src/transcribe-file.ts';
import { speech } from '../helpers/file-speech.ts';

const URL = 'https://dikt.example/api/asr/vad';
const HEALTH = 'https://dikt.example/api/health';

const wav = (seconds: number): Blob => new Blob([writeWav(speech(seconds))], { type: 'audio/wav' });

type Sent = { readonly fields: Record<string, string>; readonly headers: Headers };

/** A server in place of the network; `health` null is one that has none. */
function serve(
  answer: (sent: Sent, index: number) => Response | Promise<Response>,
  health: object | null = { status: 'ready', engine: 'any', model: 'any', languages: ['sv'] },
): readonly Sent[] {
  const sent: Sent[] = [];
  const { fetch } = globalThis;
  const asking = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    if (String(input) === HEALTH)
      return health ? Response.json(health) : new Response('', { status: 404 });
    if (String(input) !== URL) return fetch(input, init);
    const fields = Object.fromEntries(
      [...((init?.body ?? new FormData()) as FormData)].flatMap(([key, value]) =>
        typeof value === 'string' ? [[key, value]] : [],
      ),
    );
    const one = { fields, headers: new Headers(init?.headers) };
    sent.push(one);
    return answer(one, sent.length - 1);
  });
  onTestFinished(() => asking.mockRestore());
  return sent;
}

const heard = (transcription: string, parts?: object[]) =>
  Response.json({ transcription, ...(parts && { parts }) });

test('a file is its text, with the times of its words, and tells how far it is', async () => {
  const word = { text: 'Text', startMs: 100, endMs: 500 };
  const sent = serve((_sent, index) =>
    heard(`Text ${index}.`, [{ ...word, text: `Text ${index}.`, words: [word] }]),
  );
  const told: FileProgress[] = [];
  const options = { transcriptionUrl: URL, language: 'sv', fixSpelling: true };
  const { text, parts } = await transcribe(wav(70), {
    ...options,
    onProgress: (progress) => told.push(progress),
  });
  expect(text).toBe(sent.map((_, index) => `Text ${index}.`).join(' '));
  expect(sent.length).toBeGreaterThanOrEqual(3);
  expect(parts.map((part) => part.text)).toEqual(sent.map((_, index) => `Text ${index}.`));
  // Behind what was cut off before it.
  expect(parts[0]?.words[0]?.startMs).toBe(100);
  expect(parts[1]?.words[0]?.startMs).toBeGreaterThan(20_000);
  const [{ fields, headers } = { fields: {}, headers: new Headers() }] = sent;
  const wanted = { language: 'sv', removePii: 'true', fixSpelling: 'true', fast: 'false' };
  expect(fields).toEqual({ ...wanted, times: 'true' });
  expect(headers.get('idempotency-key')).toBeTruthy();
  expect(told.map(({ share }) => share)).toEqual([...told.map(({ share }) => share)].sort());
  expect(told.at(-1)).toEqual({ share: 1, text });
  expect(told[0]?.text).toBe('Text 0.');
});

test('it signs in, asks for other headers once they are refused, and needs no health', async () => {
  const tokens = ['old', 'new'];
  const sent = serve(
    ({ headers }) =>
      headers.get('authorization') === 'new' ? heard('Hej.') : new Response('', { status: 401 }),
    null,
  );
  const headers = async () => ({ Authorization: tokens.shift() ?? '' });
  const { text, parts } = await transcribe(wav(4), { transcriptionUrl: URL, headers });
  expect(text).toBe('Hej.');
  expect(parts).toEqual([{ text: 'Hej.', startMs: 0, endMs: expect.any(Number), words: [] }]);
  expect(sent.map((each) => each.headers.get('authorization'))).toEqual(['old', 'new']);
  // It is asked for no more than the call has.
  expect(sent[1]?.fields.times).toBeUndefined();
  expect(sent[1]?.headers.get('idempotency-key')).toBeNull();
});

test('it can be given up at any time', async () => {
  const never = createDeferred<Response>();
  const sent = serve(() => never.promise);
  const giving = new AbortController();
  const options = { transcriptionUrl: URL, language: 'sv', signal: giving.signal };
  const text = transcribe(wav(4), options);
  await expect.poll(() => sent.length).toBe(1);
  const why = new Error('enough');
  giving.abort(why);
  await expect(text).rejects.toBe(why);
  await expect(transcribe(wav(4), options)).rejects.toBe(why);
  expect(sent).toHaveLength(1);
});

test('each failure has its code', async () => {
  const options = { transcriptionUrl: URL, language: 'sv' };
  const codeOf = (file: Blob, more: object = {}) =>
    transcribe(file, { ...options, ...more }).then(
      () => null,
      ({ code }: { readonly code: string }) => code,
    );
  expect(await codeOf(wav(4), { languge: 'sv' })).toBe('bad-option');
  expect(await codeOf(wav(4), { transcriptionUrl: 'https://:bad' })).toBe('bad-option');

  let answer = () => new Response('', { status: 403 });
  const sent = serve(() => answer());
  expect(await codeOf(wav(4), { language: 'fi' })).toBe('language-missing');
  expect(sent).toEqual([]);
  expect(await codeOf(wav(4))).toBe('http-signed-out');
  answer = () => new Response('<!doctype html>');
  expect(await codeOf(wav(4))).toBe('http-signed-out');
  answer = () => new Response('', { status: 413 });
  expect(await codeOf(wav(4))).toBe('http-status');
  answer = () => new Response('', { status: 400 });
  expect(await codeOf(wav(4))).toBe('http-status');
  // Neither the browser nor the server can read it.
  expect(await codeOf(new Blob(['no sound'], { type: 'audio/amr' }))).toBe('file-unreadable');
});
