import { useEffect, useMemo, useRef, useState } from 'react';
import type { FilesStrings } from './files-strings-sv.ts';
import type { TimedPart, TimedWord } from './formats.ts';

type FileWordsProps = {
  readonly file: File;
  readonly parts: readonly TimedPart[];
  readonly strings: FilesStrings;
};

/** A file's text to be read and listened to, from any word on; fetched and drawn when opened. */
export function FileWords({ file, parts, strings }: FileWordsProps) {
  const audio = useRef<HTMLAudioElement>(null);
  const [url, setUrl] = useState<string>();
  const unsure = useMemo(() => unsureWords(parts), [parts]);
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  const playFrom = (ms: number): void => {
    if (!audio.current) return;
    audio.current.currentTime = ms / 1_000;
    // A file that only the server can read is not heard here.
    audio.current.play().catch(() => {});
  };
  return (
    <div className="file-words">
      {/* biome-ignore lint/a11y/useMediaCaption: its words stand below. */}
      <audio ref={audio} controls src={url} aria-label={strings.listen} />
      {unsure.size > 0 && <p className="file-words-help">{strings.unsureHelp}</p>}
      {parts.map((part) => (
        <p key={part.startMs}>
          <button
            type="button"
            className="file-time"
            aria-label={strings.playFrom(clock(part.startMs))}
            onClick={() => playFrom(part.startMs)}
          >
            {clock(part.startMs)}
          </button>
          {part.words.length === 0
            ? ` ${part.text}`
            : part.words.map((word) => (
                <Word
                  key={word.startMs}
                  word={word}
                  isUnsure={unsure.has(word)}
                  unsure={strings.unsure}
                  onPlay={playFrom}
                />
              ))}
        </p>
      ))}
    </div>
  );
}

type WordProps = {
  readonly word: TimedWord;
  readonly isUnsure: boolean;
  /** Said of one that is. */
  readonly unsure: string;
  readonly onPlay: (ms: number) => void;
};

/** By keys one plays from the time before it: a stop at each word would be one too many. */
function Word({ word, isUnsure, unsure, onPlay }: WordProps) {
  const { text, startMs } = word;
  const Mark = isUnsure ? 'mark' : 'span';
  return (
    <>
      {' '}
      <Mark title={isUnsure ? unsure : undefined} onClick={() => onPlay(startMs)}>
        {text}
      </Mark>
    </>
  );
}

/** The share of words that is marked, and of those that must not be wrong. */
const MARKED = 0.03;
const MARKED_OF_WEIGHT = 0.1;
/** A word that the engine is this sure of is marked in no file. */
const SURE = 0.9;

/** A number, or a word that turns a sentence round. */
const WEIGHT = /\d|^(?:inte|ej|ingen|inget|inga|aldrig|utan|no|not|none|never|without)\b|n['’]t\b/i;

/**
 * The words that the engine was least sure of, and more of those that must not be wrong. None where it
 * tells nothing.
 */
export function unsureWords(parts: readonly TimedPart[]): ReadonlySet<TimedWord> {
  const told = parts
    .flatMap(({ words }) => words)
    .filter(({ certainty }) => certainty !== undefined)
    .sort((a, b) => (a.certainty ?? 1) - (b.certainty ?? 1));
  const most = (share: number): number => Math.ceil(told.length * share);
  return new Set(
    told.filter(
      ({ text, certainty = 1 }, rank) =>
        certainty < SURE && rank < most(WEIGHT.test(text) ? MARKED_OF_WEIGHT : MARKED),
    ),
  );
}

/** `1:02:03`, or `2:03`. */
function clock(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(seconds % 60)}`
    : `${minutes}:${two(seconds % 60)}`;
}
