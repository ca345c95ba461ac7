import { assetAddresses } from './assets/addresses.ts';
import { folderAddress, setAssetPlace } from './assets/asset-place.ts';
import { createMicrophoneCapture } from './capture/capture.ts';
import { connectDictation } from './client/connect-dictation.ts';
import type { Dictation } from './core/contracts/dictation.ts';
import { DikteraError } from './core/errors.ts';
import { completeKeeping, DEFAULT_KEEPING, type Keeping } from './core/recordings/recording.ts';
import type { SpeechEngineKind } from './core/speech/speech-engine.ts';

/** Addresses, speech detection and retention; all may be left out. */
export type DictationSetup = Partial<Keeping> & {
  /** The transcription endpoint. @default '/api/asr/vad' */
  readonly transcriptionUrl?: string;
  /**
   * The account signed in at your server; null for none. Dictations of other accounts are not shown,
   * sent or deleted. @default the one that the server's health names, else none
   */
  readonly account?: string | null;
  /**
   * The folder that holds the files of `diktera/assets/*`, for pages whose bundler does not bring
   * them along. Another origin's will do, if it allows it (CORS).
   * @default beside the script, wherever that is
   */
  readonly assetBaseUrl?: string;
  /**
   * The folder that holds the files of onnxruntime-web's `dist`, the engine beside the kernel.
   * Needed for `engine: 'ort'` alone; where it is known it also takes over from a kernel that
   * fails. @default none
   */
  readonly ortBaseUrl?: string;
  /** Engine that detects speech; `auto` takes the best there is. @default 'auto' */
  readonly engine?: SpeechEngineKind | 'auto';
};

/**
 * Voice dictation without an interface: microphone, worker and queue, ready to start. Throws
 * `bad-option` for what cannot be kept so long, or so much.
 */
export function createDictation(setup: DictationSetup = {}): Dictation {
  const keeping = completeKeeping(setup, DEFAULT_KEEPING);
  const { assetBaseUrl, ortBaseUrl } = setup;
  setAssetPlace({
    assetBaseUrl: assetBaseUrl === undefined ? null : folderAddress(assetBaseUrl),
    ortBaseUrl: ortBaseUrl === undefined ? null : folderAddress(ortBaseUrl),
  });
  const { worker, forWorker } = assetAddresses();
  return connectDictation(createMicrophoneCapture(), worker, {
    assets: forWorker,
    transcriptionUrl: new URL(setup.transcriptionUrl ?? '/api/asr/vad', document.baseURI).href,
    engine: setup.engine ?? 'auto',
    account: setup.account,
    keeping,
  });
}

let page: { readonly dictation: Dictation; readonly setup: string } | null = null;

/**
 * The page's one dictation, made by the first call, and again after its disposal. The setup may
 * be left out later; another one throws `bad-option`, since there is one microphone and one queue.
 */
export function pageDictation(setup?: DictationSetup): Dictation {
  // In one order, and without undefined values.
  const given = Object.entries(setup ?? {}).filter(([, value]) => value !== undefined);
  const wanted = JSON.stringify(Object.fromEntries(given.sort()));
  page ??= { dictation: untilDisposed(createDictation(setup)), setup: wanted };
  if (setup !== undefined && wanted !== page.setup) {
    throw new DikteraError('bad-option', `The page's dictation has been set up as ${page.setup}`);
  }
  return page.dictation;
}

/** A disposed dictation is not the page's any more: the next call makes another. */
function untilDisposed(dictation: Dictation): Dictation {
  const owned: Dictation = {
    ...dictation,
    dispose() {
      dictation.dispose();
      if (page?.dictation === owned) page = null;
    },
  };
  return owned;
}
