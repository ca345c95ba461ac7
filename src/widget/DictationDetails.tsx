import { Clipboard, Download, RotateCw, TextCursorInput, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { Recording, Transcript } from '../core/recordings/recording.ts';
import { Choice } from './Choice.tsx';
import { type Actions, Tool, TryTool, type WithDictation } from './DictationTools.tsx';
import { languageChoices } from './language-choices.ts';
import { useListStrings } from './list-strings.ts';
import type { ListStrings } from './list-strings-sv.ts';
import { useLatest } from './use-latest.ts';
import { useSnapshot } from './use-snapshot.ts';

/** All of its texts, one at a time, and all that can be done with it. */
export function DictationDetails({ entry, dictation, actions }: WithDictation) {
  const strings = useListStrings();
  const { can, recording } = entry;
  const transcripts = useTranscripts(dictation, recording, actions.attempt);
  /** The number of the text looked at; null for the newest. */
  const [chosen, setChosen] = useState<number | null>(null);
  // Of what waits that is looked at, of what needs review all that it was said in.
  const isOwn = entry.text !== '' && !(entry.state.kind === 'review' && transcripts.length > 0);
  const at = chosen ?? transcripts.length - 1;
  const text = isOwn ? entry.text : (transcripts[at]?.text ?? '');
  return (
    <div className="dictation-details">
      {!isOwn && transcripts.length > 1 && (
        <Choice
          label={strings.versions}
          value={String(at)}
          choices={transcripts
            .map((each, number) => [String(number), versionName(each, strings)] as const)
            .toReversed()}
          onChange={(number) => setChosen(Number(number))}
        />
      )}
      {text !== '' && <p className="dictation-text">{text}</p>}
      <div className="dictation-tools">
        {text !== '' && (can.has('insert') || !isOwn) && (
          <Tool
            label={strings.insert}
            icon={TextCursorInput}
            actions={actions}
            work={() => actions.insert(text)}
            isDone={actions.done === 'inserted'}
          />
        )}
        {text !== '' && (
          <Tool
            label={strings.copy}
            icon={Clipboard}
            actions={actions}
            work={() => actions.copy(text)}
            isDone={actions.done === 'copied'}
          />
        )}
        {can.has('try') && <TryTool entry={entry} actions={actions} />}
        {can.has('save') && (
          <Tool
            label={strings.download}
            icon={Download}
            actions={actions}
            work={actions.save}
            look="is-quiet"
          />
        )}
        <Tool
          label={strings.remove}
          icon={Trash2}
          actions={actions}
          work={actions.remove}
          look="is-quiet"
        />
      </div>
      {can.has('again') && recording && (
        <Again recording={recording} dictation={dictation} actions={actions} />
      )}
    </div>
  );
}

/** The texts, oldest first; fetched anew when there is another. */
function useTranscripts(
  dictation: Dictation,
  recording: Recording | null,
  attempt: Actions['attempt'],
): readonly Transcript[] {
  const [texts, setTexts] = useState<readonly Transcript[]>([]);
  const attemptLatest = useLatest(attempt);
  const id = recording?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the list says of them has changed.
  useEffect(() => {
    if (id === undefined) return;
    let isOver = false;
    attemptLatest()(async () => {
      const found = await dictation.recordings.transcripts(id);
      if (!isOver) setTexts(found);
      return true;
    });
    return () => {
      isOver = true;
    };
  }, [dictation, id, recording?.transcripts, recording?.firstWords]);
  return texts;
}

function versionName({ atMs, by }: Transcript, strings: ListStrings): string {
  const time = strings.time(new Date(atMs), new Date());
  if (by.kind === 'first') return strings.versionOf(time, strings.firstVersion);
  const language =
    by.language === '' ? strings.automaticLanguage('') : strings.languageName(by.language);
  return strings.versionOf(time, strings.newVersion(language));
}

const NO_LANGUAGES: readonly string[] = [];

type AgainProps = {
  readonly recording: Recording;
  readonly dictation: Dictation;
  readonly actions: Actions;
};

/** Has it written down again, in a language of those that the server knows. */
function Again({ recording, dictation, actions }: AgainProps) {
  const strings = useListStrings();
  const [language, setLanguage] = useState(recording.options.language);
  const languages = useSnapshot(dictation, ({ server }) =>
    server.kind === 'ready' ? server.languages : NO_LANGUAGES,
  );
  return (
    <div className="dictation-again">
      <Choice
        label={strings.language}
        value={language}
        choices={languageChoices(languages, recording.options.language, strings)}
        onChange={setLanguage}
      />
      <Tool
        label={strings.again}
        icon={RotateCw}
        actions={actions}
        work={() => actions.again({ language })}
        look="is-outlined"
      />
    </div>
  );
}
