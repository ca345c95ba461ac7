import type { DictationSetup } from '../core/contracts/dictation.ts';
import { parseVocabulary } from '../core/text/vocabulary.ts';
import type { DictationChoices, InterfaceLanguage } from '../widget/options.ts';

/** Where the microphone at the caret comes up: at a focus, at the key alone, or not at all. */
export const SITE_MODES = ['always', 'key', 'never'] as const;
export type SiteMode = (typeof SITE_MODES)[number];

/** The settings, chosen by the person or by their organisation. */
export type ExtensionSettings = {
  /** The server's address, without the path of its endpoint. @default this machine's */
  readonly serverUrl: string;
  /** Sent to the server as a bearer token; empty for none. */
  readonly token: string;
  /** Code of the language spoken; empty is the page's, else the browser's. @default '' */
  readonly language: string;
  /** One's own words, a line each; see `parseVocabulary`. */
  readonly words: string;
  /** Hours that recordings are kept once their text has come. @default 24 */
  readonly keepRecordings: number;
  readonly removePii: boolean;
  readonly fixSpelling: boolean;
  /** As `KeyboardEvent.key` names it; empty for none. @default 'F9' */
  readonly pushToTalkKey: string;
  /** On sites that are not named in `sites`. @default 'always' */
  readonly everywhere: SiteMode;
  /** By host. */
  readonly sites: Readonly<Record<string, SiteMode>>;
};

const DEFAULTS: ExtensionSettings = {
  serverUrl: 'http://127.0.0.1:5180',
  token: '',
  language: '',
  words: '',
  keepRecordings: 24,
  removePii: false,
  fixSpelling: true,
  pushToTalkKey: 'F9',
  everywhere: 'always',
  sites: {},
};

const KEY = 'settings';

/** Holds the organisation's policy as it was when last read. */
const MANAGED_KEY = 'last-managed';

async function readManaged(last: unknown): Promise<unknown> {
  const given = await chrome.storage.managed.get(null).catch(() => ({}));
  if (JSON.stringify(given) !== JSON.stringify(last))
    await chrome.storage.local.set({ [MANAGED_KEY]: given });
  return given;
}

/** The settings, and which of them an organisation has set: these cannot be changed. */
export type ReadSettings = {
  readonly settings: ExtensionSettings;
  readonly managed: readonly (keyof ExtensionSettings)[];
};

/**
 * Reads them; what is of another kind than it should be counts as not chosen. After its start Chrome
 * takes two seconds to tell what an organisation has set: `isForShow` has what it told the last time,
 * which is enough to know where a microphone is shown, and not where speech is sent.
 */
export async function readSettings({ isForShow = false } = {}): Promise<ReadSettings> {
  const { [KEY]: stored, [MANAGED_KEY]: last } = await chrome.storage.local.get([KEY, MANAGED_KEY]);
  const now = readManaged(last);
  const managed = likeDefaults(isForShow && last !== undefined ? last : await now);
  return {
    settings: { ...DEFAULTS, ...likeDefaults(stored), ...managed },
    managed: Object.keys(managed) as (keyof ExtensionSettings)[],
  };
}

let changing: Promise<void> = Promise.resolve();

/** Changes some of them, one change behind the other: each has to read what is there. */
export function changeSettings(changes: Partial<ExtensionSettings>): Promise<void> {
  const turn = changing.then(async () => {
    const stored = likeDefaults((await chrome.storage.local.get(KEY))[KEY]);
    await chrome.storage.local.set({ [KEY]: { ...stored, ...changes } });
  });
  changing = turn.catch(() => {});
  return turn;
}

function likeDefaults(given: unknown): Partial<ExtensionSettings> {
  const known = new Map<string, unknown>(Object.entries(DEFAULTS));
  const entries = Object.entries(given ?? {}).filter(
    ([name, value]) => value !== null && typeof value === typeof known.get(name),
  );
  return Object.fromEntries(entries);
}

/** Headers of what is sent to the server. */
export function headersOf({ token }: ExtensionSettings): Readonly<Record<string, string>> {
  return token === '' ? {} : { Authorization: `Bearer ${token}` };
}

/** Nobody is there. */
const NO_SERVER = 'https://address.invalid/';

/** The setup of the one dictation. With an address that is none, what is said waits for another. */
export function setupOf(settings: ExtensionSettings): DictationSetup {
  const { serverUrl, words, keepRecordings } = settings;
  const folder = serverUrl.endsWith('/') ? serverUrl : `${serverUrl}/`;
  const base = URL.canParse(folder) ? folder : NO_SERVER;
  return {
    transcriptionUrl: new URL('api/asr/vad', base).href,
    headers: headersOf(settings),
    credentials: 'omit',
    keepRecordings,
    vocabulary: parseVocabulary(words).entries,
  };
}

/**
 * All that a page's frame is told of the settings: neither address nor token, since a page that has
 * taken over its process could read what is there.
 */
export type FrameSettings = {
  readonly mode: SiteMode;
  readonly choices: Pick<
    DictationChoices,
    'language' | 'removePii' | 'fixSpelling' | 'pushToTalkKey'
  > & { readonly interfaceLanguage: InterfaceLanguage };
};

export function frameSettings(settings: ExtensionSettings, host: string): FrameSettings {
  const { language, removePii, fixSpelling, pushToTalkKey } = settings;
  return {
    mode: settings.sites[host] ?? settings.everywhere,
    choices: {
      language,
      removePii,
      fixSpelling,
      pushToTalkKey: pushToTalkKey || null,
      interfaceLanguage: interfaceLanguage(),
    },
  };
}

/** The browser's language, as far as there are texts in it. */
export function interfaceLanguage(): InterfaceLanguage {
  return /^(sv|nb|nn|no|da)\b/i.test(chrome.i18n.getUILanguage()) ? 'sv' : 'en';
}
