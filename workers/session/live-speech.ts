import { msToSamples, type SampleRange } from '../../src/core/audio/audio-format.ts';
import type { AudioEncoderPort, EncodedAudio } from '../../src/core/audio/audio-types.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { SessionOptions } from '../../src/core/options/dictation-options.ts';
import { createLiveWords } from '../../src/core/session/live-words.ts';
import type { SnapshotEvent } from '../../src/core/session/snapshot-events.ts';
import type { OpenChunk, SpeechChunk } from '../../src/core/speech/chunk-cutter.ts';
import {
  createPreviewSchedule,
  LIVE_MIN_SPEECH_SAMPLES,
} from '../../src/core/speech/live-pieces.ts';
import type { TranscriptionAnswer } from '../upload/transcribe-answer.ts';
import type { EarlyAnswers, EarlyRequest } from './early-request.ts';

/** So much that was heard up to an earlier pause is heard again where a piece seems to end. */
const REHEARD_SPEECH_SAMPLES = msToSamples(3_000);
/** And all of it behind so much quiet, 0.38 s, where that costs nothing. */
const SURE_QUIET_FRAMES = 4;

/** What words before the pause are asked for with. */
export type LiveParts = {
  readonly ask: EarlyRequest;
  readonly answers: Pick<EarlyAnswers, 'expect'>;
  /** Whether the link to the network is for more than what must be sent. */
  readonly isLinkFast: () => boolean;
  /** Whether somebody may look at the words. */
  readonly isSeen: () => boolean;
  /** Whether the server takes many short requests at no cost. */
  readonly freePieces: () => boolean;
};

export type LiveSpeechPorts = LiveParts & {
  readonly options: SessionOptions;
  /** Whether anybody sees the words. */
  readonly showsWords: () => boolean;
  readonly encoder: Pick<AudioEncoderPort, 'encode'>;
  readonly clock: Clock;
  readonly dispatch: (event: SnapshotEvent) => void;
};

/** The live piece that is being spoken. */
export type SpokenPiece = {
  readonly number: number;
  /** Samples of it in frames detected as speech. */
  readonly speechSamples: number;
  /** Whether the next pause ends it, and not only a long one. */
  readonly isFull: boolean;
  /** Where it will end unless somebody goes on to speak; null while somebody does. */
  readonly pauseSample: number | null;
  /** Frames of quiet that it ends with. */
  readonly quietFrames: number;
  /** What would be cut if a pause came here: with `pauseSample`, the piece up to there. */
  peek(): OpenChunk | null;
};

/**
 * Words of a live session before they are final: while somebody speaks, as previews, and where
 * somebody seems to pause, as what will be the final text if it is a pause. One request at a time.
 */
export type LiveSpeech = ReturnType<typeof createLiveSpeech>;

/** A piece as it was when its text was asked for. */
type Question = {
  readonly isPreview: boolean;
  readonly piece: OpenChunk;
  readonly audio: Promise<EncodedAudio>;
  readonly answer: Promise<TranscriptionAnswer | null>;
  readonly abort: () => void;
};

export function createLiveSpeech(ports: LiveSpeechPorts) {
  const { options, encoder, ask, answers, isLinkFast, isSeen, freePieces, clock, dispatch } = ports;
  const schedule = createPreviewSchedule(clock);
  const words = createLiveWords();
  let takesPreviews = true;
  let isFinishing = false;
  let underWay: Question | null = null;
  /** What was asked for where the piece seemed to end. */
  let guess: Question | null = null;
  /** The last pause that something was asked for at. */
  let askedAtPauseSample: number | null = null;
  /** What was said up to a pause that was none: a preview hears what follows alone. */
  let known: { readonly piece: OpenChunk; readonly text: string } | null = null;

  const areWordsSeen = (): boolean => options.livePreview && ports.showsWords();
  const isPreviewWanted = (): boolean =>
    areWordsSeen() && takesPreviews && isSeen() && !isFinishing;
  const mayAsk = (): boolean => schedule.isOpen && isLinkFast();

  function put(open: SpokenPiece, piece: OpenChunk, isPreview: boolean): Question {
    const { number, speechSamples, pauseSample } = open;
    schedule.asked(number, speechSamples);
    const ending = new AbortController();
    const before = isPreview ? knownOf(piece) : null;
    const audio = encoder.encode(piece.samples.slice(before?.piece.samples.length ?? 0));
    const answer = answerOf(number, audio, isPreview, ending.signal, before?.text);
    const asked = { isPreview, piece, audio, answer, abort: () => ending.abort() };
    underWay = asked;
    void answer.then(() => {
      if (underWay === asked) underWay = null;
    });
    if (pauseSample !== null) {
      void answer.then((given) => {
        if (given) known = { piece, text: `${before?.text ?? ''} ${given.text}` };
      });
    }
    return asked;
  }

  const knownOf = (piece: OpenChunk) => (known && isBeginning(known.piece, piece) ? known : null);

  /** Where a pause seems to begin: all of what may be a piece now, else what is not known of it. */
  function askAtPause(open: SpokenPiece): void {
    const piece = open.peek();
    if (!piece) return;
    const knownSamples = knownOf(piece)?.piece.speechSamples ?? 0;
    const isShort = open.isFull || isFinishing || knownSamples <= REHEARD_SPEECH_SAMPLES;
    const isGuess = isShort || freePieces();
    if (!isShort && isGuess && open.quietFrames < SURE_QUIET_FRAMES) return;
    askedAtPauseSample = open.pauseSample;
    if (!isGuess && !isPreviewWanted()) return;
    stop();
    const asked = put(open, piece, !isGuess);
    if (isGuess) guess = asked;
  }

  async function answerOf(
    number: number,
    encoding: Promise<EncodedAudio>,
    isPreview: boolean,
    signal: AbortSignal,
    textBefore = '',
  ): Promise<TranscriptionAnswer | null> {
    // What cannot be encoded is told when the chunk cannot.
    const audio = await encoding.catch(() => null);
    if (!audio || signal.aborted) return null;
    // WAV is eight times as large: what is only to be looked at is not worth it.
    if (isPreview) takesPreviews = audio.type !== 'audio/wav';
    if (isPreview && !takesPreviews) return null;
    const { answer, result } = await ask({ audio, options }, isPreview, signal);
    if (signal.aborted) return null;
    if (isPreview && result === 'refused') {
      // Perhaps it does not know the field: what may be final is still asked for early.
      takesPreviews = false;
      return null;
    }
    schedule.ended(result);
    if (answer && areWordsSeen()) {
      words.heard(number, `${textBefore} ${answer.text}`);
      dispatch({ kind: 'preview-changed', preview: words.seen() });
    }
    return answer;
  }

  function stop(): void {
    underWay?.abort();
    underWay = null;
  }

  return {
    /** A frame of speech more. */
    spoken(open: SpokenPiece) {
      const { number, speechSamples, pauseSample } = open;
      if (pauseSample === null) {
        // A guess that speech has overtaken goes on as a preview.
        const isDue = !underWay && schedule.isDue(number, speechSamples);
        if (!isDue || !isPreviewWanted() || !mayAsk()) return;
        const piece = open.peek();
        if (piece) put(open, piece, true);
      } else if (pauseSample !== askedAtPauseSample && speechSamples >= LIVE_MIN_SPEECH_SAMPLES) {
        if (mayAsk()) askAtPause(open);
      }
    },
    /** The file of a chunk that was asked for when its pause began, with its answer to come. */
    audioOf(chunk: SpeechChunk): Promise<EncodedAudio> | undefined {
      const own = guess;
      guess = null;
      if (!own || !isSame(own.piece, chunk)) {
        stop();
        return undefined;
      }
      // The final text waits for it now: what is said next does not end it.
      if (underWay === own) underWay = null;
      own.audio.then(({ bytes }) => answers.expect(bytes, own.answer)).catch(() => {});
      return own.audio;
    },
    /** Tells an event; one that makes words final takes them out of the preview. */
    dispatch(event: SnapshotEvent) {
      if (event.kind !== 'chunk-transcribed' && event.kind !== 'chunk-left') return dispatch(event);
      words.done(event.number);
      dispatch({ ...event, preview: words.seen() });
    },
    /** The recording is to end: what is only to be looked at gives way to the final text. */
    finish() {
      isFinishing = true;
      if (underWay?.isPreview) stop();
    },
    /** Asks for nothing more. */
    dispose: stop,
  };
}

/** Whether a chunk holds the very samples of what was asked for. */
function isSame(one: OpenChunk, other: OpenChunk): boolean {
  return isBeginning(one, other) && one.samples.length === other.samples.length;
}

/** Whether a piece begins with the very samples of one. */
function isBeginning(one: OpenChunk, whole: OpenChunk): boolean {
  const last = one.ranges.length - 1;
  const isIn = (range: SampleRange, index: number): boolean => {
    const other = whole.ranges[index];
    if (range.startSample !== other?.startSample) return false;
    return index < last ? range.endSample === other.endSample : range.endSample <= other.endSample;
  };
  return one.number === whole.number && one.ranges.every(isIn);
}
