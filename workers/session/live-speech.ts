import { untilAborted } from '../../src/core/async.ts';
import { msToSamples, type SampleRange } from '../../src/core/audio/audio-format.ts';
import type { AudioEncoderPort, EncodedAudio } from '../../src/core/audio/audio-types.ts';
import type { Clock } from '../../src/core/clock.ts';
import type {
  SessionOptions,
  TranscriptionOptions,
} from '../../src/core/options/dictation-options.ts';
import type { QueueItem } from '../../src/core/queue/queue-item.ts';
import { classifyStatus, parseRetryAfterMs } from '../../src/core/queue/queue-policy.ts';
import type { PreviewText, SnapshotEvent } from '../../src/core/session/snapshot.ts';
import type { OpenChunk, SpeechChunk } from '../../src/core/speech/chunk-cutter.ts';
import {
  type AgreedWords,
  agree,
  createPreviewSchedule,
  LIVE_MIN_SPEECH_SAMPLES,
  NO_WORDS,
  type PreviewResult,
} from '../../src/core/speech/live-pieces.ts';
import { deadline } from '../../src/platform/deadline.ts';
import { languageOf, type WorkerRules } from '../upload/ruled-request.ts';
import {
  accountHeader,
  answered,
  isOfOrigin,
  judged,
  type RequestOutcome,
  readTranscription,
  type TranscribeRequest,
  type TranscriptionAnswer,
  transcriptionForm,
} from '../upload/transcribe-request.ts';

/** The browser's knowledge of the network link. */
type Connection = { readonly saveData?: boolean; readonly effectiveType?: string };

const SLOW: readonly unknown[] = ['slow-2g', '2g', '3g'];

/** False where the browser says that the link is slow, or that data are to be saved. */
export function isLinkFast(): boolean {
  const { connection } = navigator as { readonly connection?: Connection };
  return !connection?.saveData && !SLOW.includes(connection?.effectiveType);
}

/** Later than this it is of no use: the final is asked for anew. */
const TIMEOUT_MS = 10_000;

export type EarlyOutcome = {
  readonly answer: TranscriptionAnswer | null;
  readonly result: PreviewResult;
};

/**
 * Asks once, without a key and without a retry, for the text of speech that may go on. `preview`:
 * it will not be the final text, and the server may let others go first. Never rejects.
 */
type EarlyRequest = (
  speech: Pick<QueueItem, 'audio' | 'options'>,
  isPreview: boolean,
  signal: AbortSignal,
) => Promise<EarlyOutcome>;

type EarlyRequestPorts = {
  /** Absolute address of the endpoint. */
  readonly url: string;
  readonly clock: Clock;
  readonly fetch: typeof globalThis.fetch;
  /** Options of a request now; null for none. @default as given */
  readonly optionsNow?: (options: TranscriptionOptions) => TranscriptionOptions | null;
  /** The account of the speech; told where that needs no leave of the server. */
  readonly account?: () => string | null;
  /** Names and terms to expect. @default none */
  readonly vocabulary?: () => Promise<string>;
  /** True if the server can be asked where each word was said. @default it cannot */
  readonly tellsTimes?: () => boolean;
};

const NO_ANSWER: EarlyOutcome = { answer: null, result: { kind: 'busy', retryAfterMs: null } };

export function createEarlyRequest(ports: EarlyRequestPorts): EarlyRequest {
  const { url, clock, fetch, optionsNow = (options) => options } = ports;
  const { account = () => null, vocabulary = async () => '' } = ports;
  const { tellsTimes = () => false } = ports;
  const isOwn = isOfOrigin(url);
  return async ({ audio, options: given }, isPreview, stopped) => {
    const options = optionsNow(given);
    if (options === null) return NO_ANSWER;
    const { signal, end } = deadline(clock, TIMEOUT_MS, stopped);
    try {
      const asksTimes = !isPreview && tellsTimes();
      const body = transcriptionForm({ audio, options }, await vocabulary(), asksTimes);
      if (isPreview) body.append('preview', 'true');
      const headers = isOwn ? accountHeader(account()) : {};
      const init: RequestInit = { method: 'POST', headers, body, signal, cache: 'no-store' };
      const response = await untilAborted(fetch(url, init), signal);
      const text = await untilAborted(response.text(), signal);
      const outcome = outcomeOf(response, text, clock.nowMs());
      // A final text is judged with its chunk, of which more is known.
      if (!isPreview || outcome.answer === null) return outcome;
      return { ...outcome, answer: await judged(outcome.answer) };
    } catch {
      return NO_ANSWER;
    } finally {
      end();
    }
  };
}

function outcomeOf({ status, headers }: Response, body: string, nowMs: number): EarlyOutcome {
  const statusClass = classifyStatus(status);
  if (statusClass === 'ok') {
    const answer = readTranscription(body);
    return { answer, result: answer ? 'answered' : 'refused' };
  }
  const retryAfterMs = parseRetryAfterMs(headers.get('Retry-After'), nowMs);
  const isBusy = statusClass === 'retryable';
  return { answer: null, result: isBusy ? { kind: 'busy', retryAfterMs } : 'refused' };
}

/** Answers that were asked for before their chunk was one; any other is asked for by `request`. */
export function createEarlyAnswers(request: TranscribeRequest) {
  // By the file itself: another one, be it as long, is another question.
  const expected = new WeakMap<ArrayBuffer, Promise<TranscriptionAnswer | null>>();

  return {
    /**
     * The text of this very file has been asked for; null if none comes. It is taken once, and not
     * before the chunk with that file is sent, so that it is stored by then.
     */
    expect: (bytes: ArrayBuffer, answer: Promise<TranscriptionAnswer | null>): void =>
      void expected.set(bytes, answer),
    /** Asks once for the text of a chunk, unless it has been asked for already. */
    async request(item: QueueItem, signal: AbortSignal): Promise<RequestOutcome> {
      const { bytes } = item.audio;
      const early = expected.get(bytes);
      expected.delete(bytes);
      const answer = early && (await untilAborted(early, signal).catch(() => null));
      if (!answer) return request(item, signal);
      return answered(answer, item);
    },
  };
}

/** The words of a session's pieces until their final texts are there. */
export type LiveWords = ReturnType<typeof createLiveWords>;

/** No words yet. */
export function createLiveWords() {
  const pieces = new Map<number, AgreedWords>();
  const done = new Set<number>();
  return {
    /** An answer to what there is of a piece. */
    heard(number: number, text: string) {
      // An answer that comes late.
      if (done.has(number)) return;
      pieces.set(number, agree(pieces.get(number) ?? NO_WORDS, text));
    },
    /** A piece has its final text, or left the session. */
    done(number: number) {
      done.add(number);
      pieces.delete(number);
    },
    /** In the order of speech: once a word may change, so may what follows it. */
    seen(): PreviewText {
      const firm: string[] = [];
      const tentative: string[] = [];
      for (const [, piece] of [...pieces].sort(([one], [other]) => one - other)) {
        (tentative.length === 0 ? firm : tentative).push(...piece.firm);
        tentative.push(...piece.tentative);
      }
      return { firm: firm.join(' '), tentative: tentative.join(' ') };
    },
  };
}

/** Up to so much speech before an earlier pause is sent again where a piece seems to end. */
const REHEARD_SPEECH_SAMPLES = msToSamples(3_000);
/** And all of it behind so much quiet, 0.38 s, where that costs nothing. */
const SURE_QUIET_FRAMES = 4;

/** Parts that ask for words before the pause. */
export type LiveParts = {
  readonly ask: EarlyRequest;
  readonly answers: Pick<ReturnType<typeof createEarlyAnswers>, 'expect'>;
  /** Words are shown as they will be written. */
  readonly rules: Pick<WorkerRules, 'apply'>;
  /** True if the link to the network is for more than what must be sent. */
  readonly isLinkFast: () => boolean;
  /** True if somebody may look at the words. */
  readonly isSeen: () => boolean;
  /** True if the server takes many short requests at no cost. */
  readonly freePieces: () => boolean;
};

type LiveSpeechPorts = LiveParts & {
  readonly options: SessionOptions;
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
  /** True if the next pause ends it, and not only a long one. */
  readonly isFull: boolean;
  /** The end if no more speech follows; null during speech. */
  readonly pauseSample: number | null;
  /** Frames of quiet that it ends with. */
  readonly quietFrames: number;
  /** The chunk that a pause here would cut: with `pauseSample`, the piece up to there. */
  peek(): OpenChunk | null;
};

/** A piece as it was when its text was asked for. */
type Question = {
  readonly isPreview: boolean;
  readonly piece: OpenChunk;
  readonly audio: Promise<EncodedAudio>;
  readonly answer: Promise<TranscriptionAnswer | null>;
  readonly abort: () => void;
};

/**
 * Asks for words of a live dictation before they are final: while somebody speaks, as previews, and
 * where somebody seems to pause, as the final text if it is a pause. One request at a time.
 */
export function createLiveSpeech(ports: LiveSpeechPorts) {
  const { options, encoder, ask, answers, isLinkFast, isSeen, freePieces, clock, dispatch } = ports;
  const schedule = createPreviewSchedule(clock);
  const words = createLiveWords();
  let takesPreviews = true;
  let isFinishing = false;
  let underWay: Question | null = null;
  /** The request made where the piece seemed to end. */
  let guess: Question | null = null;
  /** The last pause that something was asked for at. */
  let askedAtPauseSample: number | null = null;
  /** Words up to a pause that was none: a preview hears only what follows. */
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
    // A failure to encode is told with the chunk.
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
      const heard = `${textBefore} ${answer.text}`;
      words.heard(number, (await ports.rules.apply(heard, languageOf(options))).text);
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

/** True if a chunk holds the very samples of what was asked for. */
function isSame(one: OpenChunk, other: OpenChunk): boolean {
  return isBeginning(one, other) && one.samples.length === other.samples.length;
}

/** True if a piece begins with the very samples of one. */
function isBeginning(one: OpenChunk, whole: OpenChunk): boolean {
  const last = one.ranges.length - 1;
  const isIn = (range: SampleRange, index: number): boolean => {
    const other = whole.ranges[index];
    if (range.startSample !== other?.startSample) return false;
    return index < last ? range.endSample === other.endSample : range.endSample <= other.endSample;
  };
  return one.number === whole.number && one.ranges.every(isIn);
}
