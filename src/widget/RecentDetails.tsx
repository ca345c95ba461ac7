import { Check, Clipboard, Download, RotateCw, TextCursorInput, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { AudioFile } from '../core/contracts/worker-api.ts';
import type { Recording, Transcript } from '../core/recordings/recording.ts';
import { Choice } from './Choice.tsx';
import { languageChoices } from './language-choices.ts';
import { saveAudio, sortableTime } from './save-file.ts';
import { useStrings } from './strings.ts';
import type { Strings } from './strings-sv.ts';
import type { Done } from './use-done.ts';
import { useLatest } from './use-latest.ts';
import { useServerLanguages } from './use-server-languages.ts';

type RecentDetailsProps = {
  readonly recording: Recording;
  readonly dictation: Dictation;
  readonly timeText: string;
  readonly load: () => Promise<AudioFile | null>;
  readonly insert: (text: string) => Promise<boolean>;
  readonly copy: (text: string) => Promise<boolean>;
  readonly done: Done;
  readonly again: (language: string) => Promise<boolean>;
  /** Does it, and says so if it fails. */
  readonly attempt: (work: () => Promise<boolean>) => void;
  /** Told that it is about to be deleted. */
  readonly onRemove: () => void;
};

/** All of a recording's texts, one at a time, and all that can be done with it. */
export function RecentDetails(props: RecentDetailsProps) {
  const { recording, dictation, timeText, load, done, attempt } = props;
  const { recent: strings, waiting } = useStrings();
  const [language, setLanguage] = useState(recording.options.language);
  const languages = useServerLanguages(dictation);
  const texts = useTranscripts(dictation, recording, attempt);
  /** The number of the text looked at; null for the newest. */
  const [chosen, setChosen] = useState<number | null>(null);
  const at = chosen ?? texts.length - 1;
  const text = texts[at]?.text ?? '';
  const hasSound = recording.durationSamples > 0;
  const named = (action: string): string => `${action}, ${timeText}`;

  return (
    <div className="recent-details">
      {texts.length > 1 && (
        <Choice
          label={strings.texts}
          value={String(at)}
          choices={texts
            .map((each, number) => [String(number), textName(each, strings)] as const)
            .toReversed()}
          onChange={(number) => setChosen(Number(number))}
        />
      )}
      {text !== '' && <p className="recent-text">{text}</p>}
      <div className="waiting-tools">
        {text !== '' && (
          <>
            <button
              type="button"
              className={`tool ${done === 'inserted' ? 'is-done' : ''}`}
              aria-label={named(waiting.insert)}
              onClick={() => attempt(() => props.insert(text))}
            >
              {done === 'inserted' ? <Check aria-hidden /> : <TextCursorInput aria-hidden />}
              <span>{waiting.insert}</span>
            </button>
            <button
              type="button"
              className={`tool ${done === 'copied' ? 'is-done' : ''}`}
              aria-label={named(waiting.copy)}
              onClick={() => attempt(() => props.copy(text))}
            >
              {done === 'copied' ? <Check aria-hidden /> : <Clipboard aria-hidden />}
              <span>{waiting.copy}</span>
            </button>
          </>
        )}
        {hasSound && (
          <button
            type="button"
            className="tool is-quiet"
            aria-label={named(waiting.download)}
            onClick={() =>
              attempt(async () => {
                const file = await load();
                const time = sortableTime(new Date(recording.startedAtMs));
                if (file) saveAudio(file, waiting.fileName(time));
                return file !== null;
              })
            }
          >
            <Download aria-hidden />
            <span>{waiting.download}</span>
          </button>
        )}
        <button
          type="button"
          className="tool is-quiet"
          aria-label={named(waiting.remove)}
          onClick={() =>
            attempt(async () => {
              props.onRemove();
              await dictation.recordings.delete(recording.id);
              return true;
            })
          }
        >
          <Trash2 aria-hidden />
          <span>{waiting.remove}</span>
        </button>
      </div>
      {hasSound && (
        <div className="recent-again">
          <Choice
            label={strings.language}
            value={language}
            choices={languageChoices(languages, recording.options.language, strings)}
            onChange={setLanguage}
          />
          <button
            type="button"
            className="tool is-outlined"
            aria-label={named(strings.again)}
            onClick={() => attempt(() => props.again(language))}
          >
            <RotateCw aria-hidden />
            <span>{strings.again}</span>
          </button>
        </div>
      )}
    </div>
  );
}

/** The texts, oldest first; fetched anew when there is another. */
function useTranscripts(
  dictation: Dictation,
  { id, transcripts, firstWords }: Recording,
  attempt: RecentDetailsProps['attempt'],
): readonly Transcript[] {
  const [texts, setTexts] = useState<readonly Transcript[]>([]);
  const attemptLatest = useLatest(attempt);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the list says of them has changed.
  useEffect(() => {
    let isOver = false;
    attemptLatest()(async () => {
      const found = await dictation.recordings.transcripts(id);
      if (!isOver) setTexts(found);
      return true;
    });
    return () => {
      isOver = true;
    };
  }, [dictation, id, transcripts, firstWords]);
  return texts;
}

function textName({ atMs, by }: Transcript, strings: Strings['recent']): string {
  const time = strings.time(new Date(atMs), new Date());
  if (by.kind === 'first') return strings.textOf(time, strings.firstText);
  const language =
    by.language === '' ? strings.automaticLanguage('') : strings.languageName(by.language);
  return strings.textOf(time, strings.textAgain(language));
}
