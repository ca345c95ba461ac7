import { FRAME_SAMPLES } from '../../src/core/audio-format.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { JournalPart, JournalRecording } from '../../src/core/journal.ts';
import { overlapSamples, rangeSamples, type SampleRange } from '../../src/core/sample-range.ts';
import type { SpeechEngine } from '../../src/core/speech-engine.ts';
import { type ChunkSenderPorts, createChunkSender, type SendOutcome } from './chunk-sender.ts';
import { createSpeechPipeline } from './speech-pipeline.ts';

export type RecoveryPorts = Omit<
  ChunkSenderPorts,
  'sessionId' | 'options' | 'startedAtMs' | 'dispatch' | 'upload'
> & {
  readonly clock: Clock;
  readonly engine: Promise<SpeechEngine | null>;
};

/** A replay has all the time it needs. */
const PATIENT_TURN = { isGivenUp: false };

/**
 * Brings what a dead session left in the journal into the queue: the audio that was not yet there is
 * cut as it would have been. Fulfilled when each chunk waits to be sent, or could not be encoded.
 */
export async function recoverSession(
  { header, cut, parts, notes }: JournalRecording,
  ports: RecoveryPorts,
): Promise<SendOutcome> {
  for (const note of notes) ports.log.warn('Part of a recording could not be read', note);
  const { sessionId, options } = header;
  const { book, clock } = ports;
  const unreadable: SampleRange[] = [];
  book.replaying(sessionId, cut.nextChunkNumber);
  const sender = createChunkSender({
    ...ports,
    sessionId,
    options,
    // A header that was lost does not say.
    startedAtMs: header.startedAtMs || clock.nowMs(),
    dispatch: () => {},
    upload: 'later',
  });
  const pipeline = createSpeechPipeline({
    engine: ports.engine,
    options,
    firstChunkNumber: cut.nextChunkNumber,
    firstSample: cut.cutUpToSample,
    log: ports.log,
    onChunk: (chunk) => sender.send(chunk),
    onFrame: () => {},
    onSilence: (range) => {
      const lost = unreadable.reduce((sum, hole) => sum + overlapSamples(range, hole), 0);
      book.silent(sessionId, rangeSamples(range) - lost);
    },
    onEngineFailed: (error) => ports.log.error('Speech can no longer be judged', error),
  });
  for (const part of parts) await replay(part);
  pipeline.flush();
  return sender.settled();

  async function replay(part: JournalPart): Promise<void> {
    if (part.kind === 'hole') {
      const atSample = part.endSample;
      book.captured(sessionId, rangeSamples(part));
      // What was dropped as silence, the pipeline will say so of again.
      if (part.cause === 'unreadable') {
        unreadable.push(part);
        book.unreadable(sessionId, rangeSamples(part));
      }
      await pipeline.take({ kind: 'gap', atSample, lostInputFrames: 0 }, PATIENT_TURN);
      return;
    }
    if (part.kind !== 'audio') {
      await pipeline.take({ kind: 'paused', atSample: part.atSample }, PATIENT_TURN);
      return;
    }
    for (let offset = 0; offset < part.samples.length; offset += FRAME_SAMPLES) {
      const samples = part.samples.subarray(offset, offset + FRAME_SAMPLES);
      const startSample = part.startSample + offset;
      book.captured(sessionId, samples.length);
      await pipeline.take({ kind: 'frame', startSample, samples }, PATIENT_TURN);
    }
  }
}
