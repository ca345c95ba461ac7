import { describe, expect, test } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { markKey, rangeKey } from '../../workers/store/records.ts';
import { joinFrames, type PendingEntry } from '../../workers/store/write-behind.ts';

/** A frame of which every sample is its own number. */
function frame(startSample: number, dictationId = 's', length = FRAME_SAMPLES): PendingEntry {
  const pcm = Int16Array.from({ length }, (_, n) => startSample + n);
  const key = rangeKey('pcm', dictationId, { startSample, endSample: startSample + length });
  return { key, value: pcm.buffer, audioBytes: pcm.byteLength };
}

const frameNumber = (number: number, dictationId?: string) =>
  frame(number * FRAME_SAMPLES, dictationId);

const keysOf = (entries: readonly PendingEntry[]) => joinFrames(entries).map(({ key }) => key);

describe('frames as fewer records', () => {
  test('two that follow one another are one, sample for sample', () => {
    expect(joinFrames([frameNumber(0), frameNumber(1)])).toEqual([
      frame(0, 's', 2 * FRAME_SAMPLES),
    ]);
  });

  test('many are several of two, and the last one may be alone', () => {
    const many = Array.from({ length: 5 }, (_, number) => frameNumber(number));
    expect(joinFrames(many)).toEqual([
      frame(0, 's', 2 * FRAME_SAMPLES),
      frame(2 * FRAME_SAMPLES, 's', 2 * FRAME_SAMPLES),
      frameNumber(4),
    ]);
  });

  test('the frame before a pause is short, and the next one begins where it ends', () => {
    expect(joinFrames([frame(0, 's', 700), frame(700)])).toEqual([
      frame(0, 's', 700 + FRAME_SAMPLES),
    ]);
  });

  test.each<readonly [string, PendingEntry, PendingEntry]>([
    ['of another session', frameNumber(0), frameNumber(1, 'another')],
    ['behind a gap', frameNumber(0), frameNumber(2)],
    ['written again', frameNumber(0), frameNumber(0)],
    ['given up', frameNumber(0), { ...frameNumber(1), value: null, audioBytes: 0 }],
    ['behind one given up', { ...frameNumber(0), value: null, audioBytes: 0 }, frameNumber(1)],
    ['longer than a record', frameNumber(0), frame(FRAME_SAMPLES, 's', 2 * FRAME_SAMPLES)],
  ])('a frame %s stays alone', (_, first, second) => {
    expect(joinFrames([first, second])).toEqual([first, second]);
  });

  test('what is no audio is written as it is, in its place', () => {
    const mark = { kind: 'paused', atSample: FRAME_SAMPLES } as const;
    const others = [
      { key: markKey('s', mark), value: mark, audioBytes: 0 },
      { key: 's', value: (row: unknown) => row, audioBytes: 0 },
    ];
    const entries = [frameNumber(0), ...others, frameNumber(1)];
    expect(keysOf(entries)).toEqual(entries.map(({ key }) => key));
    expect(joinFrames([])).toEqual([]);
  });
});
