import type { FrameSettings } from './settings.ts';

/** Requests to the service worker, sent with `chrome.runtime.sendMessage`. */
export type Question =
  /** Opens the offscreen document; answered once it is ready. */
  | { readonly kind: 'wake' }
  /** A frame asks for its site's settings. */
  | { readonly kind: 'frame-settings' }
  /** The offscreen document reports, for the badge. */
  | { readonly kind: 'recording'; readonly isRecording: boolean }
  /** The extension was denied the microphone: the person must be told. */
  | { readonly kind: 'microphone-denied' }
  /**
   * From a frame whose field takes no text from outside: dictate all the same, with the panel in
   * the page's top frame. `toggle` starts or ends a recording, `end` only ends one.
   */
  | { readonly kind: 'without-field'; readonly wish: 'toggle' | 'end' };

/**
 * The reason why no field gets the text: the page draws its text itself, or no field has the focus.
 */
export type PanelReason = 'drawn' | 'no-field';

export type QuestionAnswers = {
  /** Null where none could be started. */
  readonly wake: true | null;
  readonly 'frame-settings': FrameSettings;
  readonly recording: null;
  readonly 'microphone-denied': null;
  readonly 'without-field': null;
};

/**
 * Requests of the service worker and the popup to the frames of a tab; only the frame meant
 * answers.
 */
export type FrameCommand =
  /** Starts a recording in the focused field, or ends the one there. Answers true, or why not. */
  | { readonly kind: 'toggle' }
  /** Starts a recording with a panel that offers the text for copying; for the page's top frame. */
  | { readonly kind: 'panel'; readonly why: PanelReason }
  /**
   * Inserts a text into the field that had the focus last; for that field's frame, see `lastFrame`.
   */
  | { readonly kind: 'insert'; readonly text: string }
  /** The host of the tab's page. */
  | { readonly kind: 'where' };

/** Requests of the service worker to the offscreen document. */
export type OffscreenCommand =
  /** The settings, when they have changed or the document asked for them. */
  | { readonly kind: 'offscreen-settings'; readonly settings: unknown }
  /** True if it has settings and serves frames. */
  | { readonly kind: 'offscreen-ready' }
  /** Ends the recording; true if there was one. */
  | { readonly kind: 'offscreen-stop' }
  /** Starts a recording without a field. */
  | { readonly kind: 'offscreen-start' };

/** The script of every frame that the extension may reach. */
export const FRAME_SCRIPT = 'content.js';

/** The permission for all sites, which a person may grant. */
export const ALL_SITES = { origins: ['<all_urls>'] } as const;

/** Injects the script into a tab's reachable frames; does nothing in a frame that has it. */
export async function reachTab(tabId: number): Promise<void> {
  await chrome.scripting.executeScript({
    target: { tabId, allFrames: true },
    files: [FRAME_SCRIPT],
    injectImmediately: true,
  });
}

/**
 * Sends a command to the frames of a tab, or to its top frame only. If none listens yet, the script
 * is injected first: the person has pressed the button or the key. Null if none answers, as in the
 * browser's own pages.
 */
export async function askTab(
  tabId: number | undefined,
  command: FrameCommand,
  options: { readonly frameId?: number } = {},
): Promise<unknown> {
  if (tabId === undefined) return null;
  const send = () => chrome.tabs.sendMessage(tabId, command, options);
  return send()
    .catch(() => reachTab(tabId).then(send))
    .catch(() => null);
}

/**
 * State that a frame's first script leaves to scripts injected later, in the extension's own world.
 */
export type FrameGlobals = {
  /** Aborted when the extension is removed or updated. */
  dikteraListening?: AbortController;
  /** Time of the last focus of a field, in ms since 1970; 1: before the script came; 0: never. */
  dikteraFocusedAtMs?: number;
};

/**
 * The frame of a tab whose field had the focus last; null if there is none, or if several had it at
 * the same time. A text sent to all frames would be inserted in a field of each.
 */
export async function lastFrame(tabId: number): Promise<number | null> {
  const read = () => (globalThis as FrameGlobals).dikteraFocusedAtMs ?? 0;
  const target = { tabId, allFrames: true };
  const frames = await chrome.scripting
    .executeScript({ target, func: read, injectImmediately: true })
    .catch(() => []);
  const atMs = ({ result }: (typeof frames)[number]): number => Number(result ?? 0);
  const [last, next] = [...frames].sort((one, other) => atMs(other) - atMs(one));
  if (!last || atMs(last) === 0 || (next && atMs(next) === atMs(last))) return null;
  return last.frameId;
}

/** The name of the ports that dictations are led through. */
export const DICTATION_PORT = 'dictation';

/** Asks the service worker. Rejects where it is gone with the extension. */
export async function ask<Kind extends Question['kind']>(
  question: Extract<Question, { readonly kind: Kind }>,
): Promise<QuestionAnswers[Kind]> {
  return (await chrome.runtime.sendMessage(question)) as QuestionAnswers[Kind];
}
