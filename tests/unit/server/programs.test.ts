import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFakeEngine, type FakeEngine } from '../../helpers/fake-engine.ts';
import { fixture, type RunningServer, startServer } from '../../helpers/running-server.ts';

/** One part of a form: its head as it goes over the wire, without the line of its name's field. */
type Part = {
  /** Everything behind `Content-Disposition: form-data; `. */
  readonly head: string;
  readonly value: string | Uint8Array;
};

/** A file's head with its quoted name and, unless a library writes none, its type. */
const file = (value: Uint8Array, name: string, type?: string): Part => ({
  head: `name="file"; filename="${name}"${type === undefined ? '' : `\r\nContent-Type: ${type}`}`,
  value,
});
const field = (name: string, value: string): Part => ({ head: `name="${name}"`, value });

/** As OkHttp writes every part. */
const counted = ({ head, value }: Part): Part => ({
  head: `${head}\r\nContent-Length: ${value.length}`,
  value,
});

/** As .NET writes them: names without quotes, and a type for each text. */
const dotNet = (name: string, value: string): Part => ({
  head: `name=${name}\r\nContent-Type: text/plain; charset=utf-8`,
  value,
});

const MP3 = fixture('speech-en.mp3');
const FLAC = fixture('speech-en.flac');
const WAV = fixture('speech-en.wav');
const WEBM = fixture('speech-en.webm');
const OGG = fixture('speech-en.ogg');

type Row = {
  readonly program: string;
  readonly parts: readonly Part[];
  readonly isChunked?: boolean;
  /** The language that the engine is to be asked for. */
  readonly language: string;
  /** A pattern for the answer. */
  readonly answer: RegExp;
};

const JSON_TEXT = /^\{"text":"the words"/;

/** Requests as programs, and the libraries below them, send them. */
const ROWS: readonly Row[] = [
  {
    program: 'Open WebUI (requests): MP3 with a name and no type, fields before it',
    parts: [field('model', 'whisper-1'), field('language', 'sv'), file(MP3, '9f1c.mp3')],
    language: 'sv',
    answer: JSON_TEXT,
  },
  {
    program: 'Obsidian Whisper (axios): a recording, then its fields, an empty prompt',
    parts: [
      file(WEBM, '2026-11-27.webm', 'audio/webm'),
      ...[field('model', 'whisper-1'), field('language', 'sv'), field('prompt', '')],
    ],
    language: 'sv',
    answer: JSON_TEXT,
  },
  {
    program: 'Home Assistant (requests): WAV, the language with its region, temperature',
    parts: [
      ...[field('model', 'whisper-1'), field('language', 'sv-SE'), field('prompt', '')],
      ...[field('temperature', '0'), field('response_format', 'json')],
      file(WAV, 'audio.wav', 'audio/wav'),
    ],
    language: 'sv',
    answer: JSON_TEXT,
  },
  {
    program: 'the openai command line (httpx): text',
    parts: [
      field('model', 'm'),
      field('response_format', 'text'),
      file(WAV, 'a.wav', 'audio/x-wav'),
    ],
    language: '',
    answer: /^the words\n$/,
  },
  {
    program: 'the openai library of Python: lists, and False with a capital',
    parts: [
      ...[
        field('model', 'whisper-1'),
        field('response_format', 'verbose_json'),
        field('stream', 'False'),
      ],
      field('timestamp_granularities[]', 'word'),
      field('timestamp_granularities[]', 'segment'),
      file(FLAC, 'speech.flac', 'audio/flac'),
    ],
    language: '',
    answer: /"segments":\[\{"id":0,"start":0,"end":4\.437,"text":"the words"\}\]/,
  },
  {
    program: 'curl from a pipe: chunked, the type of nothing in particular',
    parts: [file(OGG, '-', 'application/octet-stream'), field('response_format', 'srt')],
    isChunked: true,
    language: '',
    answer: /^1\n00:00:00,000 --> 00:00:04,45\d\nthe words\n\n$/,
  },
  {
    program: 'curl with <file: neither a name nor a type',
    parts: [{ head: 'name="file"', value: WAV }, field('model', 'm')],
    language: '',
    answer: JSON_TEXT,
  },
  {
    program: 'HttpClient of .NET: no quotes, a second name in UTF-8',
    parts: [
      {
        head: "name=file; filename=audio1.mp3; filename*=utf-8''audio1.mp3\r\nContent-Type: audio/mpeg",
        value: MP3,
      },
      ...[
        dotNet('model', 'whisper-1'),
        dotNet('language', 'swedish'),
        dotNet('response_format', 'vtt'),
      ],
    ],
    language: 'sv',
    answer: /^WEBVTT\n\n00:00:00\.000 --> 00:00:04\.4\d\d\nthe words\n\n$/,
  },
  {
    program: 'Retrofit on Android (OkHttp): a length for each part, M4A by name that is Ogg',
    parts: [
      counted(file(OGG, 'recording.m4a', 'audio/mp4')),
      counted(field('model', 'whisper-1')),
      counted(field('language', 'sv')),
      counted(field('response_format', 'json')),
    ],
    language: 'sv',
    answer: JSON_TEXT,
  },
  {
    program: 'URLSession in Swift, by hand: the wrong type, no language yet',
    parts: [
      field('model', 'whisper-1'),
      field('language', ''),
      file(WAV, 'audio.m4a', 'audio/m4a'),
    ],
    language: '',
    answer: JSON_TEXT,
  },
  {
    program: 'form-data of Node (LibreChat, n8n): the language as null, temperature 0',
    parts: [
      file(WEBM, 'data', 'video/webm'),
      ...[field('model', 'whisper-1'), field('language', 'null'), field('temperature', '0')],
    ],
    isChunked: true,
    language: '',
    answer: JSON_TEXT,
  },
  {
    program: 'the client of speaches and LocalAI: language auto, fields nobody else has',
    parts: [
      file(MP3, 'a.mp3', 'audio/mpeg'),
      ...[field('model', 'large-v3'), field('language', 'auto'), field('vad_filter', 'true')],
      ...[
        field('hotwords', ''),
        field('without_timestamps', 'false'),
        field('response_format', ''),
      ],
    ],
    language: '',
    answer: JSON_TEXT,
  },
  {
    program: 'clients of whisper.cpp: srt, the language by its name',
    parts: [
      file(WAV, 'out.wav', 'audio/wav'),
      ...[field('temperature', '0.0'), field('temperature_inc', '0.2')],
      ...[field('response_format', 'srt'), field('language', 'Svenska')],
    ],
    language: 'sv',
    answer: /^1\n00:00:00,000/,
  },
  {
    program: 'mime/multipart of Go, POSIX locale, a name with quotes in it',
    parts: [
      field('language', 'sv_SE.UTF-8'),
      file(FLAC, 'möte \\"ett\\".flac', 'application/octet-stream'),
      field('model', 'whisper-1'),
    ],
    language: 'sv',
    answer: JSON_TEXT,
  },
  {
    program: 'reqwest of Rust: the list as one text',
    parts: [
      field('timestamp_granularities', '["segment"]'),
      field('response_format', 'verbose_json'),
      file(MP3, 'audio.mp3', 'audio/mpeg'),
    ],
    isChunked: true,
    language: '',
    answer: /"text":"the words"/,
  },
];

describe('programs as they are', () => {
  let fake: FakeEngine;
  let server: RunningServer;
  beforeAll(async () => {
    fake = createFakeEngine('the words');
    const description = {
      ...fake.engine.description,
      languages: ['en', 'sv'],
      defaultLanguage: null,
    };
    server = await startServer({ engine: { ...fake.engine, description } });
  });
  afterAll(() => server.close());

  const BOUNDARY = '----formdata-of-a-program-0123456789';

  function bodyOf(parts: readonly Part[]): Buffer {
    const pieces = parts.flatMap(({ head, value }) => [
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
      Buffer.from(value as Uint8Array),
      Buffer.from('\r\n'),
    ]);
    return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]);
  }

  /** Sends with a length, or in chunks of any size. */
  function send(body: Buffer, isChunked: boolean, headers: Readonly<Record<string, string>> = {}) {
    return new Promise<{ status: number; text: string }>((resolve, reject) => {
      const outgoing = request(`${server.url}/v1/audio/transcriptions`, {
        method: 'POST',
        headers: {
          'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
          ...(isChunked ? {} : { 'content-length': body.length }),
          ...headers,
        },
      });
      outgoing.on('error', reject);
      outgoing.on('response', async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
      });
      const step = isChunked ? 7_001 : body.length;
      for (let at = 0; at < body.length; at += step) outgoing.write(body.subarray(at, at + step));
      outgoing.end();
    });
  }

  test.each(ROWS)('$program', async ({ parts, isChunked = false, language, answer }) => {
    const before = fake.calls.length;
    const { status, text } = await send(bodyOf(parts), isChunked);
    expect([status, text]).toEqual([200, expect.stringMatching(answer)]);
    expect(fake.calls).toHaveLength(before + 1);
    expect(fake.calls.at(-1)).toMatchObject({ language });
  });

  test('a packed body is refused, with what to do', async () => {
    const packed = gzipSync(bodyOf(ROWS[0]!.parts));
    const { status, text } = await send(packed, false, { 'content-encoding': 'gzip' });
    expect(status).toBe(415);
    expect(JSON.parse(text).error).toMatchObject({
      code: 'encoding_unsupported',
      message: expect.stringContaining('without Content-Encoding'),
    });
  });
});
