import type { FrameSettings } from './settings.ts';

/** What is asked of the service worker; all by `chrome.runtime.sendMessage`. */
export type Question =
  /** The offscreen document is wanted: it is there when this is answered. */
  | { readonly kind: 'wake' }
  /** A frame asks what holds for its site. */
  | { readonly kind: 'frame-settings' }
  /** The offscreen document tells, for the badge. */
  | { readonly kind: 'recording'; readonly isRecording: boolean }
  /** The microphone was refused to the extension, which the person is to see. */
  | { readonly kind: 'microphone-denied' }
  /**
   * A frame whose field takes no text from outside asks that one dictates all the same: the page's
   * top frame shows the panel. 'end' ends what is recorded, 'toggle' that or begins.
   */
  | { readonly kind: 'without-field'; readonly wish: 'toggle' | 'end' };

/** Why a text goes into no field of a page: it draws its text itself, or no field has the focus. */
export type PanelReason = 'drawn' | 'no-field';

export type QuestionAnswers = {
  readonly wake: true;
  readonly 'frame-settings': FrameSettings;
  readonly recording: null;
  readonly 'microphone-denied': null;
  readonly 'without-field': null;
};

/** What the service worker and the popup ask the frames of a tab; the one that is meant answers. */
export type FrameCommand =
  /** Starts in the field that has the focus, or ends what is recorded there: true, or why not. */
  | { readonly kind: 'toggle' }
  /** Starts with a panel that offers the text for copying; for the page's top frame. */
  | { readonly kind: 'panel'; readonly why: PanelReason }
  /** Puts a text into the field that had the focus last; for the frame of it, see `lastFrame`. */
  | { readonly kind: 'insert'; readonly text: string }
  /** The host of the tab's page. */
  | { readonly kind: 'where' };

/** What the service worker asks the offscreen document. */
export type OffscreenCommand =
  /** The settings have changed, or are asked for: they come in the message. */
  | { readonly kind: 'offscreen-settings'; readonly settings: unknown }
  /** Ends what is recorded; true if something was. */
  | { readonly kind: 'offscreen-stop' }
  /** Records without a field. */
  | { readonly kind: 'offscreen-start' };

/** In every frame that is reached. */
export const FRAME_SCRIPT = 'content.js';

/** The hosts that the person may let the extension into at once. */
export const ALL_SITES = { origins: ['<all_urls>'] } as const;

/** Puts the frames' script into a tab whose pages are in reach; a frame that has it stays as it is. */
export async function reachTab(tabId: number): Promise<void> {
  await chrome.scripting.executeScript({
    target: { tabId, allFrames: true },
    files: [FRAME_SCRIPT],
    injectImmediately: true,
  });
}

/**
 * Asks the frames of a tab, or its top frame, and reaches them first where nobody listens yet: the
 * person has pressed the button or the key. Null where nobody answers, as in the browser's own pages.
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

/** What the script of a frame leaves for those that are put in later, in a world of their own. */
export type FrameGlobals = {
  /** Aborted when the extension is gone. */
  dikteraListening?: AbortController;
  /** When a field had the focus last, in ms since 1970; 1 for one that had it before, 0 for none. */
  dikteraFocusedAtMs?: number;
};

/**
 * The frame of a tab whose field had the focus last; null where there is none, or nobody knows which
 * of some. A text that all frames were given would go into a field of each.
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
