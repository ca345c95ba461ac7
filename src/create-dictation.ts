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

/** True if an option of the setup may have a value; those of keeping are checked by themselves. */
function isPossible(name: string, value: unknown): boolean {
  if (name.endsWith('Url')) return URL.canParse(String(value), document.baseURI);
  if (name === 'headers') return Object(value) === value;
  if (name === 'engine') return /^(?:auto|kernel|ort)$/.test(String(value));
  if (name === 'credentials') return /^(?:omit|same-origin|include)$/.test(String(value));
  return !/^(?:voc|repl)/.test(name) || Array.isArray(value);
}

/** The fault of an option; null if it has none. */
function faultOf([name, value]: readonly [string, unknown]): string | null {
  const names: readonly string[] = SETUP_NAMES;
  if (!names.includes(name)) return `No option: ${name}. There are ${names}`;
  if (value === undefined || isPossible(name, value)) return null;
  return `${name} cannot be ${JSON.stringify(value)}`;
}

function checked(setup: DictationSetup): DictationSetup {
  for (const option of Object.entries(setup)) {
    const fault = faultOf(option);
    if (fault) throw new DikteraError('bad-option', fault);
  }
  return setup;
}

/** The setup as the worker is told it; throws `bad-option`. */
function readSetup(setup: DictationSetup): WorkerSetup {
  const keeping = completeKeeping(setup, DEFAULT_KEEPING);
  const { assetBaseUrl, ortBaseUrl, transcriptionUrl = '/api/asr/vad' } = setup;
  const { vocabulary, replacements, rules } = setup;
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
    // The worker is told it as JSON, which leaves out what is undefined.
    textRules: { vocabulary, replacements, rules } as GivenTextRules,
  };
}

/**
 * Voice dictation without an interface: microphone, worker and queue, ready to start. Throws
 * `bad-option` for an option that is none, and what cannot be kept so long, or so much.
 */
export function createDictation(setup: DictationSetup = {}): Dictation {
  return createUnchecked(setup, checked);
}

/** The same for our own pages, of options that they know: what would check them is not fetched. */
export function createUnchecked(
  setup: DictationSetup,
  check = (wanted: DictationSetup): DictationSetup => wanted,
): Dictation {
  const read = (wanted: DictationSetup): WorkerSetup => readSetup(check(wanted));
  let given = setup;
  const first = read(given);
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
        if (!setUp(() => read(next)))
          throw new DikteraError('wrong-phase', 'Not while one dictates');
      } catch (error) {
        console.error('setOptions:', error);
        return false;
      }
      given = next;
      return true;
    },
  };
}

let page: { readonly dictation: Dictation; setup: string } | null = null;

/**
 * The page's one dictation, made by the first call, and again after its disposal. The setup may
 * be left out; another one than before changes what it names, as `setOptions` does. Never throws: an
 * option that is none is an error in the console, and the rest counts, so that for a misspelt word no
 * sound goes to another server.
 */
export function pageDictation(setup: DictationSetup = {}): Dictation {
  const { headers, ...others } = setup;
  // In one order, and without undefined values.
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  const wanted = JSON.stringify(given.sort());
  // Warns once, since components are drawn again and again.
  const isOther = !page || (given.length > 0 && wanted !== page.setup);
  const named = isOther ? Object.fromEntries(given.filter(isRight)) : {};
  const signed = headers && isRight(['headers', headers]) ? { headers } : {};
  if (!page) {
    page = { dictation: untilDisposed(createOrDefault({ ...named, ...signed })), setup: wanted };
  } else {
    page.dictation.setOptions(signed);
    if (!isOther) return page.dictation;
    page.setup = wanted;
    page.dictation.setOptions(named);
  }
  return page.dictation;
}

function isRight(option: readonly [string, unknown]): boolean {
  const fault = faultOf(option);
  if (fault) console.error('Diktera goes on without it:', new DikteraError('bad-option', fault));
  return !fault;
}

function createOrDefault(setup: DictationSetup): Dictation {
  try {
    return createDictation(setup);
  } catch (error) {
    console.error('Diktera goes on without it:', error);
    return createDictation();
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
