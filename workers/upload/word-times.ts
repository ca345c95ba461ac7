import type { SampleRange } from '../../src/core/audio/audio-format.ts';
import type { ChunkText } from '../../src/core/queue/queue-item.ts';
import type { Transcript } from '../../src/core/recordings/recording.ts';
import type { StoredTranscript } from '../../src/core/recordings/recording-record.ts';
import { timesOfWords } from '../../src/core/text/time-text.ts';
import type { WordTime } from '../../src/core/word-time.ts';

// A worker fetches this when there are times. It shares no script with what is there already: WebKit
// would run that twice.

/** A word of what was heard; null where its time is not known. */
type Heard = { readonly text: string; readonly time: WordTime | null };

/**
 * Where in its dictation each word of an answer's text was said, as the answer's `parts` tell. Null
 * where they do not tell it of each: of other words they would say something wrong.
 */
export function timesIn(
  parts: unknown,
  text: string,
  ranges: readonly SampleRange[] | undefined,
): readonly WordTime[] | null {
  if (!Array.isArray(parts)) return null;
  const told = parts.flatMap((part) => {
    const { words } = Object(part) as Record<string, unknown>;
    return Array.isArray(words) ? words.map(wordIn) : [null];
  });
  const words = wordsIn(text);
  const isOfEach =
    told.length === words.length && told.every((word, at) => word?.text === words[at]);
  if (!isOfEach || words.length === 0) return null;
  return told.flatMap((word) => (word ? inDictation(word.time, ranges) : []));
}

function wordIn(given: unknown) {
  const { text, startMs, endMs, certainty } = Object(given) as Record<string, unknown>;
  if (typeof text !== 'string' || !isTime(startMs) || !isTime(endMs)) return null;
  const isTold = typeof certainty === 'number' && certainty >= 0 && certainty <= 1;
  return { text, time: { startMs, endMs, ...(isTold && { certainty }) } };
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value);
}

/**
 * Converts a time in the chunk to a time in the dictation, by adding the gaps between its ranges.
 */
function inDictation(time: WordTime, ranges: readonly SampleRange[] | undefined): WordTime {
  const shift = (ms: number): number => {
    let left = ms;
    for (const { startSample, endSample } of ranges ?? []) {
      const lengthMs = msOf(endSample - startSample);
      if (left <= lengthMs) return Math.round(msOf(startSample) + left);
      left -= lengthMs;
    }
    return Math.round(msOf(ranges?.at(-1)?.endSample ?? 0) + left);
  };
  return { ...time, startMs: shift(time.startMs), endMs: shift(time.endMs) };
}

/** Converts a time in the dictation to a time in the retained sound, which leaves the rest out. */
function inSound(time: WordTime, kept: readonly SampleRange[]): WordTime {
  const shift = (ms: number): number => {
    let playedMs = 0;
    for (const { startSample, endSample } of kept) {
      const [startMs, endMs] = [msOf(startSample), msOf(endSample)];
      if (ms < endMs) return Math.round(playedMs + Math.max(0, ms - startMs));
      playedMs += endMs - startMs;
    }
    return Math.round(playedMs);
  };
  return { ...time, startMs: shift(time.startMs), endMs: shift(time.endMs) };
}

const SAMPLES_PER_MS = 16;

const msOf = (samples: number): number => samples / SAMPLES_PER_MS;

const wordsIn = (text: string): readonly string[] => text.match(/\S+/g) ?? [];

function heardWords(heard: string, times: readonly (WordTime | null)[] | undefined): Heard[] {
  const words = wordsIn(heard);
  const known = times?.length === words.length ? times : [];
  return words.map((text, at) => ({ text, time: known[at] ?? null }));
}

/** The time of each word heard in these chunks, one after the other. */
export function heardTimes(chunks: readonly ChunkText[]): readonly (WordTime | null)[] {
  return heardIn(chunks).map(({ time }) => time);
}

function heardIn(chunks: readonly ChunkText[]): readonly Heard[] {
  return chunks.flatMap(({ text, heard = text, times }) => heardWords(heard, times));
}

/**
 * All texts of a recording, with the times of their words in what is `kept` of its sound. The first
 * text is that of the `chunks` that stand.
 */
export function timedTranscripts(
  transcripts: readonly StoredTranscript[],
  chunks: readonly ChunkText[],
  kept: readonly SampleRange[],
): readonly Transcript[] {
  let heard = heardIn(chunks);
  return transcripts.map(({ heardTimes: given, ...transcript }) => {
    const { text, by } = transcript;
    // The rules are applied to what was heard for the text before.
    if (by.kind === 'again') heard = heardWords(transcript.heard ?? text, given);
    const times = timesOfWords(text, heard).map((time) => time && inSound(time, kept));
    return times.some((time) => time !== null) ? { ...transcript, times } : transcript;
  });
}
