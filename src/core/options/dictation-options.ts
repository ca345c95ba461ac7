import type { SpeechEngineKind } from '../speech/speech-engine.ts';
import { RECORDING_VAD_OPTIONS, type VadOptions } from '../speech/vad-options.ts';

/** What is asked of the server for each chunk (spec, sections 3 and 7). */
export type TranscriptionOptions = {
  /** Mask personal data in the text. @default true */
  readonly removePii: boolean;
  /** Correct the spelling. @default false */
  readonly fixSpelling: boolean;
  /** Prefer speed to accuracy. @default true */
  readonly fast: boolean;
  /** Language code such as `sv` or `en`; empty is the likeliest that the server has. @default '' */
  readonly language: string;
  /**
   * Where `language` is empty: the languages that are probably spoken, as in `lang`, the likeliest
   * first. What is said waits while the server has none of them: in another it would be nonsense. A
   * server that does not tell its languages chooses by itself.
   * @default that of the page, or of the field's part of it (`lang`), then the browser's
   */
  readonly likelyLanguages?: readonly string[] | undefined;
};

/** When text goes into the field. */
export type InsertTime = 'at-stop' | 'at-pause';

/** Everything one recording session is told. */
export type SessionOptions = TranscriptionOptions & {
  /**
   * Recording stops by itself at this recorded time, pauses excluded; null is no limit.
   * @default null
   */
  readonly maxAudioDurationMs: number | null;
  /**
   * The most speech a chunk may hold, in ms, 1,000 to 90,000; where pauses end pieces, no more than
   * 15,000.
   * @default 90000
   */
  readonly chunkMs: number;
  /**
   * Text while one speaks: pauses send what was said before them (a live piece, 15 s at most),
   * and `Snapshot.session.live` has the words. More requests, so `true` is not for servers that bill
   * by request. `auto` is on where the server says that they are free (`freePieces` of its health
   * answer). There pauses send pieces with `false` too, for the text to be there soon after the
   * stop, and no words are shown.
   * @default 'auto'
   */
  readonly live: boolean | 'auto';
  /**
   * With `live`: what is being said is sent about once a second too, for words that are seen before
   * the pause. Rests by itself where the network or the server is slow or busy.
   * @default true
   */
  readonly livePreview: boolean;
  /**
   * When text is inserted: all of it when the recording ends, or, with `live` and a `deliverPiece`,
   * each piece as soon as its text is there. Live pieces are longer where text goes in at the end,
   * and so fewer words are wrong: some 10 s of voice, while `at-pause` ends them at a pause of
   * 0.8 s after 3 s of voice, and at any of 1.2 s.
   * @default 'at-stop'
   */
  readonly insert: InsertTime;
  /** Thresholds and counts of the speech gate. @default RECORDING_VAD_OPTIONS */
  readonly vad: VadOptions;
  /**
   * What detects speech; `auto` takes the best there is. @default what `createDictation` was given,
   * else 'auto'
   */
  readonly engine: SpeechEngineKind | 'auto';
};

/** Defaults of the spec's section 3, completed by the design's section 5. */
export const DEFAULT_SESSION_OPTIONS: SessionOptions = {
  removePii: true,
  fixSpelling: false,
  fast: true,
  language: '',
  maxAudioDurationMs: null,
  chunkMs: 90_000,
  live: 'auto',
  livePreview: true,
  insert: 'at-stop',
  vad: RECORDING_VAD_OPTIONS,
  engine: 'auto',
};

/** What the dictation element sets differently (spec, section 3). */
export const DICTATION_FIELD_OPTIONS = {
  removePii: false,
  fixSpelling: true,
  fast: true,
} as const satisfies Partial<SessionOptions>;
