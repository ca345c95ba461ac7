import type { SpeechEngineKind } from '../speech/speech-engine.ts';
import { RECORDING_VAD_OPTIONS, type VadOptions } from '../speech/vad-options.ts';

/** The form fields that go to the server with each chunk. */
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
   * The languages that are probably spoken where `language` is empty, as in `lang`, the likeliest
   * first. Speech waits while the server has none of them: in another it would become nonsense. A
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
   * Words while one speaks: a pause sends what was said before it (a live piece, 15 s at most), and
   * `Snapshot.session.live` has the words. It means more requests, so `true` is not for servers that
   * bill by request. `auto` is on where the server says that pieces are free (`freePieces` of its
   * health answer). There `false` sends pieces too, so that the text is there soon after the stop,
   * and shows no words.
   * @default 'auto'
   */
  readonly live: boolean | 'auto';
  /**
   * With `live`: sends the unfinished piece about once a second, too, so that its words are seen
   * before the pause. Rests by itself where the network or the server is slow or busy.
   * @default true
   */
  readonly livePreview: boolean;
  /**
   * `at-stop` inserts all text when the recording ends; `at-pause`, with `live` and a `deliverPiece`,
   * each piece as soon as its text is there. With `at-stop` pieces hold some 10 s of voice, and so
   * fewer words are wrong; `at-pause` ends them at a pause of 0.8 s after 3 s of voice, and at any
   * pause of 1.2 s.
   * @default 'at-stop'
   */
  readonly insert: InsertTime;
  /** Thresholds and counts of the speech gate. @default RECORDING_VAD_OPTIONS */
  readonly vad: VadOptions;
  /**
   * The engine that detects speech; `auto` takes the best there is. @default that of
   * `createDictation`, else 'auto'
   */
  readonly engine: SpeechEngineKind | 'auto';
};

/** The defaults of a recording; see docs/behaviour.md. */
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

/** Names of a recording's options. */
export const SESSION_OPTION_NAMES: readonly (keyof SessionOptions)[] = [
  ...(Object.keys(DEFAULT_SESSION_OPTIONS) as (keyof SessionOptions)[]),
  'likelyLanguages',
];

/** The defaults of fields, attached or `DictationField`, where they differ. */
export const DICTATION_FIELD_OPTIONS = {
  removePii: false,
  fixSpelling: true,
  fast: true,
} as const satisfies Partial<SessionOptions>;

/** Options as a caller gives them: each may be left out, also each of the speech gate. */
export type GivenSessionOptions = Partial<Omit<SessionOptions, 'vad'>> & {
  readonly vad?: Partial<VadOptions>;
};

/** `base` with the given values in it; undefined counts as left out, as in `checkVadOptions`. */
export function completeOptions(given: GivenSessionOptions, base: SessionOptions): SessionOptions {
  const { vad, ...others } = given;
  return { ...base, ...withoutUndefined(others), vad: { ...base.vad, ...withoutUndefined(vad) } };
}

/** A caller in JavaScript may name an option and give nothing. */
function withoutUndefined<Values extends object>(values: Values | undefined): Partial<Values> {
  const named = Object.entries(values ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named) as Partial<Values>;
}
