import { assetAddresses } from './assets/addresses.ts';
import { folderAddress, setAssetPlace } from './assets/asset-place.ts';
import { createMicrophoneCapture } from './capture/capture.ts';
import { connectDictation } from './client/connect-dictation.ts';
import type { Dictation, DictationSetup } from './core/contracts/dictation.ts';
import type { WorkerSetup } from './core/contracts/worker-api.ts';
import { DikteraError } from './core/errors.ts';
import { completeKeeping, DEFAULT_KEEPING, type Keeping } from './core/recordings/recording.ts';
import type { GivenTextRules } from './core/text/text-rules.ts';

/** Names of the setup's options. */
export const SETUP_NAMES = [
  ...(Object.keys(DEFAULT_KEEPING) as (keyof Keeping)[]),
  'transcriptionUrl',
  'headers',
  'credentials',
  'account',
  'assetBaseUrl',
  'ortBaseUrl',
  'engine',
  'vocabulary',
  'replacements',
  'rules',
] as const satisfies readonly (keyof DictationSetup)[];

const isOption = (name: string): boolean => (SETUP_NAMES as readonly string[]).includes(name);

/** The setup as the worker is told it; throws `bad-option`. */
function readSetup(setup: DictationSetup): WorkerSetup {
  const strange = Object.keys(setup).filter((name) => !isOption(name));
  if (strange.length > 0)
    throw new DikteraError('bad-option', `No option: ${strange}. There are ${SETUP_NAMES}`);
  const keeping = completeKeeping(setup, DEFAULT_KEEPING);
  const { assetBaseUrl, ortBaseUrl, transcriptionUrl = '/api/asr/vad' } = setup;
  if (!URL.canParse(transcriptionUrl, document.baseURI))
    throw new DikteraError('bad-option', `transcriptionUrl is no address: ${transcriptionUrl}`);
  setAssetPlace({
    assetBaseUrl: assetBaseUrl === undefined ? null : folderAddress(assetBaseUrl),
    ortBaseUrl: ortBaseUrl === undefined ? null : folderAddress(ortBaseUrl),
  });
  return {
    assets: assetAddresses().forWorker,
    transcriptionUrl: new URL(transcriptionUrl, document.baseURI).href,
    engine: setup.engine ?? 'auto',
    credentials: setup.credentials,
    account: setup.account,
    keeping,
    textRules: textRulesOf(setup),
  };
}

/**
 * Voice dictation without an interface: microphone, worker and queue, ready to start. Throws
 * `bad-option` for an option that is none, and what cannot be kept so long, or so much.
 */
export function createDictation(setup: DictationSetup = {}): Dictation {
  let given = setup;
  const first = readSetup(given);
  const { setUp, sign, ...dictation } = connectDictation(
    createMicrophoneCapture(),
    () => assetAddresses().worker,
    first,
    setup.headers,
  );
  return {
    ...dictation,
    setOptions(changes) {
      const next = { ...given, ...changes };
      const { headers, ...others } = changes;
      if (headers && headers !== given.headers) sign(headers);
      given = { ...given, ...(headers && { headers }) };
      if (Object.keys(others).length === 0) return true;
      try {
        if (!setUp(() => readSetup(next)))
          throw new DikteraError('wrong-phase', 'The setup cannot be changed while one dictates');
      } catch (error) {
        console.error('setOptions:', error);
        return false;
      }
      given = next;
      return true;
    },
  };
}

function textRulesOf({ vocabulary, replacements, rules }: GivenTextRules): GivenTextRules {
  return {
    ...(vocabulary && { vocabulary }),
    ...(replacements && { replacements }),
    ...(rules !== undefined && { rules }),
  };
}

let page: { readonly dictation: Dictation; setup: string } | null = null;

/**
 * The page's one dictation, made by the first call, and again after its disposal. The setup may
 * be left out; another one than before changes what it names, as `setOptions` does. Never throws: an
 * option that is none is an error in the console, and then the setup stays as it was.
 */
export function pageDictation(setup: DictationSetup = {}): Dictation {
  // In one order, and without undefined values.
  const { headers, ...others } = setup;
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  const named = Object.fromEntries(given.sort());
  const wanted = JSON.stringify(named);
  if (!page) page = { dictation: untilDisposed(createOrDefault(setup)), setup: wanted };
  else {
    if (headers) page.dictation.setOptions({ headers });
    // Warns once, since components are drawn again and again.
    const isOther = given.length > 0 && wanted !== page.setup;
    page.setup = given.length > 0 ? wanted : page.setup;
    if (isOther) page.dictation.setOptions(named);
  }
  return page.dictation;
}

/** Without what is no option the rest counts: speech goes to no other server for a misspelt word. */
function createOrDefault(setup: DictationSetup): Dictation {
  try {
    return createDictation(setup);
  } catch (error) {
    console.error('Diktera goes on without it:', error);
    const known = Object.entries(setup).filter(([name]) => isOption(name));
    return known.length < Object.keys(setup).length
      ? createOrDefault(Object.fromEntries(known))
      : createDictation();
  }
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
