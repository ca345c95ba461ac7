import { writeNumbers } from '../core/text/numbers.ts';
import { withBorrowedFocus } from './borrowed-focus.ts';
import { acceptsText } from './dom.ts';
import type { InsertOutcome } from './editable-field.ts';
import { withScrollKept } from './kept-view.ts';
import { followPlacedText, type PageTurn, untilPageHadItsTurn } from './page-turn.ts';
import type { SavedCursor, SavedCursors } from './saved-cursors.ts';
import { typeText } from './type-text.ts';

export type ValueInputPorts = {
  /** An input of type email or number. */
  readonly element: HTMLInputElement;
  /** They stand at all of the value: where its caret is no script may know. */
  readonly cursors: SavedCursors;
  readonly turn: PageTurn;
  /** The language that was spoken; undefined where nobody knows. */
  readonly language: string | undefined;
};

/**
 * Inserts a dictated text that is an email address, or a number, in the form that the input takes. A
 * number takes the place of the one that stood there; an address likewise, or goes behind what is a
 * part of it, or behind other addresses. Any other text is refused, and so is one for which the value
 * that the user has written meanwhile would have to go. It is one undo step.
 */
export async function insertValue(
  { element, cursors, turn, language }: ValueInputPorts,
  text: string,
  cursor: SavedCursor | null,
): Promise<InsertOutcome> {
  const place = cursor && cursors.find(cursor);
  if (!cursor || !place) return { kind: 'outside' };
  if (!acceptsText(element)) return { kind: 'not-editable' };
  const before = element.value;
  const wanted = wantedValue(element, text, language);
  const isAsBefore = place.end - place.start === before.length && !element.validity.badInput;
  const isKept = before !== '' && wanted?.startsWith(before);
  if (wanted === null || !(isAsBefore || isKept)) return { kind: 'refused' };
  if (element.maxLength >= 0 && wanted.length > element.maxLength) return { kind: 'no-room' };

  const put = withScrollKept(element, () =>
    withBorrowedFocus(element, () => {
      cursors.insertAt(cursor, () => replaceValue(element, wanted));
      return true;
    }),
  );
  if (put === null) return { kind: 'deferred' };
  const placed = followPlacedText({ before: '', replaced: before, text: wanted, after: '' });
  const surface = { element, readText: () => element.value };
  const left = await untilPageHadItsTurn(surface, placed, turn);
  if (left === 'gone' && wanted !== before) return { kind: 'refused' };
  cursor.release();
  return { kind: left === 'altered' ? 'altered' : 'inserted', text: wanted };
}

function wantedValue(
  { type, value, multiple }: HTMLInputElement,
  text: string,
  language?: string,
): string | null {
  return type === 'number'
    ? numberOf(text, language)
    : addressesWith(value, addressOf(text), multiple);
}

/** Types the value as the user would; where the browser takes it otherwise it is set. */
function replaceValue(element: HTMLInputElement, value: string): void {
  const before = element.value;
  if (before === value) return;
  element.select();
  typeText(element, value);
  const isTaken = element.value !== before && !element.validity.badInput;
  if (isTaken || element.value === value) return;
  // Past the setter by which frameworks (React) know of what they have set themselves.
  const { prototype } = HTMLInputElement;
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(element, value);
  const inputType = 'insertReplacementText';
  element.dispatchEvent(new InputEvent('input', { inputType, bubbles: true, composed: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
}

/** A number in the form of a value: "12,5" is "12.5". Null for what is none, or may be two. */
function numberOf(text: string, language = ''): string | null {
  const isEnglish = /^en\b/i.test(language);
  const bare = text.trim().replace(/[.,!]$/, '');
  // Small numbers stay words where they are not counted by a unit.
  const written = writeNumbers(`${bare.toLowerCase()} kilo`, language).replace(/ (?:kilo|kg)$/, '');
  const signed = written.replace(/^(?:minus |[−–])(?=\d)/, '-');
  const digits = signed.replace(/(?<=\d)[ \u00a0\u202f](?=\d{3}(?!\d))/g, '');
  const grouped = isEnglish ? digits.replace(/(?<=\d),(?=\d{3}(?!\d))/g, '') : digits;
  // One thousand to some, and one to others.
  const mayBeTwo = language === '' ? /[.,]\d{3}$/ : isEnglish ? /,/ : /\.\d{3}$/;
  if (mayBeTwo.test(grouped) || !/^-?\d+(?:[.,]\d+)?$/.test(grouped)) return null;
  return grouped.replace(',', '.');
}

/** Signs of an address as they are said. */
const SAID: Readonly<Record<string, string>> = {
  'snabel-a': '@',
  snabela: '@',
  at: '@',
  punkt: '.',
  dot: '.',
  bindestreck: '-',
  dash: '-',
  hyphen: '-',
  understreck: '_',
  underscore: '_',
};

/** An address, or a part of one, as it was said. */
function addressOf(text: string): string {
  const words = text
    .trim()
    .replace(/[.,!?]$/, '')
    .toLowerCase()
    .replace(/snabel a\b/g, 'snabel-a')
    .split(/\s+/);
  return words
    .map((word) => SAID[word] ?? word)
    .join(' ')
    .replace(/ ?([@._-]) ?/g, '$1');
}

/** The value with an address that was said; null where that makes none. */
function addressesWith(value: string, said: string, isMany: boolean): string | null {
  const goesOn = /[@._-]$/.test(value) || /^[@.]/.test(said);
  const joined = value !== '' && goesOn ? value + said : null;
  const beside = isMany && value !== '' ? `${value},${said}` : said;
  return [joined, beside].find((each) => each !== null && isValid(each, isMany)) ?? null;
}

/** The browser's own judgement. */
function isValid(value: string, isMany: boolean): boolean {
  const probe = document.createElement('input');
  probe.type = 'email';
  probe.multiple = isMany;
  probe.value = value;
  return value.includes('@') && probe.value === value && probe.validity.valid;
}
