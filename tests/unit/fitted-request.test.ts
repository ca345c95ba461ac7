import { describe, expect, it } from 'vitest';
import type { AudioType, EncodedAudio } from '../../src/core/audio/audio-types.ts';
import type { QueueItem } from '../../src/core/queue/queue-item.ts';
import { createFittedRequest } from '../../workers/upload/fitted-request.ts';
import type { RequestOutcome } from '../../workers/upload/transcribe-request.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { createRecordingLog } from '../helpers/recording-log.ts';

const TEXT: RequestOutcome = { kind: 'answered', text: 'hej', needsReview: null };
const refusal = (status: number): RequestOutcome => ({
  kind: 'rejected',
  status,
  error: { code: 'http-status', message: String(status) },
});

/** A chunk of that type, as it is stored. */
function chunk(type: AudioType, number = 0): QueueItem {
  const item = makeQueueItem({ number });
  return { ...item, audio: { ...item.audio, type } };
}

/** Requests to a server that takes some types; those that went out, in order. */
function setUp(
  takes: readonly AudioType[],
  how: { listed?: readonly string[] | null; isReadable?: boolean } = {},
) {
  const { listed = null, isReadable = true } = how;
  const sent: QueueItem[] = [];
  const request = createFittedRequest({
    async request(item) {
      sent.push(item);
      return takes.includes(item.audio.type) ? TEXT : refusal(415);
    },
    serverTypes: () => listed,
    async toWav({ durationSamples }): Promise<EncodedAudio> {
      if (!isReadable) throw new Error('no codec');
      return { type: 'audio/wav', bytes: new ArrayBuffer(64), durationSamples };
    },
    log: createRecordingLog(),
  });
  const { signal } = new AbortController();
  return {
    sent,
    send: (item: QueueItem) => request(item, signal),
    types: () => sent.map(({ audio }) => audio.type),
  };
}

describe('a chunk of a type that the server does not take', () => {
  it('goes again as WAV after a 415, and those after it at once', async () => {
    const { send, types } = setUp(['audio/wav']);
    expect(await send(chunk('audio/mp4'))).toBe(TEXT);
    expect(await send(chunk('audio/mp4', 1))).toBe(TEXT);
    expect(types()).toEqual(['audio/mp4', 'audio/wav', 'audio/wav']);
  });

  it('is refused with the reason where WAV is, too: once each', async () => {
    const { send, types } = setUp([]);
    expect(await send(chunk('audio/mp4'))).toMatchObject({ kind: 'rejected', status: 415 });
    expect(await send(chunk('audio/wav', 1))).toMatchObject({ kind: 'rejected', status: 415 });
    expect(types()).toEqual(['audio/mp4', 'audio/wav', 'audio/wav']);
  });

  it('is the same audio in every try, as keys are made of it', async () => {
    const { send, sent } = setUp(['audio/wav'], { listed: ['audio/wav'] });
    const item = chunk('audio/mp4');
    await send(item);
    await send(item);
    expect(sent[0]?.audio.bytes).toBe(sent[1]?.audio.bytes);
  });

  it('goes as it is where it cannot be read', async () => {
    const { send, types } = setUp(['audio/mp4'], { listed: ['audio/wav'], isReadable: false });
    expect(await send(chunk('audio/mp4'))).toBe(TEXT);
    expect(types()).toEqual(['audio/mp4']);
  });

  it.each<[AudioType, string[] | null, AudioType]>([
    ['audio/webm', null, 'audio/webm'],
    ['audio/webm', ['audio/webm;codecs=opus', 'audio/wav'], 'audio/webm'],
    ['audio/webm', ['audio/webm', 'audio/wav'], 'audio/webm'],
    ['audio/mp4', ['audio/mp4;codecs=opus', 'audio/wav'], 'audio/wav'],
    ['audio/mp4', ['Audio/MP4; codecs="mp4a.40.2"', 'audio/wav'], 'audio/mp4'],
    ['audio/webm', ['audio/wav'], 'audio/wav'],
    ['audio/webm', ['audio/flac'], 'audio/webm'],
  ])('%s, listed %j, goes as %s', async (type, listed, sentAs) => {
    const { send, types } = setUp(['audio/webm', 'audio/mp4', 'audio/wav'], { listed });
    await send(chunk(type));
    expect(types()).toEqual([sentAs]);
  });
});
