import { endsShortened } from './fit-to-place.ts';
import { WORD } from './tokens.ts';

/** A spoken command that acts on the dictation instead of being written. */
export type ControlCommand = 'strike' | 'undo' | 'stop';

/** The words of each, by language. */
export const CONTROL: Readonly<Record<string, Readonly<Record<string, ControlCommand>>>> = {
  sv: {
    'stryk det': 'strike',
    'stryk det där': 'strike',
    ångra: 'undo',
    'ångra det': 'undo',
    stoppa: 'stop',
    'stoppa inspelningen': 'stop',
    'stoppa dikteringen': 'stop',
    'avsluta dikteringen': 'stop',
  },
  en: {
    'scratch that': 'strike',
    'strike that': 'strike',
    undo: 'undo',
    'undo that': 'undo',
    'stop dictation': 'stop',
    'stop dictating': 'stop',
    'stop recording': 'stop',
  },
};

/** Longer ones are no command. */
const MOST_CHARACTERS = 40;

function commandIn(text: string, code: string): ControlCommand | undefined {
  if (text.length >= MOST_CHARACTERS) return undefined;
  return CONTROL[code]?.[(text.match(WORD) ?? []).join(' ').toLowerCase()];
}

/** A sentence that is quoted, asked or in brackets is no order. */
const ORDER = /^\p{L}[\p{L} ]*[.!]?$/u;

/**
 * Separates commands from text in a live piece: the piece may be a command as a whole, or its last
 * sentences may strike out sentences before them ("Tre gånger om dagen. Stryk det."). A command
 * inside a piece counts only as a sentence that the recogniser set off, with nothing behind it:
 * after a comma it may be an order in a note. "Stoppa" counts only alone, since it would cut off a
 * speaker who goes on. `code` is `sv` or `en`. Linear time.
 */
export function controlled(
  text: string,
  code: string,
): { readonly text: string; readonly command: ControlCommand | null } {
  const whole = commandIn(text, code);
  if (whole !== undefined) return { text: '', command: whole };
  // Without one at its end, which is the rule, nothing more is looked at.
  if (!isStrike(sentenceAtEnd(text, code), code)) return { text, command: null };
  let left = text.trimEnd();
  let strikes = 0;
  for (let last = sentenceAtEnd(left, code); isStrike(last, code); ) {
    left = left.slice(0, left.length - last.length).trimEnd();
    strikes += 1;
    last = sentenceAtEnd(left, code);
  }
  for (; strikes > 0 && left !== ''; strikes -= 1) {
    left = left.slice(0, left.length - sentenceAtEnd(left, code).length).trimEnd();
  }
  // There was no sentence left for it here: the piece before goes.
  return { text: left, command: strikes > 0 ? 'strike' : null };
}

function isStrike(sentence: string, code: string): boolean {
  const command = ORDER.test(sentence) ? commandIn(sentence, code) : undefined;
  return command === 'strike' || command === 'undo';
}

/** A sentence's end, and how the next one begins. */
const END = /[.!?…]["”’»)]*$/;
const BEGINS = /^["“”«(]*[\p{Lu}\p{N}]/u;

/** The last sentence of a text that has no blanks at its end. */
function sentenceAtEnd(whole: string, code: string): string {
  const text = whole.trimEnd();
  for (let at = text.length - 1; at > 0; at -= 1) {
    if (!/\s/.test(text.charAt(at))) continue;
    const before = text.slice(Math.max(0, at - 16), at);
    if (text.charAt(at) !== '\n' && !END.test(before)) continue;
    const rest = text.slice(at + 1);
    // "Kl. 8", "t.ex. Waran": only an order has a sentence of its own behind a shortened word.
    const isBegun = BEGINS.test(rest.slice(0, 3)) && !endsShortened(before);
    if (isBegun || isStrike(rest, code)) return rest;
  }
  return text;
}
