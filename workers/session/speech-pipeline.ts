import { assertNever } from '../../src/core/assert-never.ts';
import { sleep } from '../../src/core/async.ts';
import {
  FRAME_SAMPLES,
  msToSamples,
  overlapSamples,
  rangeSamples,
  type SampleRange,
} from '../../src/core/audio/audio-format.ts';
import type { InboxTurn } from '../../src/core/audio/frame-inbox.ts';
import type { FrameMessage } from '../../src/core/audio/frame-protocol.ts';
import { createHighBandMeter, peakDbfs, rmsDbfs } from '../../src/core/audio/level.ts';
import type { DiagnosticFacts } from '../../src/core/audio/microphone-diagnostics.ts';
import { writeSamples } from '../../src/core/audio/samples.ts';
import type { Clock } from '../../src/core/clock.ts';
import { LOG_MESSAGES, type Logger } from '../../src/core/logger.ts';
import type { SessionOptions } from '../../src/core/options/dictation-options.ts';
import type { JournalCut } from '../../src/core/queue/queue-item.ts';
import {
  endOf,
  type JournalPart,
  type JournalRecording,
  NO_CUT,
} from '../../src/core/session/journal.ts';
import type { FrameFacts } from '../../src/core/session/snapshot.ts';
import { createChunkCutter, type SpeechChunk } from '../../src/core/speech/chunk-cutter.ts';
import {
  LIVE_MIN_SPEECH_SAMPLES,
  LIVE_TAIL_FRAMES,
  type LivePieces,
  livePieces,
} from '../../src/core/speech/live-pieces.ts';
import type { SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import { createSpeechGate, type SpeechGateEvent } from '../../src/core/speech/speech-gate.ts';
import type { SpokenPiece } from './live-speech.ts';
import type { SampleAccounts } from './sample-accounts.ts';

/** Without an engine, audio counts as speech: text is asked for it, and nothing is lost. */
const NO_ENGINE_PROBABILITY = 1;

/**
 * A speaker who has been quiet for 0.48 s has finished, where the recording is to end: no
 * gap between two words is as long, and the gate's own 0.77 s are for those who think.
 */
const SPOKEN_FRAMES = 5;

export type AudioMessage = Extract<FrameMessage, { readonly kind: 'frame' }>;
/** Facts of one frame alone. */
export type PipelineFacts = Omit<FrameFacts, 'lagFrames' | 'maxLagFrames' | 'microphoneProblem'> &
  DiagnosticFacts;

type PipelinePorts = {
  /** The engine, once it is loaded; null if there is none, and everything is kept. */
  readonly engine: Promise<SpeechEngine | null>;
  /** Checked by the caller. */
  readonly options: SessionOptions;
  /**
   * Where to begin: behind what was cut already, where a session goes on. @default at the beginning
   */
  readonly cut?: JournalCut;
  /** True if pauses end pieces: asked until they do. @default as the option `live` says */
  readonly isInPieces?: () => boolean;
  readonly log: Logger;
  readonly onChunk: (chunk: SpeechChunk) => void;
  readonly onFrame: (facts: PipelineFacts) => void;
  /** The engine threw; the rest of the session is kept without it. */
  readonly onEngineFailed: (error: unknown) => void;
  /** Where pauses end pieces: told after each frame of speech. */
  readonly onOpenPiece?: (open: SpokenPiece) => void;
  /** Audio that no segment needs, nor will as padding. */
  readonly onSilence: (range: SampleRange) => void;
};

/** A frame's trip: inferred, gated, cut. One message at a time, in order. */
export type SpeechPipeline = ReturnType<typeof createSpeechPipeline>;

export function createSpeechPipeline(ports: PipelinePorts) {
  const { options, log, cut = NO_CUT, isInPieces = () => options.live === true } = ports;
  const { preSpeechPadFrames } = options.vad;
  /** Null while chunks are whole. */
  let live: LivePieces | null = null;
  const cutter = createChunkCutter({
    maxChunkSamples: msToSamples(options.chunkMs),
    preSpeechPadFrames,
    positiveSpeechThreshold: options.vad.positiveSpeechThreshold,
    firstNumber: cut.nextChunkNumber,
  });
  const gate = createSpeechGate(options.vad, onGateEvent, {
    runningFromSample: cut.isInSpeech ? cut.cutUpToSample : null,
  });
  cutInPieces();
  if (cut.isInSpeech) cutter.event({ kind: 'speech-started', startSample: cut.cutUpToSample });
  /**
   * The frame in hand, filled up with silence: the last one before a pause or the end is shorter.
   */
  const heard = new Float32Array(FRAME_SAMPLES);
  const highBand = createHighBandMeter();
  /** Undefined until it is known whether there is one. */
  let engine: SpeechEngine | null | undefined;
  /** True if an engine saw the last frame. */
  let isInferred = true;
  let recordedSamples = cut.cutUpToSample;
  /** Nothing from here on is part of a finished segment. */
  let silentFromSample = cut.cutUpToSample;
  let { cutUpToSample } = cut;
  /** Where the last segment ended; null when it is cut, or was none. */
  let pausedAtSample: number | null = null;

  /** A server that says so late in the recording is taken at its word from there on. */
  function cutInPieces(): void {
    if (live || !isInPieces()) return;
    const isInsertedAtPause = options.live !== false && options.insert === 'at-pause';
    live = livePieces({ ...options, isInsertedAtPause });
    cutter.change(live.cutter);
    gate.endWith(LIVE_TAIL_FRAMES);
  }

  function tellChunks(chunks: readonly SpeechChunk[]): void {
    for (const chunk of chunks) {
      cutUpToSample = chunk.ranges.at(-1)?.endSample ?? cutUpToSample;
      ports.onChunk(chunk);
    }
  }

  function onGateEvent(event: SpeechGateEvent): void {
    if (event.kind === 'misfire') log.info(LOG_MESSAGES.misfire, event.range);
    if (event.kind === 'segment-ended') {
      // Held back as padding before a pause or a gap, behind which the padding cannot reach.
      if (event.range.startSample > silentFromSample) {
        ports.onSilence({ startSample: silentFromSample, endSample: event.range.startSample });
      }
      // A live piece may have been cut behind where its pause turns out to have begun.
      silentFromSample = Math.max(cutUpToSample, event.range.endSample);
      pausedAtSample = event.range.endSample;
    }
    tellChunks(cutter.event(event));
  }

  function take(message: FrameMessage, turn: InboxTurn): Promise<void> | void {
    if (message.kind !== 'frame') return handleMark(message);
    if (engine === undefined) return inferFirst(message, turn);
    hear(message);
    const probability = infer();
    if (typeof probability !== 'number') return inferLater(message, probability, turn);
    settle(message, probability, engine !== null);
  }

  function hear({ pcm }: AudioMessage): void {
    heard.fill(0, pcm.length);
    writeSamples(pcm, heard);
  }

  function infer(): number | Promise<number> {
    if (!engine) return NO_ENGINE_PROBABILITY;
    try {
      return engine.infer(heard);
    } catch (error) {
      return giveUpEngine(error);
    }
  }

  /** An engine that threw has an unknown state: the rest of the session goes on without it. */
  function giveUpEngine(error: unknown): number {
    if (engine !== null) ports.onEngineFailed(error);
    engine = null;
    return NO_ENGINE_PROBABILITY;
  }

  async function inferFirst(message: AudioMessage, turn: InboxTurn): Promise<void> {
    const loaded = await ports.engine;
    if (turn.isGivenUp) return;
    engine = loaded;
    engine?.reset();
    await take(message, turn);
  }

  async function inferLater(
    message: AudioMessage,
    answer: Promise<number>,
    turn: InboxTurn,
  ): Promise<void> {
    const probability = await answer.catch(giveUpEngine);
    if (!turn.isGivenUp) settle(message, probability, engine !== null);
  }

  function settle(
    { startSample, pcm }: AudioMessage,
    probability: number,
    hasEngine: boolean,
  ): void {
    cutInPieces();
    const samples = heard.subarray(0, pcm.length);
    const level = rmsDbfs(samples);
    tellChunks(cutter.frame({ startSample, pcm, probability, levelDbfs: level }));
    gate.accept(startSample, pcm.length, probability);
    recordedSamples = startSample + pcm.length;
    isInferred = hasEngine && !Number.isNaN(probability);
    if (live) endAtLongPause(live.longPauseSamples);
    giveUpSilence(recordedSamples - preSpeechPadFrames * FRAME_SAMPLES);
    tellOpenPiece();
    ports.onFrame({
      recordedSamples,
      speechSamples: cutter.speechSamples,
      speechSegments: cutter.pendingRanges,
      isSpeaking: gate.isSpeaking,
      probability,
      levelDbfs: level,
      peakDbfs: peakDbfs(samples),
      highBandDbfs: highBand.measure(samples),
      isInferred,
    });
  }

  /** Cuts a piece that was too short at its first pause when nobody goes on to speak. */
  function endAtLongPause(longPauseSamples: number): void {
    if (pausedAtSample === null || gate.isSpeaking) return;
    if (recordedSamples - pausedAtSample < longPauseSamples) return;
    pausedAtSample = null;
    tellChunks(cutter.pause(LIVE_MIN_SPEECH_SAMPLES));
  }

  function tellOpenPiece(): void {
    if (!gate.isSpeaking || !live) return;
    const speechSamples = cutter.pendingSpeechSamples;
    ports.onOpenPiece?.({
      number: cutter.nextNumber,
      speechSamples,
      isFull: speechSamples >= live.cutter.pauseEndsFromSamples,
      pauseSample: gate.pauseSample,
      quietFrames: gate.quietFrames,
      peek: () => cutter.peek(gate.pauseSample ?? undefined),
    });
  }

  function cutRest(): void {
    const rest = cutter.flush();
    if (rest) tellChunks([rest]);
  }

  function giveUpSilence(endSample: number): void {
    if (gate.isSpeaking || endSample <= silentFromSample) return;
    ports.onSilence({ startSample: silentFromSample, endSample });
    silentFromSample = endSample;
  }

  function handleMark(mark: Exclude<FrameMessage, AudioMessage>): void {
    recordedSamples = Math.max(recordedSamples, mark.atSample);
    switch (mark.kind) {
      case 'paused':
        gate.endSegment();
        engine?.reset();
        // Nobody may speak for long: what is too short for a piece of its own is not kept waiting.
        if (live) cutRest();
        break;
      case 'gap':
      case 'ended':
        gate.endSegment();
        engine?.reset();
        break;
      case 'lost':
        gate.endSegment();
        engine?.reset();
        giveUpSilence(mark.atSample - mark.lostSamples);
        silentFromSample = mark.atSample;
        break;
      case 'resumed':
        break;
      default:
        assertNever(mark);
    }
  }

  return {
    /** Processes a frame, or handles a mark. */
    take,
    /** The same without the engine, for when there is no time for it. */
    takeWithoutEngine(message: FrameMessage) {
      if (message.kind !== 'frame') return handleMark(message);
      hear(message);
      settle(message, NO_ENGINE_PROBABILITY, false);
    },
    /** Goes on without the engine: it hangs, so its state is unknown. */
    giveUpEngine,
    /** Ends the running segment and cuts what is left: nothing follows. */
    flush() {
      gate.endSegment();
      cutRest();
      giveUpSilence(recordedSamples);
    },
    /** True if somebody was heard to speak within half a second; never so in what no engine saw. */
    get isSpeaking(): boolean {
      return isInferred && gate.isSpeaking && gate.quietFrames < SPOKEN_FRAMES;
    },
    get isInPieces(): boolean {
      return live !== null;
    },
  };
}

/** A replay has all the time it needs. */
const PATIENT_TURN = { isGivenUp: false };

/**
 * Frames after which others have their turn: an engine answers at once, and the page takes a worker
 * that is silent for 10 s for dead. An hour of audio takes longer on a weak machine, and would
 * again in the next one.
 */
const FRAMES_PER_TURN = 100;

/** Infers and cuts again what the journal holds of a dictation, and enters it in the account. */
export function createReplay(dictationId: string, accounts: SampleAccounts, clock: Clock) {
  const notSilent: SampleRange[] = [];
  let framesReplayed = 0;

  function enterHole(hole: Extract<JournalPart, { kind: 'hole' }>): void {
    // The pipeline says once more what was dropped as silence.
    if (hole.cause !== 'silent') notSilent.push(hole);
    // A chunk's samples are in the account with it.
    if (hole.cause !== 'chunk') accounts.captured(dictationId, rangeSamples(hole));
    if (hole.cause === 'unreadable') accounts.unreadable(dictationId, rangeSamples(hole));
  }

  async function replayPart(
    part: JournalPart,
    pipeline: SpeechPipeline,
    isWanted: () => boolean,
  ): Promise<void> {
    if (!isWanted()) return;
    if (part.kind === 'hole') {
      enterHole(part);
      const atSample = part.endSample;
      await pipeline.take({ kind: 'gap', atSample, lostInputFrames: 0 }, PATIENT_TURN);
      return;
    }
    if (part.kind !== 'audio') {
      await pipeline.take({ kind: 'paused', atSample: part.atSample }, PATIENT_TURN);
      return;
    }
    for (let offset = 0; offset < part.pcm.length && isWanted(); offset += FRAME_SAMPLES) {
      const pcm = part.pcm.subarray(offset, offset + FRAME_SAMPLES);
      const startSample = part.startSample + offset;
      accounts.captured(dictationId, pcm.length);
      await pipeline.take({ kind: 'frame', startSample, pcm }, PATIENT_TURN);
      framesReplayed += 1;
      if (framesReplayed % FRAMES_PER_TURN === 0) await sleep(clock, 0);
    }
  }

  return {
    async of(
      parts: readonly JournalPart[],
      pipeline: SpeechPipeline,
      isWanted: () => boolean = () => true,
    ): Promise<void> {
      for (const part of parts) await replayPart(part, pipeline, isWanted);
    },
    /** The pipeline's `onSilence`: what could not be read, or is in a chunk, is no silence. */
    silent(range: SampleRange) {
      const others = notSilent.reduce((sum, hole) => sum + overlapSamples(range, hole), 0);
      accounts.silent(dictationId, rangeSamples(range) - others);
    },
  };
}

/**
 * A journal's audio behind its cut, and where that, or a chunk behind it, ends: what lies beyond,
 * marks too, is to be had again.
 */
export function writtenAudio({ cut, parts }: Pick<JournalRecording, 'cut' | 'parts'>): {
  readonly parts: readonly JournalPart[];
  readonly endSample: number;
} {
  const isKnown = (part: JournalPart) =>
    part.kind === 'audio' || (part.kind === 'hole' && part.cause === 'chunk');
  const lastIndex = parts.findLastIndex(isKnown);
  const last = parts[lastIndex];
  if (!last) return { parts: [], endSample: cut.cutUpToSample };
  return { parts: parts.slice(0, lastIndex + 1), endSample: endOf(last) };
}
