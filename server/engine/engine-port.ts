import type { HeardSegment } from '../../src/core/text/judge-answer.ts';
import type { HeardWord, TimedPart } from '../../src/core/text/time-text.ts';
import type { Turn } from '../scheduling/work-queue.ts';

/** The description of an engine, fixed from the start, so that requests can be judged while it loads. */
export type EngineDescription = {
  /** Name for people and logs, such as `moonshine`. */
  readonly engine: string;
  readonly model: string;
  /** Primary language subtags it can write, such as `en`; never empty. */
  readonly languages: readonly string[];
  /**
   * The language that an empty one stands for: one of `languages`, or null when the engine finds out itself.
   */
  readonly defaultLanguage: string | null;
  /**
   * True if an empty `language` means the browser's, and the default only where no browser asks.
   * False where an operator said what it means. @default false
   */
  readonly followsBrowser?: boolean;
  /** Characters of names and terms to expect that it can be told. @default none */
  readonly vocabularyCharacters?: number;
};

/** An engine's readiness to be asked. `reason` is for people and holds no paths. */
export type EngineState =
  /** `share` is how much of a long way is done, 0 to 1; absent where it is a matter of seconds. */
  | { readonly kind: 'loading'; readonly share?: number }
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly reason: string };

/** The wishes that go to the engine beside the audio. */
export type EngineWish = {
  /** One of the engine's languages; '' only where `defaultLanguage` is null. */
  readonly language: string;
  /** Prefer speed to accuracy; an engine with one speed ignores it. */
  readonly fast: boolean;
  /** Names and terms to expect, the likeliest first, as one text. @default none */
  readonly vocabulary?: string;
  /** Say nothing of words to expect: they came back as text. @default false */
  readonly withoutPrompt?: boolean;
};

/** The words that an engine heard. */
export type Transcript = {
  /** In one line; '' when nobody speaks. */
  readonly text: string;
  /** The language it was asked for or found, as a primary subtag; '' when it does not say. */
  readonly language: string;
  /** The parts that were heard, with the engine's own figures. @default not told */
  readonly segments?: readonly HeardSegment[];
  /** Where in the audio it was heard, in order; absent where nothing is known of it. */
  readonly parts?: readonly TimedPart[];
  /** The words to expect that it was told. @default none */
  readonly prompt?: string;
};

/** Whisper reads the last 224 tokens of a prompt: in Swedish a token is some four characters. */
const WHISPER_PROMPT_CHARACTERS = 800;

/** The room for a caller's own words beside the operator's prompt. */
export function vocabularyCharacters(prompt: string): number {
  return Math.max(0, WHISPER_PROMPT_CHARACTERS - prompt.length);
}

/** The words that Whisper is told to expect: the operator's, then the caller's. */
export function promptFor(
  { withoutPrompt, vocabulary = '' }: EngineWish,
  { prompt }: { readonly prompt: string },
): string {
  if (withoutPrompt) return '';
  const own = vocabulary.slice(0, vocabularyCharacters(prompt));
  return [prompt, own].filter((part) => part !== '').join(' ');
}

/** Turns speech into text. */
export type TranscriptionEngine = {
  readonly description: EngineDescription;
  state(): EngineState;
  /** Begins to load; called again it waits for the first call. Never rejects: see `state`. */
  start(): Promise<void>;
  /**
   * The words in `samples` (16 kHz mono, -1..1). Keeps the event loop free. An engine that works
   * here, and not elsewhere, pauses on `turn` between two steps. Rejects with `signal`'s reason
   * when told to stop, with an ApiError that says what the client should know, and when recognition
   * fails with any other Error, which holds no content.
   */
  transcribe(
    samples: Float32Array,
    wish: EngineWish,
    signal: AbortSignal,
    turn?: Pick<Turn, 'pause'>,
  ): Promise<Transcript>;
  /** True if clients are told of it and may ask it. @default always */
  isOffered?(): boolean;
  /** Gives back what it holds; what is being recognised is lost. */
  dispose?(): Promise<void>;
};

/** The words of one utterance; `words` are timed from its beginning. */
export type Recognised = {
  /** '' for none. */
  readonly text: string;
  /** @default no times are told */
  readonly words?: readonly HeardWord[];
};

/** Recognises one utterance in `language`. */
export type Recognise = (utterance: Float32Array, language: string) => Promise<Recognised>;

/** The process is gone, and what it had under way with it. */
export class EngineEnded extends Error {
  override readonly name: string = 'EngineEnded';
}

/** A recogniser that can end by itself. */
export type RunningRecogniser = {
  /** The system's process number, if it is a process that could be started. */
  readonly id?: number | undefined;
  /** Fulfilled when it can be asked; rejects with ModelUnloadable, or when it ends before. */
  readonly ready: Promise<void>;
  /** Rejects when the recogniser fails, and with EngineEnded when it ends. */
  readonly recognise: Recognise;
  /** Fulfilled with the reason when it has ended. */
  readonly ended: Promise<EngineEnded>;
  /** Ends it, whatever it does. */
  end(): void;
};

/** The model is not there or not what it should be; trying again does not help. */
export class ModelUnloadable extends Error {
  override readonly name: string = 'ModelUnloadable';
  /** For people; holds no paths. */
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
