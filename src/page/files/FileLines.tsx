import './files.css';
import { FileAudio, X } from 'lucide-react';
import { type RefObject, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { sleep } from '../../core/async.ts';
import type { Dictation } from '../../core/contracts/dictation.ts';
import { spokenLanguage } from '../../core/session/spoken-language.ts';
import type { EditableField } from '../../field/editable-field.ts';
import { browserClock } from '../../platform/browser-clock.ts';
import { fetchedLater } from '../../widget/fetched-later.tsx';
import { useLatest } from '../../widget/hooks.ts';
import { insertHere } from '../../widget/insertions.ts';
import { HEALTH_ADDRESS, likelyLanguages, useServer } from '../server.ts';
import { pageAccount, type SettingsStore, sessionOptionsOf } from '../settings.ts';
import { createFileJobs, type FileJob, type FileJobs, PASSING } from './file-jobs.ts';
import { filesStringsIn } from './files-strings-en.ts';
import type { FilesStrings } from './files-strings-sv.ts';
import { TEXT_FORMS, type TextForm, textFile, textName } from './formats.ts';

/** As for dictations: beside the page. */
const ADDRESS = 'api/asr/vad';

export type FileLinesProps = {
  /** All that were opened since the page came, in order. */
  readonly files: readonly File[];
  readonly dictation: Dictation;
  readonly settings: SettingsStore;
  readonly field: RefObject<EditableField | null>;
  /** Something was shared with the page that could not be taken. */
  readonly isShareLost: boolean;
};

/** The files that were opened: how far each is, and its text to be saved. */
export function FileLines(props: FileLinesProps) {
  const { files, dictation, settings, field } = props;
  const server = useLatest(useServer(dictation));
  const jobs = useMemo(() => {
    const now = settings.getSettings;
    return createFileJobs({
      address: ADDRESS,
      healthAddress: HEALTH_ADDRESS,
      field: () => field.current,
      isNoteFree: () => dictation.getSnapshot().session.phase === 'idle',
      spacing: () => now().spacing,
      async insertHere(text) {
        const { spacing } = now();
        return (
          field.current !== null && (await insertHere(field.current, text, { spacing })) !== false
        );
      },
      options() {
        const { language: chosen = '', removePii = true, ...given } = sessionOptionsOf(now());
        const { fixSpelling = true, fast = false } = given;
        const asked = { language: chosen, likelyLanguages: likelyLanguages() };
        const spoken = spokenLanguage(asked, server());
        if (spoken?.isMissing) return null;
        return { language: spoken?.language ?? chosen, removePii, fixSpelling, fast };
      },
      account: pageAccount,
      fetch: (...call) => fetch(...call),
      sleep: (ms, signal) => sleep(browserClock, ms, signal),
    });
  }, [dictation, server, settings, field]);
  const list = useSyncExternalStore(jobs.subscribe, jobs.list);
  const { interfaceLanguage, marksUnsure } = useSyncExternalStore(
    settings.subscribe,
    settings.getSettings,
  );
  const strings = filesStringsIn(interfaceLanguage);
  useEffect(() => {
    void jobs.restore();
    return jobs.dispose;
  }, [jobs]);
  const begun = useRef(0);
  useEffect(() => {
    for (const file of files.slice(begun.current)) jobs.add(file);
    begun.current = files.length;
  }, [files, jobs]);
  const [isShareLost, setIsShareLost] = useState(props.isShareLost);
  if (list.length === 0 && !isShareLost) return null;
  return (
    <section className="files" translate="no" aria-label={strings.title}>
      {isShareLost && (
        <div className="file" data-state="failed">
          <FileAudio aria-hidden />
          <div className="file-said">
            <p role="alert">{strings.shareLost}</p>
          </div>
          <CloseButton label={strings.close} onClick={() => setIsShareLost(false)} />
        </div>
      )}
      {list.map((job) => (
        <FileLine key={job.key} job={job} jobs={jobs} strings={strings} marksUnsure={marksUnsure} />
      ))}
    </section>
  );
}

type FileLineProps = {
  readonly job: FileJob;
  readonly jobs: FileJobs;
  readonly strings: FilesStrings;
  readonly marksUnsure: boolean;
};

function FileLine({ job, jobs, strings, marksUnsure }: FileLineProps) {
  const { key, name, state, parts, untaken, isInNote } = job;
  const [isAsking, setIsAsking] = useState(false);
  const isUnderWay = state.kind === 'waiting' || state.kind === 'reading';
  const mayGoOn =
    state.kind === 'interrupted' || (state.kind === 'failed' && PASSING.includes(state.fault));
  return (
    <div className="file" data-state={state.kind}>
      <FileAudio aria-hidden />
      <div className="file-said">
        <p role="status">{textOf(job, strings)}</p>
        {state.kind === 'reading' && (
          <p className="file-progress">
            <progress
              aria-label={strings.progress(name)}
              max={1}
              // Without a value it moves by itself.
              {...(state.share !== null && { value: state.share })}
            />
            <span aria-hidden>{state.share !== null && strings.percent(state.share)}</span>
          </p>
        )}
      </div>
      <div className="file-tools">
        {mayGoOn && (
          <button type="button" className="tool is-outlined" onClick={() => jobs.goOn(key)}>
            {strings.goOn}
          </button>
        )}
        {untaken.length > 0 && (
          <button type="button" className="tool is-outlined" onClick={() => void jobs.insert(key)}>
            {isInNote ? strings.insertRest : strings.insert}
          </button>
        )}
        {isUnderWay && (
          <button type="button" className="tool is-outlined" onClick={() => jobs.cancel(key)}>
            {strings.cancel}
          </button>
        )}
        {!isUnderWay && parts.length > 0 && <SaveButtons job={job} strings={strings} />}
      </div>
      {parts.length > 0 && (
        <ReadPart file={jobs.fileOf(key)} job={job} strings={strings} marksUnsure={marksUnsure} />
      )}
      {!isUnderWay && (
        <CloseButton
          label={`${strings.close}, ${name}`}
          // A text that is nowhere else does not go by one press.
          onClick={() => (untaken.length > 0 ? setIsAsking(!isAsking) : jobs.forget(key))}
        />
      )}
      {isAsking && untaken.length > 0 && (
        <div className="file-asked">
          <p role="alert">{strings.notAllInNote}</p>
          <button type="button" className="tool is-outlined" onClick={() => jobs.forget(key)}>
            {strings.remove}
          </button>
        </div>
      )}
    </div>
  );
}

type CloseButtonProps = { readonly label: string; readonly onClick: () => void };

function CloseButton({ label, onClick }: CloseButtonProps) {
  return (
    <button type="button" className="tool is-quiet" aria-label={label} onClick={onClick}>
      <X aria-hidden />
    </button>
  );
}

function textOf({ name, state, ...job }: FileJob, strings: FilesStrings): string {
  const { parts, untaken, isInNote, isDamaged } = job;
  if (state.kind === 'failed') return strings.faults[state.fault](name);
  if (state.kind === 'done' && isDamaged) return strings.doneDamaged(name);
  if (state.kind === 'done' && parts.length === 0) return strings.nothingHeard(name);
  if (state.kind === 'done' && untaken.length > 0 && !isInNote) return strings.doneApart(name);
  return strings[state.kind](name);
}

type ReadPartProps = Pick<FileLineProps, 'job' | 'strings' | 'marksUnsure'> & {
  readonly file: File | undefined;
};

const WordsLater = fetchedLater(async () => (await import('./FileWords.tsx')).FileWords);

function ReadPart({ file, job: { parts }, ...rest }: ReadPartProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="file-read" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{rest.strings.read}</summary>
      {isOpen && file && <WordsLater file={file} parts={parts} {...rest} />}
    </details>
  );
}

type SaveButtonsProps = Pick<FileLineProps, 'job' | 'strings'>;

function SaveButtons({ job: { name, parts }, strings }: SaveButtonsProps) {
  const [hasFailed, setHasFailed] = useState(false);
  const [hasTimes, setHasTimes] = useState(false);
  const save = async (form: TextForm): Promise<void> => {
    const file = await textFile(parts, form, hasTimes).catch(() => null);
    setHasFailed(file === null);
    if (file) download(file, textName(name, form));
  };
  return (
    <div className="file-forms" role="group" aria-label={`${strings.save}, ${name}`}>
      <span aria-hidden>{strings.save}</span>
      {TEXT_FORMS.map((form) => (
        <button
          key={form}
          type="button"
          className="tool is-outlined"
          onClick={() => void save(form)}
        >
          {form}
        </button>
      ))}
      <label className="file-times">
        <input
          type="checkbox"
          checked={hasTimes}
          onChange={({ currentTarget }) => setHasTimes(currentTarget.checked)}
        />
        <span>{strings.withTimes}</span>
      </label>
      {hasFailed && <p role="alert">{strings.notSaved}</p>}
    </div>
  );
}

function download(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
