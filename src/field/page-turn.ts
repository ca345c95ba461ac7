import { findEdit, shiftOffset, shiftOffsetBehind } from './saved-cursors.ts';
import type { TextEdit, TextSurface } from './text-surface.ts';

/**
 * The time in which a page may change a text that was put in. Frameworks draw within a frame or two,
 * masks and formatters work in a short timer, and checks of a text are put off by 300 ms at most as
 * a rule. A person who reads the new text is no quicker than this.
 */
export const PAGE_TURN_MS = 350;

/** Events by which a user, or what a page does at once in answer, may change the text. */
const USER_EVENTS = ['beforeinput', 'keydown', 'paste', 'cut', 'drop', 'click'] as const;

export type PageTurn = {
  /** Its length, in ms. */
  readonly turnMs: number;
  /** Ends it early when aborted. */
  readonly signals: readonly AbortSignal[];
};

/**
 * Gives the page its turn after an insertion, and answers the fate of the text. The browser's own
 * events tell the user's changes from the page's.
 */
export async function untilPageHadItsTurn(
  surface: Pick<TextSurface, 'element' | 'readText'>,
  placed: PlacedText,
  { turnMs, signals }: PageTurn,
): Promise<Fate> {
  const { defaultView } = surface.element.ownerDocument;
  const listening = new AbortController();
  const options = { signal: listening.signal, capture: true, passive: true };
  /** The user's event is being handled: changes until its end are theirs. */
  let isUsersTurn = false;

  const endUsersTurn = (): void => {
    if (!isUsersTurn) return;
    isUsersTurn = false;
    placed.userChanged(surface.readText());
  };
  const compare = (): void => {
    if (isUsersTurn) endUsersTurn();
    else placed.pageChanged(surface.readText());
  };

  compare();
  // On the window: before anybody in the page has heard of it.
  for (const type of USER_EVENTS) {
    defaultView?.addEventListener(
      type,
      (event) => {
        if (!event.isTrusted) return;
        compare();
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
  compare();
  return placed.fate();
}

function mayEndWriting(event: Event): boolean {
  return event.type === 'click' || ('key' in event && event.key === 'Enter');
}

/**
 * The fate of a text that was put in. `stands`: all of it is there; `altered`: some of it is missing
 * or changed; `gone`: the field is as if it had never been put in.
 */
type Fate = 'stands' | 'altered' | 'gone';

/** A text that was put into another one, followed through what others do to the whole. */
type PlacedText = {
  /** The whole as the page's doing has left it. */
  pageChanged(now: string): void;
  /**
   * The whole text after the user's own changes. Their changes of the inserted text are respected.
   */
  userChanged(now: string): void;
  /**
   * The user has pressed a key or a button that may send the text off: a field emptied then has
   * been read.
   */
  userActed(): void;
  fate(): Fate;
};

/** `text` as it was put in between `before` and `after`, in place of `replaced`. */
type Placement = {
  readonly before: string;
  readonly replaced: string;
  readonly text: string;
  readonly after: string;
};

/** A character that no text has: it keeps the words on its two sides from being read as one. */
const GAP = '\uFFFF';

/** Follows a text from the moment when it was put in. Pure: it is told how the whole looks. */
export function followPlacedText({ before, replaced, text, after }: Placement): PlacedText {
  let words = text;
  let whole = before + text + after;
  let range = { start: before.length, end: before.length + text.length };
  /** The whole without what was put in. */
  let rest = before + GAP + after;
  /** Taken out for now: a page that draws later than it is told takes a text back at first. */
  let isOut = false;
  let isUntouched = true;
  let hasActed = false;

  // Counted, since the same words may stand there already.
  const stands = (now: string): boolean =>
    comparable(words) === '' || count(now, words) > count(rest, words);

  const setRange = (start: number, end: number): void => {
    range = { start, end };
    rest = whole.slice(0, start) + GAP + whole.slice(end);
  };

  return {
    pageChanged(now) {
      const edit = findEdit(whole, now, null);
      if (edit === null) return;
      const changed = { start: edit.start, end: edit.start + edit.inserted };
      const { start, end } = isOut ? changed : rangeAfter(range, edit);
      isOut = !stands(now);
      whole = now;
      if (isOut) {
        rest = whole;
        return;
      }
      const at = whole.indexOf(words, start);
      const isFound = at !== -1 && at + words.length <= end;
      setRange(isFound ? at : start, isFound ? at + words.length : end);
    },
    userChanged(now) {
      const edit = findEdit(whole, now, null);
      if (edit === null) return;
      isUntouched = false;
      whole = now;
      if (isOut) {
        rest = whole;
        return;
      }
      // Behind what is typed right before it, before what is typed right behind it.
      const start = shiftOffsetBehind(range.start, edit);
      const end = Math.max(start, shiftOffset(range.end, edit));
      setRange(start, end);
      words = whole.slice(start, end);
    },
    userActed() {
      hasActed = true;
    },
    fate() {
      if (stands(whole) || (hasActed && comparable(whole) === '')) return 'stands';
      const asBefore = [before + replaced + after, before + after].map(comparable);
      return isUntouched && asBefore.includes(comparable(whole)) ? 'gone' : 'altered';
    },
  };
}

/** Where a range lies after a change; one that the change touches takes in all that was changed. */
function rangeAfter({ start, end }: { start: number; end: number }, edit: TextEdit) {
  const editEnd = edit.start + edit.removed;
  const shift = edit.inserted - edit.removed;
  if (editEnd <= start && edit.start < start) return { start: start + shift, end: end + shift };
  if (edit.start >= end) return { start, end };
  return { start: Math.min(start, edit.start), end: Math.max(end, editEnd) + shift };
}

/**
 * A text as far as it matters: which words and signs, not in which case, nor which kind of white
 * space and how much. Pages trim, collapse and protect it, masks make capitals of it, and editors
 * have characters of no width beside it.
 */
function comparable(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\u200B\u2060\uFEFF]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toUpperCase();
}

function count(text: string, words: string): number {
  return comparable(text).split(comparable(words)).length - 1;
}
