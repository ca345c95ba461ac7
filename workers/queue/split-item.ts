import { SAMPLE_RATE_HZ } from '../../src/core/audio/audio-format.ts';
import type { AudioEncoderPort, EncodedAudio } from '../../src/core/audio/audio-types.ts';
import { findQuietPoint } from '../../src/core/audio/quiet-point.ts';
import type { QueueItem } from '../../src/core/queue/queue-item.ts';

/** Shorter chunks are not split: a server that refuses two seconds refuses everything. */
export const MIN_SPLIT_SAMPLES = 2 * SAMPLE_RATE_HZ;

/** The cut lies in the quietest 200 ms. */
const QUIET_STRETCH_SAMPLES = SAMPLE_RATE_HZ / 5;

/** The cut lies within this share of the length, around the middle: both halves must be smaller. */
const SEARCHED_SHARE = 1 / 3;

/**
 * The two halves of a chunk that was too large to send, cut near the middle where it is quietest.
 * They may be sent from `nextAttemptAtMs` on. Throws `encoding-failed`.
 */
export async function splitItem(
  item: QueueItem,
  encoder: AudioEncoderPort,
  nextAttemptAtMs: number,
): Promise<readonly [QueueItem, QueueItem]> {
  const samples = await encoder.decode(item.audio);
  const middle = samples.length / 2;
  const reach = (samples.length * SEARCHED_SHARE) / 2;
  const cut = findQuietPoint(
    samples,
    Math.floor(middle - reach),
    Math.floor(middle + reach),
    QUIET_STRETCH_SAMPLES,
  );
  const first = await encoder.encode(samples.slice(0, cut));
  const second = await encoder.encode(samples.slice(cut));
  const toPart = (audio: EncodedAudio, digit: '0' | '1'): QueueItem => ({
    ...item,
    // Made from the whole's, so that a split done twice asks with the same keys.
    id: `${item.id}-${digit}`,
    part: `${item.part}${digit}`,
    durationSamples: audio.durationSamples,
    // Where in it the speech lies is not known any more: all of it may be here, and an empty answer
    // for it is doubted rather than believed.
    speechSamples: Math.min(item.speechSamples, audio.durationSamples),
    rounds: 0,
    state: { kind: 'waiting', nextAttemptAtMs, lastError: null },
    audio,
  });
  return [toPart(first, '0'), toPart(second, '1')];
}
