import type { HeardWord, TimedPart } from './time-text.ts';

/** A line of subtitles: a second or two of reading, and no longer on the screen than this. */
const MOST_CUE_CHARACTERS = 84;
const MOST_CUE_MS = 7_000;
const MOST_LINE_CHARACTERS = 42;

/** A cue that is shown for less is not seen. */
const LEAST_CUE_MS = 100;

type Cue = { text: string; startMs: number; endMs: number };

/** The cues of subtitles: split between words where their times are known, else whole parts. */
function cuesOf(parts: readonly TimedPart[]): readonly Cue[] {
  const cues = parts.flatMap(({ words = [], text, startMs, endMs }) =>
    words.length > 0 ? cuesOfWords(words) : [{ text, startMs, endMs }],
  );
  return inOrder(cues.filter(({ text }) => text.trim() !== ''));
}

/** Engines tell times that overlap, or of no length: players show such cues at once, or never. */
function inOrder(cues: readonly Cue[]): readonly Cue[] {
  let last: Cue | undefined;
  return cues.map(({ text, ...told }) => {
    const startMs = Math.max(told.startMs, (last?.startMs ?? -LEAST_CUE_MS) + LEAST_CUE_MS);
    if (last !== undefined) last.endMs = Math.min(last.endMs, startMs);
    last = { text, startMs, endMs: Math.max(told.endMs, startMs + LEAST_CUE_MS) };
    return last;
  });
}

function cuesOfWords(words: readonly HeardWord[]): readonly Cue[] {
  const cues: Cue[] = [];
  for (const { text, startMs, endMs } of words) {
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
}

/** At most so many characters a line, if the words allow it; no blank line, which would end a cue. */
function linesOf(text: string): string {
  const lines: string[] = [];
  for (const word of text.trim().split(/\s+/)) {
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
