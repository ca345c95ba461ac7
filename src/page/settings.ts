import {
  DICTATION_FIELD_OPTIONS,
  type GivenSessionOptions,
} from '../core/options/dictation-options.ts';
import type { MicrophoneDevice } from '../core/session/snapshot.ts';
import { VAD_PRESETS, type VadPreset } from '../core/speech/vad-options.ts';
import type { Spacing } from '../field/insertion-text.ts';
import { INTERFACE_LANGUAGES, type InterfaceLanguage } from '../widget/options.ts';

/** Keys that browsers and systems leave to the page, most of them. */
export const PUSH_TO_TALK_KEYS = ['F9', 'F8', 'F4', 'F2'] as const;

/** Retention times of recordings to choose from, in hours. */
export const KEEP_HOURS = [0, 1, 24, 168, 720] as const;

/** The person's choices on the page. */
export type Settings = {
  /** Code of the language spoken; empty is the server's own choice. @default '' */
  readonly language: string;
  readonly removePii: boolean;
  readonly fixSpelling: boolean;
  readonly fast: boolean;
  /** The microphone, by id and, since browsers change ids, by name; empty lets Diktera choose. */
  readonly deviceId: string;
  readonly deviceLabel: string;
  /** Record the sound of a tab too. @default false */
  readonly tabSound: boolean;
  /** @default 'recording' */
  readonly preset: VadPreset;
  /** @default 'smart' */
  readonly spacing: Spacing;
  /** Words are seen while one speaks. @default 'auto', where the server says that it is free */
  readonly live: boolean | 'auto';
  /** With `live`: the text goes in at each pause, not at the end. @default false */
  readonly insertsAtPause: boolean;
  /** As `KeyboardEvent.key` names it; empty for none. @default 'F9' */
  readonly pushToTalkKey: string;
  /** Hours that recordings are kept once their text has come; 0 keeps none. @default 24 */
  readonly keepRecordings: number;
  /** Words that may be misheard are marked. @default true */
  readonly marksUnsure: boolean;
  /** The person has been told that recordings are kept. @default false */
  readonly isKeepingTold: boolean;
  /** @default as the browser's: Swedish for Swedish, Norwegian and Danish, else English */
  readonly interfaceLanguage: InterfaceLanguage;
};

/** The dictation element's own defaults, and the page's. */
export const DEFAULT_SETTINGS: Settings = {
  ...DICTATION_FIELD_OPTIONS,
  language: '',
  deviceId: '',
  deviceLabel: '',
  tabSound: false,
  preset: 'recording',
  spacing: 'smart',
  live: 'auto',
  insertsAtPause: false,
  pushToTalkKey: 'F9',
  keepRecordings: 24,
  marksUnsure: true,
  isKeepingTold: false,
  interfaceLanguage: 'sv',
};

/** Settings that are remembered, in the shape `useSyncExternalStore` wants. */
export type SettingsStore = ReturnType<typeof createSettingsStore>;

const STORAGE_KEY = 'diktera:settings';

/** Remembers in `storage`; where that is missing or fails, for as long as the page is open. */
export function createSettingsStore(storage: Pick<Storage, 'getItem' | 'setItem'> | null) {
  let settings = read(storage);
  const listeners = new Set<() => void>();
  return {
    getSettings: (): Settings => settings,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change(changes: Partial<Settings>) {
      settings = { ...settings, ...changes };
      for (const listener of listeners) listener();
      try {
        // Another tab may have chosen something since this one was opened.
        storage?.setItem(STORAGE_KEY, JSON.stringify({ ...read(storage), ...changes }));
      } catch {
        // A full or forbidden storage: remembered as long as the page is open.
      }
    },
  };
}

/** The page's own storage; null where the browser forbids it. */
export function pageStorage(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

/** True for a device with a mouse, and so with a keyboard: a focus brings up none on the screen. */
export function opensNoKeyboard(): boolean {
  return matchMedia('(hover: hover) and (pointer: fine)').matches;
}

/** True for a telephone or tablet, which has no keys to press. */
export function hasNoKeys(): boolean {
  return globalThis.matchMedia?.('(hover: none) and (pointer: coarse)').matches;
}

/** Options of a recording, by the settings. */
export function sessionOptionsOf(settings: Settings): GivenSessionOptions {
  const { language, removePii, fixSpelling, fast, preset, live, insertsAtPause } = settings;
  const insert = live !== false && insertsAtPause ? 'at-pause' : 'at-stop';
  return { language, removePii, fixSpelling, fast, live, insert, vad: VAD_PRESETS[preset] };
}

/**
 * The id of the microphone that was chosen, if it is connected: by id, or by name, since browsers
 * change ids. Null if none was chosen or it is not there; then the best one is chosen.
 */
export function chosenDeviceId(
  { deviceId, deviceLabel }: Pick<Settings, 'deviceId' | 'deviceLabel'>,
  devices: readonly MicrophoneDevice[],
): string | null {
  if (deviceId === '') return null;
  // Not read yet: the id is all there is to go by, and one that is not there is not insisted on.
  if (devices.length === 0) return deviceId;
  const byId = devices.find((device) => device.deviceId === deviceId);
  const byName = devices.find(({ label }) => label !== '' && label === deviceLabel);
  return (byId ?? byName)?.deviceId ?? null;
}

function read(storage: Pick<Storage, 'getItem'> | null): Settings {
  const first = { ...DEFAULT_SETTINGS, interfaceLanguage: browserLanguage() };
  try {
    const kept: unknown = JSON.parse(storage?.getItem(STORAGE_KEY) ?? 'null');
    return kept instanceof Object
      ? { ...first, ...checked(kept as Readonly<Record<string, unknown>>) }
      : first;
  } catch {
    return first;
  }
}

/** The interface's language for the browser's; Swedish where there is no browser, as in the build. */
function browserLanguage(): InterfaceLanguage {
  const { language = 'sv' } = globalThis.navigator ?? {};
  return /^(?:sv|nb|nn|no|da)\b/.test(language) ? 'sv' : 'en';
}

/** Stored values of the right kind. */
function checked(kept: Readonly<Record<string, unknown>>): Partial<Settings> {
  const fits = (key: string, value: unknown): boolean => {
    if (key === 'live') return value === 'auto' || typeof value === 'boolean';
    if (key === 'preset') return typeof value === 'string' && Object.hasOwn(VAD_PRESETS, value);
    if (key === 'spacing') return value === 'spec' || value === 'smart';
    if (key === 'keepRecordings') return KEEP_HOURS.some((hours) => hours === value);
    if (key === 'interfaceLanguage') {
      return typeof value === 'string' && Object.hasOwn(INTERFACE_LANGUAGES, value);
    }
    return typeof value === typeof DEFAULT_SETTINGS[key as keyof Settings];
  };
  const known = Object.keys(DEFAULT_SETTINGS).filter((key) => fits(key, kept[key]));
  return Object.fromEntries(known.map((key) => [key, kept[key]]));
}

const ACCOUNT_KEY = 'diktera:account';

/**
 * The account signed in by the server's page, which sets this beside the token that no script can
 * read; null if there is none.
 */
export function signedIn(): string | null {
  return /(?:^|; )diktera_signed_in=([^;]+)/.exec(document.cookie)?.[1] ?? null;
}

let account: string | null | undefined;

/**
 * The account that dictates on this page for as long as it is open. A page opened without a network
 * in a new browser session belongs to the last account here; signing out forgets it.
 */
export function pageAccount(): string | null {
  account ??= signedIn() ?? (navigator.serviceWorker?.controller ? stored() : null);
  try {
    if (account) pageStorage()?.setItem(ACCOUNT_KEY, account);
  } catch {
    // Storage is refused: the next start without a network has no account.
  }
  return account;
}

function stored(): string | null {
  return pageStorage()?.getItem(ACCOUNT_KEY) ?? null;
}

/** Forgets the account at signing out. */
export function forgetAccount(): void {
  pageStorage()?.removeItem(ACCOUNT_KEY);
}
