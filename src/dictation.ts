import { connectDictation } from './bridge/connect-dictation.ts';
import { createMicrophoneCapture } from './capture/capture.ts';
import type { Dictation } from './core/contracts/dictation.ts';
import { DikteraError } from './core/errors.ts';
import type { SpeechEngineKind, SpeechModel } from './core/speech/speech-engine.ts';

export { VAD_PRESETS, type VadOptions } from './core/speech/vad-options.ts';

/** Where things are and what judges speech; all may be left out. */
export type DictationSetup = {
  /** The transcription endpoint. @default '/api/asr/vad' */
  readonly transcriptionUrl?: string;
  /** The folder that holds `models/`. @default the page's own base address */
  readonly assetBaseUrl?: string;
  /** The model that judges speech, unless a recording names another. @default 'v6' */
  readonly model?: SpeechModel;
  /** What runs it; `auto` takes the best there is. @default 'auto' */
  readonly engine?: SpeechEngineKind | 'auto';
};

/** Voice dictation without an interface: microphone, worker and queue, ready to start. */
export function createDictation(setup: DictationSetup = {}): Dictation {
  const base = new URL(setup.assetBaseUrl ?? import.meta.env.BASE_URL, document.baseURI);
  return connectDictation(createMicrophoneCapture(), {
    assetBaseUrl: base.href,
    transcriptionUrl: new URL(setup.transcriptionUrl ?? '/api/asr/vad', document.baseURI).href,
    model: setup.model ?? 'v6',
    engine: setup.engine ?? 'auto',
  });
}

let page: { readonly dictation: Dictation; readonly setup: string } | null = null;

/**
 * The page's one dictation, made by the first call, and anew once it was disposed of. The setup may be
 * left out later; another one throws `bad-option`, since there is one microphone and one queue.
 */
export function pageDictation(setup?: DictationSetup): Dictation {
  const wanted = JSON.stringify(setup ?? {});
  page ??= { dictation: untilDisposed(createDictation(setup)), setup: wanted };
  if (setup !== undefined && wanted !== page.setup) {
    throw new DikteraError('bad-option', `The page's dictation has been set up as ${page.setup}`);
  }
  return page.dictation;
}

/** Disposed of, it is not the page's any more: who asks next gets one that works. */
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
