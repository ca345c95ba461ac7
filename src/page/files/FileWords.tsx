import { useEffect, useMemo, useRef, useState } from 'react';
import type { WordTime } from '../../core/word-time.ts';
import type { TimedPart } from '../../files/file-texts.ts';
import { useListStrings } from '../../widget/dictation-words.ts';
import { HeardWords, unsureWords } from '../../widget/HeardWords.tsx';
import type { FilesStrings } from './files-strings-sv.ts';
import { clock } from './formats.ts';

type FileWordsProps = {
  readonly file: File;
  readonly parts: readonly TimedPart[];
  /** Words that may be misheard are marked. */
  readonly marksUnsure: boolean;
  readonly strings: FilesStrings;
};

/** A file's text to be read and listened to, from any word on; fetched and drawn when opened. */
export function FileWords({ file, parts, marksUnsure, strings }: FileWordsProps) {
  const audio = useRef<HTMLAudioElement>(null);
  const [url, setUrl] = useState<string>();
  const listStrings = useListStrings();
  const texts = useMemo(() => parts.map(heardIn), [parts]);
  const unsure = useMemo(
    () => (marksUnsure ? unsureWords(texts) : new Set<WordTime>()),
    [marksUnsure, texts],
  );
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
      {unsure.size > 0 && <p className="file-words-help">{listStrings.unsureHelp}</p>}
      {texts.map(({ part, ...heard }) => (
        <p key={part.startMs}>
          <button
            type="button"
            className="file-time"
            aria-label={strings.playFrom(clock(part.startMs))}
            onClick={() => playFrom(part.startMs)}
          >
            {clock(part.startMs)}
          </button>{' '}
          <HeardWords
            {...heard}
            unsure={unsure}
            unsureText={listStrings.unsure}
            onPlay={playFrom}
          />
        </p>
      ))}
    </div>
  );
}

/** A part's words, where the engine tells their times. */
function heardIn(part: TimedPart) {
  const { text, words } = part;
  return words.length === 0
    ? { part, text, times: [] }
    : { part, text: words.map((word) => word.text).join(' '), times: words };
}
