import type { HeardWord, TimedPart } from '../engine/engine-port.ts';

/** A run of characters without a space, and where it stands. */
type Token = { readonly key: string; readonly start: number; readonly end: number };

/** A word as it was heard, with the number of its part and, where the engine told it, its time. */
type HeardToken = {
  readonly key: string;
  readonly part: number;
  readonly word: HeardWord | null;
};

/** So far one looks for the next word that both have. Rules change a few words at a time. */
const LOOK_AHEAD = 24;

const keyOf = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/**
 * The parts of `text`, with the times at which their words were heard. The text rules have changed
 * `text` since, and may have taken out what nobody is to see: nothing of the engine's own words is
 * in the answer. A word that stands in place of others has the time of all of them, and no
 * certainty. Linear time.
 */
export function timeText(text: string, parts: readonly TimedPart[]): readonly TimedPart[] {
  const tokens = [...text.matchAll(/\S+/g)].map(
    ({ 0: word, index }): Token => ({ key: keyOf(word), start: index, end: index + word.length }),
  );
  const heard = parts.flatMap(heardTokens);
  if (tokens.length === 0 || heard.length === 0) return [];
  const matches = matchTokens(tokens, heard);
  const partOf = partsOf(matches, heard);
  const times = timesOf(matches, heard);
  return parts.flatMap((part, number): TimedPart[] => {
    const first = partOf.indexOf(number);
    if (first < 0) return [];
    const last = partOf.lastIndexOf(number);
    const [from, to] = [tokens[first]?.start ?? 0, tokens[last]?.end ?? 0];
    const { startMs, endMs } = part;
    const plain = { text: text.slice(from, to), startMs, endMs };
    if (part.words === undefined) return [plain];
    const words = tokens.slice(first, last + 1).map((token, at) => ({
      text: text.slice(token.start, token.end),
      ...(times[first + at] ?? { startMs, endMs: startMs }),
    }));
    return [{ ...plain, words }];
  });
}

function heardTokens({ text, words }: TimedPart, part: number): HeardToken[] {
  if (words !== undefined) {
    return words.map((word) => ({ key: keyOf(word.text), part, word }));
  }
  return [...text.matchAll(/\S+/g)].map(({ 0: word }) => ({ key: keyOf(word), part, word: null }));
}

/** For each word of the text the number of the heard word that it is; null where it is another. */
function matchTokens(
  tokens: readonly Token[],
  heard: readonly HeardToken[],
): readonly (number | null)[] {
  const matches: (number | null)[] = [];
  let at = 0;
  while (matches.length < tokens.length) {
    const [skipped, behind] = nextInBoth(tokens, matches.length, heard, at);
    for (let count = 0; count < skipped && matches.length < tokens.length; count++) {
      matches.push(null);
    }
    at += behind;
    if (matches.length < tokens.length && tokens[matches.length]?.key === heard[at]?.key) {
      matches.push(at);
      at++;
    }
  }
  return matches;
}

/** How many words of each are passed until both have the same; one of each where none is near. */
function nextInBoth(
  tokens: readonly Token[],
  from: number,
  heard: readonly HeardToken[],
  at: number,
): readonly [number, number] {
  for (let distance = 0; distance <= LOOK_AHEAD; distance++) {
    for (let skipped = 0; skipped <= distance; skipped++) {
      const behind = distance - skipped;
      const key = tokens[from + skipped]?.key;
      if (key !== undefined && key !== '' && key === heard[at + behind]?.key) {
        return [skipped, behind];
      }
    }
  }
  return [1, 1];
}

/** The part of each word: that of the heard word it is, else that of the one before. */
function partsOf(
  matches: readonly (number | null)[],
  heard: readonly HeardToken[],
): readonly number[] {
  const firstMatch = matches.find((match) => match !== null);
  let part = heard[firstMatch ?? 0]?.part ?? 0;
  return matches.map((match) => {
    if (match !== null) part = heard[match]?.part ?? part;
    return part;
  });
}

type Time = Pick<HeardWord, 'startMs' | 'endMs' | 'certainty'>;

/**
 * Where each word was heard. Those that were put in for others were heard where those were; null
 * where no time is known.
 */
function timesOf(
  matches: readonly (number | null)[],
  heard: readonly HeardToken[],
): readonly (Time | null)[] {
  const times: (Time | null)[] = [];
  let before = -1;
  while (times.length < matches.length) {
    const match = matches[times.length] ?? null;
    if (match !== null) {
      times.push(timeOf(heard[match]?.word ?? null));
      before = match;
      continue;
    }
    let to = times.length;
    while (to < matches.length && (matches[to] ?? null) === null) to++;
    const time = spanOf(heard, before, matches[to] ?? heard.length);
    while (times.length < to) times.push(time);
  }
  return times;
}

function timeOf(word: HeardWord | null): Time | null {
  if (word === null) return null;
  const { startMs, endMs, certainty } = word;
  return { startMs, endMs, ...(certainty !== undefined && { certainty }) };
}

/** From the first to the last word between two; a moment where there is none. */
function spanOf(heard: readonly HeardToken[], before: number, after: number): Time | null {
  const others = heard.slice(before + 1, after).flatMap(({ word }) => word ?? []);
  const [first, last] = [others[0], others.at(-1)];
  if (first !== undefined && last !== undefined) {
    return { startMs: first.startMs, endMs: last.endMs };
  }
  const endMs = heard[before]?.word?.endMs;
  return endMs === undefined ? null : { startMs: endMs, endMs };
}

/** A line of subtitles: a second or two of reading, and no longer on the screen than this. */
const MOST_CUE_CHARACTERS = 84;
const MOST_CUE_MS = 7_000;
const MOST_LINE_CHARACTERS = 42;

/** The cues of subtitles: split between words where their times are known, else whole parts. */
function cuesOf(parts: readonly TimedPart[]): TimedPart[] {
  return parts.flatMap((part) => {
    if (part.words === undefined) return [part];
    const cues: { text: string; startMs: number; endMs: number }[] = [];
    for (const { text, startMs, endMs } of part.words) {
      const cue = cues.at(-1);
      const isFull =
        cue === undefined ||
        cue.text.length + 1 + text.length > MOST_CUE_CHARACTERS ||
        endMs - cue.startMs > MOST_CUE_MS ||
        (/[.!?]$/.test(cue.text) && cue.text.length > MOST_LINE_CHARACTERS);
      if (isFull) cues.push({ text, startMs, endMs });
      else {
        cue.text += ` ${text}`;
        cue.endMs = endMs;
      }
    }
    return cues;
  });
}

/** At most so many characters a line, if the words allow it; no blank line, which would end a cue. */
function linesOf(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > MOST_LINE_CHARACTERS)
      lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.join('\n');
}

function clockOf(ms: number, mark: ',' | '.'): string {
  const whole = Math.max(0, Math.round(ms));
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const time = `${two(whole / 3_600_000)}:${two((whole / 60_000) % 60)}:${two((whole / 1_000) % 60)}`;
  return `${time}${mark}${String(whole % 1_000).padStart(3, '0')}`;
}

/** SubRip; '' without words. */
export function srtOf(parts: readonly TimedPart[]): string {
  return cuesOf(parts)
    .map(
      ({ text, startMs, endMs }, at) =>
        `${at + 1}\n${clockOf(startMs, ',')} --> ${clockOf(endMs, ',')}\n${linesOf(text)}\n\n`,
    )
    .join('');
}

/** WebVTT; its head alone without words. */
export function vttOf(parts: readonly TimedPart[]): string {
  // These mean something to a player: an arrow ends a cue, the others begin marks.
  const escaped = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const cues = cuesOf(parts).map(
    ({ text, startMs, endMs }) =>
      `${clockOf(startMs, '.')} --> ${clockOf(endMs, '.')}\n${escaped(linesOf(text))}\n\n`,
  );
  return `WEBVTT\n\n${cues.join('')}`;
}
