import { createStore, values } from 'idb-keyval';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { userEvent } from 'vitest/browser';
import { createDeferred } from '../../src/core/async.ts';
import { concatSamples } from '../../src/core/audio/samples.ts';
import { writeWav } from '../../src/core/audio/wav-file.ts';
import { createEditableField } from '../../src/field/create-editable-field.ts';
import { FileLines } from '../../src/page/files/FileLines.tsx';
import { createNote, OpenFile, useNote } from '../../src/page/note.tsx';
import { createSettingsStore } from '../../src/page/settings.ts';
import type { SoundAnswer, SoundQuestion } from '../../src/platform/file-sound.ts';
import { forgetFiles, keepFile, noteProgress, takeFiles } from '../../src/platform/opened-files.ts';
import flacUrl from '../fixtures/speech-en.flac?url';
import speechUrl from '../fixtures/speech-en.wav?url';
import webmUrl from '../fixtures/speech-en.webm?url';
import { createFakeDictation } from '../helpers/fake-dictation.ts';
import { SPOKEN, speech } from '../helpers/file-speech.ts';
import { render } from '../helpers/render.tsx';
import { until } from '../helpers/until.ts';

const READY = {
  kind: 'ready',
  engine: 'any',
  model: 'any',
  languages: ['sv'],
  engines: [{ model: 'any', languages: ['sv'] }],
} as const;

/** Wind, as loud as speech. */
function noise(seconds: number): Float32Array {
  let last = 0;
  return Float32Array.from({ length: seconds * 16_000 }, () => {
    last = 0.97 * last + 0.02 * (Math.random() * 2 - 1);
    return last;
  });
}

function wav(seconds: number, name = 'möte.wav'): File {
  return wavOf([speech(seconds)], name);
}

function wavOf(sounds: readonly Float32Array[], name = 'möte.wav'): File {
  return new File([writeWav(concatSamples(sounds))], name, { type: 'audio/wav' });
}

/** Keeps a file as one that no page reads any more. */
async function kept(id: string, file: File, account: string | null): Promise<void> {
  await (await keepFile(id, file, account))?.release();
}

// Files of sound lie in the browser's storage until they are text.
beforeEach(() => forgetFiles());
afterEach(() => forgetFiles());

type Sent = {
  readonly fields: Record<string, string>;
  readonly seconds: number;
  readonly type: string;
};

/** The page's note with its part for files, and a server that `answer`s. */
function open(
  answer: (sent: Sent, index: number) => Response | Promise<Response>,
  hasOpened = false,
  audioTypes?: readonly string[],
  isShareLost = false,
) {
  const sent: Sent[] = [];
  const asking = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const health = { status: 'ready', engine: 'any', languages: ['sv'], audioTypes };
    if (String(input) !== 'api/asr/vad') return Response.json(health);
    init?.signal?.throwIfAborted();
    const body = init?.body as FormData;
    const file = body.get('audioFile') as File;
    const fields = Object.fromEntries(
      [...body].flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
    );
    const one = { fields, seconds: Math.round((file.size - 44) / 32_000), type: file.type };
    sent.push(one);
    const aborted = new Promise<never>((_, reject) => {
      init?.signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
    });
    return Promise.race([answer(one, sent.length - 1), aborted]);
  });
  onTestFinished(() => asking.mockRestore());
  const element = document.createElement('div');
  element.contentEditable = 'true';
  document.body.append(element);
  const field = createEditableField(element);
  onTestFinished(() => {
    field.dispose();
    element.remove();
  });
  const ref = { current: field };
  const dictation = createFakeDictation();
  dictation.set({ server: READY });
  const settings = createSettingsStore(null);
  settings.change({ interfaceLanguage: 'sv', language: 'sv' });
  const note = createNote(ref, () => 0);
  function Part() {
    const { files } = useNote(note);
    return (
      <>
        <OpenFile note={note} />
        {(files.length > 0 || hasOpened || isShareLost) && (
          <FileLines {...{ files, dictation, settings, field: ref, isShareLost }} />
        )}
      </>
    );
  }
  const { host, draw } = render(<Part />);
  const unmount = () => draw(null);
  const said = () => [...host.querySelectorAll('.file [role=status]')].map((p) => p.textContent);
  const button = (name: string) =>
    [...host.querySelectorAll('button')].find(
      (each) => each.textContent === name || each.getAttribute('aria-label') === name,
    );
  return { host, element, note, sent, said, button, dictation, unmount };
}

/** The note as it is read. */
const words = (element: HTMLElement) => element.innerText.replaceAll(/\s+/g, ' ').trim();

const heard = (transcription: string, parts?: object[]) =>
  Response.json({ transcription, ...(parts && { parts }) });

test('a file is sent in pieces that are cut where it is quiet, and each text goes into an empty note as it comes', async () => {
  const gate = createDeferred();
  const { element, note, sent, said, host } = open(async (_sent, index) => {
    if (index > 0) await gate.promise;
    return heard(`Text ${index + 1}.`);
  });
  note.open([wav(70)]);
  await expect.poll(() => element.textContent.trim()).toBe('Text 1.');
  expect(said()).toEqual(['möte.wav blir text …']);
  const share = () => host.querySelector('progress')?.value ?? 0;
  await expect.poll(share).toBeGreaterThan(0.2);
  expect(share()).toBeLessThan(0.6);
  gate.resolve();
  await expect.poll(said).toEqual(['möte.wav är klar.']);
  expect(element.textContent).toMatch(/^Text 1\. Text 2\. Text 3\./);
  expect(sent.map(({ fields }) => [fields.language, fields.times])).toEqual(
    sent.map(() => ['sv', 'true']),
  );
  expect(sent.reduce((sum, { seconds }) => sum + seconds, 0)).toBeGreaterThanOrEqual(60);
  expect(sent.every(({ seconds }) => seconds <= 31)).toBe(true);
});

test('what the note does not take comes with the next piece, in order; at the end by a press', async () => {
  const { element, note, said, button, host } = open(async (_sent, index) => {
    if (index === 2) await until(() => element.textContent.includes('Text 2.'));
    // A dialog is open meanwhile.
    element.inert = index !== 1;
    return heard(`Text ${index + 1}.`);
  });
  note.open([wav(70)]);
  await expect.poll(said).toEqual(['möte.wav är klar.']);
  expect(element.textContent.trim()).toBe('Text 1. Text 2.');
  element.inert = false;
  await userEvent.click(button('Infoga det som saknas')!);
  await expect.poll(() => element.textContent.trim()).toBe('Text 1. Text 2. Text 3.');
  await expect.poll(() => host.textContent).not.toContain('Infoga det som saknas');
});

test('its text is saved with the times of the whole file', async () => {
  const { note, said, button, host } = open((_sent, index) =>
    heard(`Del ${index + 1}`, [{ text: `Del ${index + 1}`, startMs: 500, endMs: 900, words: [] }]),
  );
  const saved: { name: string; text: Promise<string> }[] = [];
  const blobs = vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    saved.push({ name: '', text: (blob as Blob).text() });
    return 'blob:none';
  });
  const clicks = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    const last = saved.pop();
    if (last) saved.push({ ...last, name: this.download });
  });
  onTestFinished(() => {
    blobs.mockRestore();
    clicks.mockRestore();
  });
  note.open([wav(40)]);
  await expect.poll(said).toEqual(['möte.wav är klar.']);
  for (const form of ['txt', 'srt', 'vtt', 'json', 'docx']) {
    const before = saved.length;
    await userEvent.click(button(form)!);
    await expect.poll(() => saved.length).toBe(before + 1);
    expect(saved.at(-1)?.name).toBe(`möte.${form}`);
  }
  expect(await saved[0]?.text).toBe('Del 1\nDel 2\n');
  const second = /\n2\n00:00:(\d\d),(\d{3}) -->/.exec((await saved[1]?.text) ?? '');
  expect(Number(second?.[1])).toBeGreaterThanOrEqual(20);
  const times = host.querySelector<HTMLInputElement>('.file-times input')!;
  expect(times.labels?.[0]?.textContent).toBe('Tider i txt och docx');
  times.focus();
  await userEvent.keyboard(' ');
  await userEvent.click(button('txt')!);
  await expect.poll(() => saved.length).toBe(6);
  expect(await saved[5]?.text).toMatch(/^0:00 {2}Del 1\n0:[23]\d {2}Del 2\n$/);
});

test('what was shared and could not be taken is told in one sentence, until it is closed', async () => {
  const { host, button } = open(() => heard(''), false, undefined, true);
  await expect
    .poll(() => host.querySelector('.file [role=alert]')?.textContent)
    .toBe('Det som delades kunde inte tas emot. Öppna ljudfilen här på sidan i stället.');
  await userEvent.click(button('Stäng')!);
  expect(host.querySelector('.files')).toBeNull();
});

test('read and listened to: a word plays from its place, and the least certain are marked', async () => {
  const words = Array.from({ length: 40 }, (_, index) => ({
    text: index === 7 ? 'femton' : index === 9 ? '15' : `ord${index}`,
    startMs: index * 100,
    endMs: index * 100 + 90,
    certainty: index === 7 ? 0.3 : index === 8 ? 0.5 : index === 9 ? 0.55 : 0.97,
  }));
  const { note, said, host } = open(() =>
    heard('Text.', [{ text: 'Text.', startMs: 0, endMs: 4_000, words }]),
  );
  note.open([wav(5)]);
  await expect.poll(said).toEqual(['möte.wav är klar.']);
  await userEvent.click(host.querySelector('.file-read summary')!);
  await expect.poll(() => host.querySelectorAll('.heard-words :is(span, mark)').length).toBe(40);
  // Two of forty by rank, and a number that is among the four.
  const marked = [...host.querySelectorAll('.heard-words mark')].map((each) => each.textContent);
  expect(marked).toEqual(['femton', 'ord8', '15']);
  const audio = host.querySelector('audio')!;
  await expect.poll(() => audio.readyState).toBeGreaterThan(0);
  vi.spyOn(audio, 'play').mockResolvedValue();
  await userEvent.click(host.querySelectorAll('.heard-words :is(span, mark)')[30]!);
  await expect.poll(() => audio.currentTime).toBeCloseTo(3, 1);
  expect(audio.play).toHaveBeenCalledOnce();
});

test('cancelled, what has come stays; the next file has its turn', async () => {
  const hung: ((answer: Response) => void)[] = [];
  const { element, note, said, button } = open((_sent, index) => {
    if (index !== 1) return heard(`Text ${index + 1}.`);
    return new Promise((resolve) => hung.push(resolve));
  });
  note.open([wav(70, 'ett.wav'), wav(5, 'två.wav')]);
  await expect.poll(() => hung.length).toBe(1);
  expect(said()).toEqual(['ett.wav blir text …', 'två.wav väntar på sin tur.']);
  await userEvent.click(button('Avbryt')!);
  hung[0]?.(heard('Sent.'));
  await expect
    .poll(said)
    .toEqual([
      'ett.wav avbröts. Det som har kommit finns kvar.',
      'två.wav är klar. Texten ligger här, skild från anteckningen.',
    ]);
  expect(element.textContent.trim()).toBe('Text 1.');
});

const NO_SOUND = new File([new Uint8Array(2_000)], 'bild.mp4', { type: 'video/mp4' });

test.each<[string, File, () => Response, string]>([
  [
    'too large',
    wav(3),
    () => Response.json({}, { status: 413 }),
    'möte.wav är för stor för servern. Dela den i mindre filer.',
  ],
  [
    'not readable here nor there',
    NO_SOUND,
    () => Response.json({}, { status: 400 }),
    'bild.mp4 går inte att läsa. Spara den som mp3, m4a eller wav och försök igen.',
  ],
  ['without speech', wav(3), () => heard(''), 'I möte.wav hördes inget tal.'],
  [
    'signed out',
    wav(3),
    () => new Response('<!doctype html>'),
    'Logga in igen, så fortsätter möte.wav där den stannade.',
  ],
])('%s: one sentence', async (_what, file, answer, sentence) => {
  const { note, said } = open(answer);
  note.open([file]);
  await expect.poll(said).toEqual([sentence]);
});

test('a file without any sound asks nobody', async () => {
  const silent = wavOf([new Float32Array(32_000)], 'tyst.wav');
  const { note, said, sent } = open(() => heard('Tack för att du tittade.'));
  note.open([silent]);
  await expect.poll(said).toEqual(['I tyst.wav hördes inget tal.']);
  expect(sent).toEqual([]);
});

test('a file in which nobody speaks asks nobody, however loud it is', async () => {
  const { note, said, sent } = open(() => heard('Tack för att du tittade.'));
  note.open([wavOf([noise(60)])]);
  await expect.poll(said).toEqual(['I möte.wav hördes inget tal.']);
  expect(sent).toEqual([]);
});

test('what lies between speech is not sent, and the times are those of the file', async () => {
  const words = [
    { text: 'först', startMs: 1_000, endMs: 1_400 },
    { text: 'sist', startMs: 10_000, endMs: 10_400 },
  ];
  const { note, said, sent, host } = open(() =>
    heard('först sist', [{ text: 'först sist', startMs: 0, endMs: 10_400, words }]),
  );
  const once = speech(Math.floor(SPOKEN.length / 16_000));
  note.open([wavOf([once, noise(40), once])]);
  await expect.poll(said).toEqual(['möte.wav är klar.']);
  // Each with what the gate leaves around it.
  expect(sent).toHaveLength(2);
  for (const { seconds } of sent) {
    expect(seconds).toBeGreaterThanOrEqual(once.length / 16_000 - 1);
    expect(seconds).toBeLessThan(once.length / 16_000 + 3);
  }
  await userEvent.click(host.querySelector('.file-read summary')!);
  const times = () => [...host.querySelectorAll('.file-time')].map((each) => each.textContent);
  await expect.poll(times).toEqual(['0:00', expect.stringMatching(/^0:4\d$/)]);
});

test('what the browser cannot read goes to the server whole', async () => {
  const { element, note, said } = open(() => heard('Läst där.'));
  note.open([NO_SOUND]);
  await expect.poll(said).toEqual(['bild.mp4 är klar.']);
  expect(element.textContent).toMatch(/^Läst där\./);
});

async function fixture(
  url: string,
  damage: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>,
) {
  const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
  return new File([damage(bytes)], 'möte', { type: 'audio/x-any' });
}

test.each<[string, string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>, RegExp]>([
  [
    'its size is that of a stream that broke off: all of it',
    speechUrl,
    (bytes) => {
      bytes.fill(0, 40, 44);
      return bytes;
    },
    /^möte är klar\.$/,
  ],
  [
    // Some decoders stumble, and some say nothing.
    'bytes all over are damaged: what is behind, too',
    flacUrl,
    (bytes) => bytes.map((byte, at) => (at > 2_000 && at % 1_500 === 500 ? byte ^ 0x5a : byte)),
    /^möte är klar(?:, men allt i filen gick inte att läsa)?\.$/,
  ],
])('a file is heard of which %s', async (_, url, damage, sentence) => {
  const file = await fixture(url, damage);
  const { note, said, sent } = open(() => heard('Text.'));
  note.open([file]);
  await expect.poll(said).toEqual([expect.stringMatching(sentence)]);
  const [piece, ...others] = sent;
  expect(others).toEqual([]);
  // A browser without a decoder for it sends it as it is.
  if (piece?.type !== file.type) expect(piece).toMatchObject({ type: 'audio/wav', seconds: 4 });
});

test('a file that was cut is heard as far as it goes, and that is told', async () => {
  const file = await fixture(flacUrl, (bytes) => bytes.slice(0, bytes.length >> 1));
  const { note, said, sent } = open(() => heard('Text.'));
  note.open([file]);
  await expect.poll(said).toEqual([expect.stringMatching(/^möte är klar/)]);
  // A browser without a decoder for it sends it as it is.
  if (sent[0]?.type === file.type) return;
  expect(said()).toEqual(['möte är klar, men allt i filen gick inte att läsa.']);
});

test('what the server could not read all of is told', async () => {
  const { note, said } = open(() => Response.json({ transcription: 'Text.', complete: false }));
  note.open([wav(3)]);
  await expect.poll(said).toEqual(['möte.wav är klar, men allt i filen gick inte att läsa.']);
});

test('a file of which nothing can be decoded here goes to the server as it is', async () => {
  const file = await fixture(webmUrl, (bytes) => bytes.slice(0, 0.6 * bytes.length));
  const { note, said, sent } = open(() => heard('Text.'));
  note.open([file]);
  await expect.poll(said).toEqual(['möte är klar.']);
  expect(sent.map(({ type }) => type)).toEqual(['audio/x-any']);
});

/** A worker in a browser that lacks a decoder for AAC: two pieces of packets. */
function withoutDecoder(durationMs: number): void {
  class Packed {
    onmessage: ((event: { data: SoundAnswer }) => void) | null = null;
    asked = 0;
    postMessage({ kind }: SoundQuestion) {
      this.asked += kind === 'next' ? 1 : 0;
      const startMs = 90_000 * (this.asked - 1);
      const [bytes, endMs] = [new ArrayBuffer(1_000), startMs + 90_000];
      const piece = { kind: 'piece', bytes, parts: [{ startMs, endMs }], endMs } as const;
      const opened = { kind: 'opened', durationMs, type: 'audio/mp4', codec: 'aac' } as const;
      const data =
        kind === 'open'
          ? opened
          : this.asked > 2
            ? ({ kind: 'end', isWhole: true } as const)
            : piece;
      queueMicrotask(() => this.onmessage?.({ data }));
    }
    terminate() {}
  }
  vi.stubGlobal('Worker', Packed);
  onTestFinished(() => void vi.unstubAllGlobals());
}

const AAC = 'audio/mp4;codecs=mp4a.40.2';

test.each<[string, number, readonly string[], readonly string[], string]>([
  ['long: in pieces', 3_600_000, [AAC], ['audio/mp4', 'audio/mp4'], 'bild.mp4 är klar.'],
  ['short: whole', 60_000, [AAC], ['video/mp4'], 'bild.mp4 är klar.'],
  [
    'to a server without AAC: not at all',
    3_600_000,
    ['audio/mp4;codecs=opus'],
    [],
    'bild.mp4 går inte att läsa. Spara den som mp3, m4a eller wav och försök igen.',
  ],
])(
  'what can be taken apart but not decoded goes to the server %s',
  async (_, durationMs, listed, types, sentence) => {
    withoutDecoder(durationMs);
    const { element, note, said, sent } = open((__, index) => heard(`Text ${index + 1}.`), false, [
      'audio/wav',
      ...listed,
    ]);
    note.open([NO_SOUND]);
    await expect.poll(said).toEqual([sentence]);
    expect(sent.map(({ type }) => type)).toEqual(types);
    expect(words(element)).toBe(types.map((__, index) => `Text ${index + 1}.`).join(' '));
  },
);

const CLIP = new File([new Uint8Array(2_000)], 'klipp.wma', { type: 'audio/x-ms-wma' });
const CLIP_UNREAD =
  'klipp.wma går inte att läsa. Spara den som mp3, m4a eller wav och försök igen.';

test.each<[string, File, readonly string[], string, number]>([
  ['its kind is listed', CLIP, ['audio/wav', 'audio/x-ms-wma'], 'klipp.wma är klar.', 1],
  ['it is not', CLIP, ['audio/wav', 'audio/mpeg'], CLIP_UNREAD, 0],
  ['another codec is', NO_SOUND, ['audio/wav', 'audio/mp4;codecs=opus'], 'bild.mp4 är klar.', 1],
  ['no WAV', wav(3), ['audio/webm;codecs=opus'], 'Servern tar inte emot ljudet i möte.wav.', 0],
])('only what the server takes is sent: %s', async (_, file, listed, sentence, requests) => {
  const { note, said, sent } = open(() => heard('Läst.'), false, listed);
  note.open([file]);
  await expect.poll(said).toEqual([sentence]);
  expect(sent).toHaveLength(requests);
});

test.each(['a decoder', 'a server'])(
  '%s that never answers holds no file that is cancelled, nor the next one',
  async (which) => {
    const { note, said, button, sent } = open(() => heard('Text.'));
    class Hung extends EventTarget {
      postMessage() {}
      terminate() {}
    }
    const isServer = which === 'a server';
    if (!isServer) vi.stubGlobal('Worker', Hung);
    onTestFinished(() => void vi.unstubAllGlobals());
    const hung = vi.fn((_: unknown, init?: RequestInit) => {
      return new Promise<Response>((__, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      });
    });
    if (isServer) vi.mocked(fetch).mockImplementationOnce(hung);
    const opening = vi.spyOn(Hung.prototype, 'postMessage');
    note.open([wav(3, 'ett.wav'), wav(3, 'två.wav')]);
    await expect.poll(said).toEqual(['ett.wav blir text …', 'två.wav väntar på sin tur.']);
    await expect.poll(() => (isServer ? hung : opening).mock.calls.length).toBe(1);
    vi.unstubAllGlobals();
    await userEvent.click(button('Avbryt')!);
    await expect.poll(() => said()[0]).toBe('ett.wav avbröts. Det som har kommit finns kvar.');
    await expect.poll(() => said()[1]).toBe('två.wav är klar.');
    expect(sent).toHaveLength(1);
  },
);

test('a sign-in that has run out, and then is there: it goes on where it stopped', async () => {
  let isOut = false;
  const { element, note, said, button, sent } = open((_sent, index) => {
    if (index === 1) isOut = true;
    return isOut ? Response.json({}, { status: 401 }) : heard(`Text ${index + 1}.`);
  });
  note.open([wav(40)]);
  await expect.poll(said).toEqual(['Logga in igen, så fortsätter möte.wav där den stannade.']);
  isOut = false;
  await userEvent.click(button('Fortsätt')!);
  await expect.poll(said).toEqual(['möte.wav är klar.']);
  expect(element.textContent).toMatch(/^Text 1\. Text 3\./);
  expect(Math.abs((sent[1]?.seconds ?? 0) - (sent[2]?.seconds ?? 9))).toBeLessThanOrEqual(1);
});

test('a server that lacks the language is not asked: another would be written', async () => {
  const { note, said, sent, dictation } = open(() => heard('No.'));
  dictation.set({ server: { ...READY, engines: [{ model: 'any', languages: ['en'] }] } });
  note.open([wav(3)]);
  await expect
    .poll(said)
    .toEqual(['Servern förstår inte språket än, så möte.wav väntar. Fortsätt när språket finns.']);
  expect(sent).toEqual([]);
});

test('the system opens files with the installed page: those that it still has are taken', async () => {
  let take: ((launch: object) => Promise<void>) | undefined;
  const setConsumer = (consumer: typeof take) => {
    take = consumer;
  };
  vi.stubGlobal('launchQueue', { setConsumer });
  onTestFinished(() => void vi.unstubAllGlobals());
  const { said } = open(() => heard('Text.'));
  await expect.poll(() => take).toBeDefined();
  const gone = { getFile: () => Promise.reject(new DOMException('', 'NotFoundError')) };
  await take?.({ files: [gone, { getFile: async () => wav(3) }] });
  await expect.poll(said).toEqual(['möte.wav är klar.']);
  await take?.({});
  expect(said()).toHaveLength(1);
});

test('dropped anywhere or pasted a file is taken, and pasted text is none', async () => {
  const { note, element, host } = open(() => heard('Hej.'));
  const give = (type: string, fill: (data: DataTransfer) => void) => {
    const dataTransfer = new DataTransfer();
    fill(dataTransfer);
    const options = { bubbles: true, cancelable: true };
    const event =
      type === 'paste'
        ? // Firefox gives an event that a script makes a clipboard of its own.
          Object.defineProperty(new ClipboardEvent(type, options), 'clipboardData', {
            value: dataTransfer,
          })
        : new DragEvent(type, { ...options, dataTransfer });
    element.dispatchEvent(event);
    return event.defaultPrevented;
  };
  expect(host.querySelector('input')?.getAttribute('accept')).toBe('audio/*,video/*');
  const names = () => note.getState().files.map(({ name }) => name);
  const file = (data: DataTransfer) => void data.items.add(wav(1));
  expect(give('dragover', file)).toBe(true);
  expect(document.documentElement.dataset.isFileOver).toBe('');
  expect(give('drop', file)).toBe(true);
  expect(document.documentElement.dataset.isFileOver).toBeUndefined();
  expect(give('paste', file)).toBe(true);
  expect(give('paste', (data) => data.setData('text/plain', 'hej'))).toBe(false);
  expect(give('drop', (data) => data.setData('text/plain', 'hej'))).toBe(false);
  expect(names()).toEqual(['möte.wav', 'möte.wav']);
  const picture = (data: DataTransfer) =>
    void data.items.add(new File(['x'], 'bild.png', { type: 'image/png' }));
  expect(give('drop', picture)).toBe(true);
  expect(names()).toHaveLength(2);
});

describe('a note in which something stands', () => {
  test('stays as it is: the text lies with its file until a press inserts it, all of it and once', async () => {
    const { element, note, said, button, host } = open((_sent, index) =>
      heard(`Text ${index + 1}.`),
    );
    element.textContent = 'Det här skrev jag, och';
    note.open([wav(70)]);
    await expect
      .poll(said)
      .toEqual(['möte.wav är klar. Texten ligger här, skild från anteckningen.']);
    expect(element.textContent).toBe('Det här skrev jag, och');
    await userEvent.click(host.querySelector('.file-read summary')!);
    await expect.poll(() => host.querySelector('.file-words')?.textContent).toContain('Text 3.');
    await userEvent.click(button('Infoga i anteckningen')!);
    await expect
      .poll(() => words(element))
      .toMatch(/^Det här skrev jag, och Text 1\. Text 2\. Text 3\.$/i);
    await expect.poll(said).toEqual(['möte.wav är klar.']);
    expect(button('Infoga i anteckningen')).toBeUndefined();
  });

  test.each<[string, (element: HTMLElement) => void, string]>([
    ['behind its text', (element) => element.append(' Men jag'), 'Text 1. Men jag'],
    ['within its text', (element) => element.replaceChildren('Text ett.'), 'Text ett.'],
    ['in place of it, as a new note', (element) => element.replaceChildren(), ''],
  ])('somebody writes %s: the rest of the file does not go in', async (_, write, expected) => {
    const { element, note, said, button } = open(async (_sent, index) => {
      if (index === 1) {
        await until(() => element.textContent.includes('Text 1.'));
        write(element);
      }
      return heard(`Text ${index + 1}.`);
    });
    note.open([wav(70)]);
    await expect.poll(said).toEqual(['möte.wav är klar.']);
    expect(words(element)).toBe(expected);
    await userEvent.click(button('Infoga det som saknas')!);
    await expect.poll(() => words(element)).toMatch(/Text 2\. Text 3\./);
    expect(words(element).split('Text 1.')).toHaveLength(expected.includes('Text 1.') ? 2 : 1);
  });

  test('somebody dictates into it: the file’s text does not go in between', async () => {
    const { element, note, said, dictation } = open(() => heard('Text 1.'));
    const { session } = dictation.getSnapshot();
    dictation.set({ session: { ...session, phase: 'recording' } });
    note.open([wav(5)]);
    await expect.poll(said).toEqual([expect.stringContaining('Texten ligger här')]);
    expect(element.textContent).toBe('');
  });

  test('a text that is nowhere else does not go by one press', async () => {
    const { element, note, said, button, host } = open(() => heard('Text 1.'));
    element.textContent = 'Mitt.';
    note.open([wav(5)]);
    await expect.poll(said).toEqual([expect.stringContaining('Texten ligger här')]);
    await userEvent.click(button('Stäng, möte.wav')!);
    expect(host.querySelector('.file-asked [role=alert]')?.textContent).toBe(
      'All text står inte i anteckningen.',
    );
    expect(said()).toHaveLength(1);
    await userEvent.click(button('Ta bort texten')!);
    expect(said()).toEqual([]);
  });
});

describe('a page that goes in the middle of a file', () => {
  /** The page before, closed while the server has not answered its second piece. */
  async function interrupted() {
    const before = open((_sent, index) =>
      index === 0 ? heard('Text 1.') : new Promise<Response>(() => {}),
    );
    before.note.open([wav(70)]);
    await expect.poll(() => before.sent.length).toBe(2);
    await expect.poll(() => stored()).toMatchObject([{ progress: { goingIn: [], parts: [{}] } }]);
    before.unmount();
    return before;
  }
  const stored = () => files((all) => all.filter((value) => !(value instanceof ArrayBuffer)));
  const files = async <T,>(of: (values: unknown[]) => T): Promise<T> => {
    const database = createStore('diktera-files', 'files');
    return of(await values(database));
  };

  test('the next one goes on by one press, and no piece is heard twice', async () => {
    const { element: old, sent: sentBefore } = await interrupted();
    const { element, said, button, sent } = open(
      (_sent, index) => heard(`Del ${index + 2}.`),
      true,
    );
    element.textContent = old.textContent;
    // A caret that is elsewhere, as after a page was loaded anew, does not move.
    getSelection()?.collapse(element, 0);
    await expect
      .poll(said)
      .toEqual(['möte.wav avbröts när sidan stängdes. Fortsätt, så blir resten också text.']);
    expect(sent).toEqual([]);
    await userEvent.click(button('Fortsätt')!);
    await expect.poll(said).toEqual(['möte.wav är klar.']);
    expect(element.textContent.trim()).toBe('Text 1. Del 2. Del 3.');
    expect(getSelection()?.focusOffset).toBe(0);
    const seconds = [sentBefore[0]!, ...sent].reduce((sum, each) => sum + each.seconds, 0);
    expect(Math.abs(seconds - 70)).toBeLessThanOrEqual(2);
    // Its sound and its text are the note's alone from now on.
    await expect.poll(() => files((all) => all.length)).toBe(0);
  });

  test('while it lives no other takes its file; cancelled, nothing of it is left', async () => {
    const { note, sent, button, said } = open(() => new Promise<Response>(() => {}));
    note.open([wav(5)]);
    await expect.poll(() => sent.length).toBe(1);
    await expect.poll(() => files((all) => all.length)).toBe(2);
    expect(await takeFiles(null)).toEqual([]);
    await userEvent.click(button('Avbryt')!);
    await expect.poll(() => said()[0]).toContain('avbröts.');
    await expect.poll(() => files((all) => all.length)).toBe(0);
  });

  test('what stands in the note is not offered, though its page went before it could note that', async () => {
    await kept('kept', wav(5), null);
    const progress = { doneMs: 5_000, parts: [], untaken: [], wrote: '', end: null };
    await noteProgress('kept', { ...progress, goingIn: ['Text 1.', 'Text 2.'] });
    const { element, said, button } = open(() => heard('Text 1.'), true);
    element.textContent = 'Text 1. Text 2.';
    await expect.poll(() => said()[0]).toContain('avbröts');
    expect(button('Infoga det som saknas')).toBeUndefined();
    await userEvent.click(button('Fortsätt')!);
    await expect.poll(() => files((all) => all.length)).toBe(0);
    expect(element.textContent).toBe('Text 1. Text 2.');
  });

  test('what was on its way into a note that was not stored is offered; what lay with the file is, whatever the note says', async () => {
    await kept('kept', wav(5), null);
    const progress = { doneMs: 5_000, parts: [], untaken: ['Ja.'], wrote: null, end: 'done' };
    await noteProgress('kept', { ...progress, goingIn: ['Text 1.'] });
    const { element, button } = open(() => heard('?'), true);
    element.textContent = 'Ja. Just det.';
    await expect.poll(() => button('Infoga i anteckningen')).toBeDefined();
    await userEvent.click(button('Infoga i anteckningen')!);
    await expect.poll(() => words(element)).toBe('Ja. Just det. Text 1. Ja.');
    await expect.poll(() => files((all) => all.length)).toBe(0);
  });

  test('a file that the server has read whole is not read again', async () => {
    await kept('kept', NO_SOUND, null);
    const part = { text: 'Läst där.', startMs: 0, endMs: 9, words: [] };
    const progress = { doneMs: Number.POSITIVE_INFINITY, parts: [part], untaken: ['Läst där.'] };
    await noteProgress('kept', { ...progress, goingIn: [], wrote: null, end: null });
    const { said, button, sent, host } = open(() => heard('Läst där.'), true);
    await expect.poll(() => said()[0]).toContain('avbröts');
    await userEvent.click(button('Fortsätt')!);
    await expect
      .poll(said)
      .toEqual(['bild.mp4 är klar. Texten ligger här, skild från anteckningen.']);
    expect(sent).toEqual([]);
    await userEvent.click(host.querySelector('.file-read summary')!);
    await expect.poll(() => host.querySelectorAll('.file-words p').length).toBe(1);
  });

  test('what the note did not take is offered by the next page', async () => {
    const {
      said: saidBefore,
      note,
      unmount,
      element: old,
    } = open(() => {
      old.inert = true;
      return heard('Text 1.');
    });
    note.open([wav(5)]);
    const apart = 'möte.wav är klar. Texten ligger här, skild från anteckningen.';
    await expect.poll(saidBefore).toEqual([apart]);
    await expect.poll(stored).toMatchObject([{ progress: { untaken: ['Text 1.'], end: 'done' } }]);
    unmount();
    const { element, said, button } = open(() => heard('?'), true);
    await expect.poll(said).toEqual([apart]);
    await userEvent.click(button('Infoga i anteckningen')!);
    await expect.poll(() => element.textContent.trim()).toBe('Text 1.');
    await expect.poll(() => files((all) => all.length)).toBe(0);
  });

  test('what another page, or the service worker, is still taking in is left to it', async () => {
    const taking = keepFile('taking', wav(5), null);
    // Its part is here by then.
    await expect.poll(() => files((all) => all.length)).toBeGreaterThan(0);
    expect(await takeFiles(null)).toEqual([]);
    const hold = await taking;
    await hold?.release();
    await expect.poll(async () => (await takeFiles(null)).map(({ id }) => id)).toEqual(['taking']);
  });

  test('what was shared with the page is read at once; what is old or another’s is not', async () => {
    await kept('shared', wav(5), null);
    await kept('of another', wav(5), 'somebody');
    vi.spyOn(Date, 'now').mockReturnValueOnce(Date.now() - 8 * 86_400_000);
    await kept('old', wav(5), null);
    const { element, said } = open(() => heard('Delat.'), true);
    await expect.poll(said).toEqual(['möte.wav är klar.']);
    expect(element.textContent.trim()).toBe('Delat.');
    await expect.poll(stored).toMatchObject([{ id: 'of another' }]);
  });
});
