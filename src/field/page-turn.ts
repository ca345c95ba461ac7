import type { Fate, PlacedText } from './placed-text.ts';
import type { TextSurface } from './text-surface.ts';

/**
 * How long a page is given to change what was put in. Frameworks draw within a frame or two, masks
 * and formatters work in a short timer, and the delays that checks of a text are put off by end at
 * 300 ms as a rule. Whoever reads what has just appeared is no quicker than this.
 */
export const PAGE_TURN_MS = 350;

/** Events by which a user, or what a page does at once in answer, may change the text. */
const USER_EVENTS = ['beforeinput', 'keydown', 'paste', 'cut', 'drop', 'click'] as const;

export type PageTurn = {
  /** How long it is, in ms. */
  readonly turnMs: number;
  /** Ends it early when aborted. */
  readonly signals: readonly AbortSignal[];
};

/**
 * Lets the page have its turn after an insertion, and answers what became of the text. What the
 * user does meanwhile is told from what the page does by the browser's own events.
 */
export async function untilPageHadItsTurn(
  surface: TextSurface,
  placed: PlacedText,
  { turnMs, signals }: PageTurn,
): Promise<Fate> {
  const { defaultView } = surface.element.ownerDocument;
  const listening = new AbortController();
  const options = { signal: listening.signal, capture: true, passive: true };
  /** The user's event is being worked off: what changes until its end is their doing. */
  let isUsersTurn = false;

  const endUsersTurn = (): void => {
    if (!isUsersTurn) return;
    isUsersTurn = false;
    placed.userChanged(surface.readText());
  };
  const look = (): void => {
    if (isUsersTurn) endUsersTurn();
    else placed.pageChanged(surface.readText());
  };

  look();
  // On the window: before anybody in the page has heard of it.
  for (const type of USER_EVENTS) {
    defaultView?.addEventListener(
      type,
      (event) => {
        if (!event.isTrusted) return;
        look();
        isUsersTurn = true;
        if (mayEndWriting(event)) placed.userActed();
        setTimeout(endUsersTurn);
      },
      options,
    );
  }
  // The browser has changed the text, and the page has not heard of it yet.
  defaultView?.addEventListener('input', endUsersTurn, options);

  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, turnMs);
    listening.signal.addEventListener('abort', () => clearTimeout(timer));
    for (const signal of signals) {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { signal: listening.signal });
    }
  });
  listening.abort();
  look();
  return placed.fate();
}

function mayEndWriting(event: Event): boolean {
  return event.type === 'click' || ('key' in event && event.key === 'Enter');
}
