import './page-styles.ts';
import { AudioLines } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { MicrophoneList } from '../capture/microphone-list.ts';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { Notice } from '../core/session/snapshot.ts';
import { copyText } from '../field/copy-text.ts';
import type { EditableField } from '../field/editable-field.ts';
import { Announcer } from '../widget/Announcer.tsx';
import { Boundary } from '../widget/Boundary.tsx';
import { BareField } from '../widget/DictationField.tsx';
import { keepFetching } from '../widget/fetched-later.tsx';
import { countText, useWaitingCount } from '../widget/fetched-list.ts';
import { useSnapshot } from '../widget/hooks.ts';
import { insertHere } from '../widget/insertions.ts';
import { Notices } from '../widget/Notices.tsx';
import type { FieldCommands } from '../widget/options.ts';
import { MicrophoneAdvice } from '../widget/RecordingBar.tsx';
import { InterfaceLanguageProvider, useStrings } from '../widget/strings.tsx';
import { DictationsPart, OptionsPart, usePressedEarly } from './disclosures.tsx';
import type { EarlyTools } from './early-tools.ts';
import { NoteFoot } from './NoteFoot.tsx';
import { PageStringsContext, pageStringsIn } from './page-strings.ts';
import {
  chosenDeviceId,
  DEFAULT_SETTINGS,
  hasNoKeys,
  type Settings,
  type SettingsStore,
  sessionOptionsOf,
} from './settings.ts';

const copy = (text: string): Promise<boolean> =>
  copyText(text, { clipboard: navigator.clipboard, log: console });

type AppProps = {
  readonly dictation: Dictation;
  readonly microphones: MicrophoneList;
  readonly settings: SettingsStore;
  /** The tools drawn by the build for early presses. @default null */
  readonly early?: EarlyTools | null;
  /** Called with the element that holds the text, when it is mounted. @default nobody */
  readonly onText?: (element: HTMLElement) => void;
};

/** The dictation page. */
export function App(props: AppProps) {
  const { dictation, microphones, settings: store, early = null, onText } = props;
  const settings = useSyncExternalStore(
    store.subscribe,
    store.getSettings,
    // As the build drew it; the stored choices are shown right after.
    () => drawnSettings() ?? store.getSettings(),
  );
  const chosenId = () => chosenDeviceId(settings, microphones.getState().devices);
  const deviceId = useSyncExternalStore(microphones.subscribe, chosenId, chosenId);
  // Refs, since state would draw the whole page again.
  const field = useRef<EditableField>(null);
  const commands = useRef<FieldCommands>(null);
  const takeField = useCallback(
    (next: EditableField | null) => {
      field.current = next;
      if (next) onText?.(next.element);
    },
    [onText],
  );
  const strings = pageStringsIn(settings.interfaceLanguage);
  const options = useMemo(() => sessionOptionsOf(settings), [settings]);
  const insert = useCallback(
    async (text: string, withdrawn?: AbortSignal) =>
      field.current
        ? insertHere(field.current, text, { spacing: settings.spacing, withdrawn })
        : false,
    [settings.spacing],
  );
  const takeCommands = useCallback(
    (next: FieldCommands) => {
      commands.current = next;
      // A waiting press begins in a task of its own, not in the one that draws.
      setTimeout(() => early?.retire(next));
    },
    [early],
  );
  const later = useLaterParts(dictation);
  const note = useMemo(
    () => later?.createNote(field, () => store.getSettings().keepRecordings),
    [later, store],
  );
  const { keepRecordings } = settings;
  useEffect(() => dictation.recordings.keep({ keepRecordings }), [dictation, keepRecordings]);
  useEffect(() => {
    document.documentElement.lang = settings.interfaceLanguage;
  }, [settings.interfaceLanguage]);

  return (
    <InterfaceLanguageProvider language={settings.interfaceLanguage}>
      <PageStringsContext value={strings}>
        <div className="page" lang={settings.interfaceLanguage}>
          <header className="page-head">
            <h1>
              <Mark />
              {strings.appName}
            </h1>
            <Boundary>
              <nav>
                {later && note && <later.OpenFile note={note} />}
                <DictationsButton dictation={dictation} />
                <OptionsPart dictation={dictation} settings={store} microphones={microphones} />
              </nav>
            </Boundary>
          </header>
          <main className="page-main">
            <div className="note">
              <BareField
                dictation={dictation}
                label={strings.fieldLabel}
                placeholder={strings.fieldPlaceholder(
                  settings.pushToTalkKey && !hasNoKeys() ? ` (${settings.pushToTalkKey})` : '',
                )}
                {...options}
                deviceId={deviceId}
                tabSound={settings.tabSound && microphones.hasTabSound}
                spacing={settings.spacing}
                pushToTalkKey={settings.pushToTalkKey || null}
                levelMeter={false}
                Bar={null}
                onField={takeField}
                onReady={takeCommands}
              />
              <Boundary>
                <div className="note-lines">
                  <MicrophoneAdvice dictation={dictation} />
                  <PageNotices dictation={dictation} />
                  {later && note && (
                    <later.NoteLines
                      dictation={dictation}
                      store={store}
                      settings={settings}
                      note={note}
                      field={field}
                      microphones={microphones}
                    />
                  )}
                  <div className="app-place" />
                </div>
              </Boundary>
            </div>
            <NoteFoot
              dictation={dictation}
              commands={commands}
              field={field}
              told={
                later && note ? (
                  <later.Told dictation={dictation} note={note} hint={strings.footHint} />
                ) : (
                  <span className="foot-hint">{strings.footHint}</span>
                )
              }
              tools={later && note && <later.NoteTools note={note} />}
              pushToTalkKey={settings.pushToTalkKey}
              tabSound={settings.tabSound && microphones.hasTabSound}
            />
            <Boundary>
              <DictationsPart
                dictation={dictation}
                insert={insert}
                copy={copy}
                isStyled={later !== null}
                marksUnsure={settings.marksUnsure}
              />
              {later && note && <later.EarlierNotes note={note} />}
            </Boundary>
          </main>
          <Boundary>
            <Announcer dictation={dictation} />
          </Boundary>
          <footer className="page-foot">
            <div className="sign-out-place" />
          </footer>
        </div>
      </PageStringsContext>
    </InterfaceLanguageProvider>
  );
}

const DRAWN = {
  sv: DEFAULT_SETTINGS,
  en: { ...DEFAULT_SETTINGS, interfaceLanguage: 'en' },
} as const;

/** The settings with which the build drew the page that is shown; null while it draws. */
function drawnSettings(): Settings | null {
  if (!globalThis.document) return null;
  return DRAWN[document.querySelector('#root > [lang="en"]') ? 'en' : 'sv'];
}

/** The app's own picture, as in `public/icon.svg`. */
function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden>
      <rect width="32" height="32" rx="8" />
      <path d="M16 6a4 4 0 0 1 4 4v6a4 4 0 0 1-8 0v-6a4 4 0 0 1 4-4zM9 15v1a7 7 0 0 0 14 0v-1M16 23v4" />
    </svg>
  );
}

/** Leads to the dictations, and says how many wait. */
export function DictationsButton({ dictation }: { readonly dictation: Dictation }) {
  const strings = useStrings().dictations;
  const count = useWaitingCount(dictation);
  const isWaiting = count.waiting + count.needsReview > 0;
  const pressedEarly = usePressedEarly(showDictations);
  return (
    <button ref={pressedEarly} type="button" className="tool" onClick={showDictations}>
      <AudioLines aria-hidden />
      <span className="tool-name">{strings.title}</span>
      {isWaiting && (
        <span className="dictation-count waiting-badge">{countText(count, strings)}</span>
      )}
    </button>
  );
}

function showDictations(): void {
  const part = document.getElementById('dictations');
  const list = part?.querySelector('details');
  if (!(part && list)) return;
  list.open = true;
  list.querySelector('summary')?.focus({ preventScroll: true });
  part.scrollIntoView({ block: 'start' });
}

/** The notices, but for trouble that has a line of its own on this page. */
function PageNotices({ dictation }: { readonly dictation: Dictation }) {
  const isAway = useSnapshot(dictation, ({ server }) => server.kind === 'unavailable');
  const isTold = ({ kind, error }: Notice): boolean =>
    // The panel about languages says it, before anybody speaks, and the line about the server.
    error?.code === 'language-missing' || (kind === 'upload-failed' && isAway);
  return <Notices dictation={dictation} isTold={isTold} />;
}

/** The page has started by then, and is hardly read yet. */
const REST_MS = 500;

type LaterParts = typeof import('./later-parts.tsx');

/**
 * The parts that say something of their own accord, fetched when the page has come to life, or when
 * somebody has spoken for as long: there may be no network when something is to be said. Null before.
 */
function useLaterParts(dictation: Dictation): LaterParts | null {
  const [parts, setParts] = useState<LaterParts | null>(null);
  useEffect(() => {
    let stopFetching = (): void => {};
    const fetchAtRest = (): void => {
      const { phase, accumulatedRecordingMs } = dictation.getSnapshot().session;
      if (phase !== 'idle' && accumulatedRecordingMs < REST_MS) return;
      stopWaiting();
      // The page works without.
      stopFetching = keepFetching(
        () => import('./later-parts.tsx'),
        setParts,
        () => {},
      );
    };
    let stopListening = (): void => {};
    const timer = setTimeout(() => {
      stopListening = dictation.subscribe(fetchAtRest);
      fetchAtRest();
    }, REST_MS);
    const stopWaiting = (): void => {
      clearTimeout(timer);
      stopListening();
    };
    return () => {
      stopWaiting();
      stopFetching();
    };
  }, [dictation]);
  return parts;
}
