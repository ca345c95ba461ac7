import type { Clock } from '../../src/core/clock.ts';
import type { JournalRecording } from '../../src/core/session/journal.ts';
import type { SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import { type ChunkSenderPorts, createChunkSender, type SendOutcome } from './chunk-sender.ts';
import type { LiveParts } from './live-speech.ts';
import { createReplay } from './replay.ts';
import { createSpeechPipeline } from './speech-pipeline.ts';

export type RecoveryPorts = Omit<
  ChunkSenderPorts,
  'sessionId' | 'options' | 'startedAtMs' | 'isJournalCut' | 'spokenSamples' | 'dispatch' | 'upload'
> & {
  /** @default a server that bills by the request */
  readonly live?: Pick<LiveParts, 'freePieces'>;
  readonly clock: Clock;
  readonly engine: Promise<SpeechEngine | null>;
};

/**
 * Brings what a dead session left in the journal into the queue: the audio that was not yet there
 * is cut as it would have been. Fulfilled when each chunk waits to be sent, or could not be
 * encoded.
 */
export async function recoverSession(
  { header, cut, parts, notes }: JournalRecording,
  ports: RecoveryPorts,
): Promise<SendOutcome> {
  for (const note of notes) ports.log.warn('Part of a recording could not be read', note);
  const { sessionId, options } = header;
  const { accounts, clock } = ports;
  // As the session itself was, by all that is known.
  const isInPieces = () => options.live === true || ports.live?.freePieces() === true;
  const replay = createReplay(sessionId, accounts, clock);
  accounts.replaying(sessionId, cut.nextChunkNumber);
  const sender = createChunkSender({
    ...ports,
    sessionId,
    options,
    isInPieces,
    // A header that was lost does not say.
    startedAtMs: header.startedAtMs || clock.nowMs(),
    isJournalCut: true,
    spokenSamples: cut.spokenSamples,
    dispatch: () => {},
    upload: 'later',
  });
  const pipeline = createSpeechPipeline({
    engine: ports.engine,
    options,
    cut,
    isInPieces,
    log: ports.log,
    onChunk: (chunk) => sender.send(chunk),
    onFrame: () => {},
    onSilence: replay.silent,
    onEngineFailed: (error) => ports.log.error('Speech detection has failed', error),
  });
  await replay.of(parts, pipeline);
  pipeline.flush();
  return sender.settled();
}
