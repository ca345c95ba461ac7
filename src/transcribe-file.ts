import { assetPlace, folderAddress, setAssetPlace } from './assets/asset-place.ts';
import { createDeferred, sleep, untilAborted } from './core/async.ts';
import type { DictationSetup } from './core/contracts/dictation.ts';
import { DikteraError } from './core/errors.ts';
import type { TranscriptionOptions } from './core/options/dictation-options.ts';
import { spokenLanguage } from './core/session/spoken-language.ts';
import { type TimedPart, type TimedWord, textsOfFile } from './files/file-texts.ts';
import { browserClock } from './platform/browser-clock.ts';
import { createSignedFetch } from './platform/signed-fetch.ts';

export type { DictationSetup } from './core/contracts/dictation.ts';
export { DikteraError, type ErrorCode } from './core/errors.ts';
export type { TranscriptionOptions } from './core/options/dictation-options.ts';
export type { WordTime } from './core/word-time.ts';
export type { TimedPart, TimedWord };

/** The progress of a file. */
export type FileProgress = {
  /** From 0 to 1; null while the server reads the file whole, since it reports nothing meanwhile. */
  readonly share: number | null;
  /** The text so far. */
  readonly text: string;
};

/** The text of a file. */
export type FileTranscript = {
  /** All of it; empty where there is no speech. */
  readonly text: string;
  /** The same in parts with their times, in order. */
  readonly parts: readonly TimedPart[];
  /** False where parts of a damaged file could not be read. */
  readonly isWhole: boolean;
};

/** Options of `transcribe`; all may be left out. */
export type TranscribeOptions = Pick<
  DictationSetup,
  'transcriptionUrl' | 'headers' | 'credentials' | 'assetBaseUrl'
> &
  // `fast` is false here: nobody waits for the next word.
  Partial<TranscriptionOptions> & {
    /** Ends it when aborted: `transcribe` rejects with the signal's reason. @default never */
    readonly signal?: AbortSignal | undefined;
    /** Called with each progress. @default nothing is called */
    readonly onProgress?: ((progress: FileProgress) => void) | undefined;
  };

const OPTION_NAMES = [
  'transcriptionUrl',
  'headers',
  'credentials',
  'assetBaseUrl',
  'language',
  'likelyLanguages',
  'removePii',
  'fixSpelling',
  'fast',
  'signal',
  'onProgress',
] as const satisfies readonly (keyof TranscribeOptions)[];

/**
 * Transcribes a file of sound or film, of at most four hours. A worker reads it with the browser's
 * own decoders, and sends only its speech, in pieces of at most half a minute; a file that the
 * browser cannot read is sent whole. Faults that may pass are tried again for 20 s. Masks personal
 * data and leaves the spelling, unless the options say otherwise.
 *
 * Rejects with a `DikteraError`: `file-unreadable` (no sound in it, or none that can be read),
 * `language-missing`, `http-*`, `asset-unreachable` or `bad-option`; or with the reason of `signal`.
 */
export async function transcribe(
  file: Blob,
  options: TranscribeOptions = {},
): Promise<FileTranscript> {
  const names: readonly string[] = OPTION_NAMES;
  const strange = Object.keys(options).filter((name) => !names.includes(name));
  if (strange.length > 0)
    throw new DikteraError('bad-option', `No option: ${strange}. There are ${names}`);
  const { transcriptionUrl = '/api/asr/vad', assetBaseUrl, onProgress } = options;
  if (!URL.canParse(transcriptionUrl, document.baseURI))
    throw new DikteraError('bad-option', `transcriptionUrl is no address: ${transcriptionUrl}`);
  if (assetBaseUrl !== undefined)
    setAssetPlace({ ...assetPlace(), assetBaseUrl: folderAddress(assetBaseUrl) });
  const { signal = new AbortController().signal } = options;
  signal.throwIfAborted();
  const address = new URL(transcriptionUrl, document.baseURI).href;
  const steps = textsOfFile(file, 0, signal, {
    address,
    healthAddress: new URL('../health', address).href,
    fetch: signedFetch(options),
    sleep: (ms, until) => sleep(browserClock, ms, until),
    options(server) {
      const {
        language: chosen = '',
        removePii = true,
        fixSpelling = false,
        fast = false,
      } = options;
      const { likelyLanguages = [document.documentElement.lang, navigator.language] } = options;
      const spoken = spokenLanguage({ language: chosen, likelyLanguages }, server);
      if (spoken?.isMissing) return null;
      return { language: spoken?.language ?? chosen, removePii, fixSpelling, fast };
    },
  });
  const texts: string[] = [];
  const parts: TimedPart[] = [];
  let isWhole = true;
  try {
    for (;;) {
      const next = await untilAborted(steps.next(), signal);
      if (next.done) break;
      const { text, share } = next.value;
      if (text !== '') texts.push(text);
      parts.push(...next.value.parts);
      isWhole &&= next.value.isWhole;
      onProgress?.({ share, text: texts.join(' ') });
    }
  } finally {
    // Not awaited: the reader may take long to end, and nobody needs it any more.
    void steps.return();
  }
  return { text: texts.join(' '), parts, isWhole };
}

function signedFetch({ headers, credentials }: TranscribeOptions): typeof globalThis.fetch {
  const signed = createSignedFetch(
    { fetch: (...call) => fetch(...call), isSigned: headers !== undefined, credentials },
    { createDeferred, untilAborted, DikteraError },
  );
  if (headers)
    signed.sign(async () => (typeof headers === 'function' ? headers() : { ...headers }));
  return signed.fetch;
}
