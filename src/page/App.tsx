import './page-styles.ts';
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { hasNames, type MicrophoneList } from '../capture/microphone-list.ts';
import type { Dictation } from '../core/contracts/dictation.ts';
import { copyText } from '../field/copy-text.ts';
import type { EditableField } from '../field/editable-field.ts';
import { Announcer } from '../widget/Announcer.tsx';
import { Boundary } from '../widget/Boundary.tsx';
import { DictationField } from '../widget/DictationField.tsx';
import { countText, useWaitingCount } from '../widget/fetched-later.tsx';
import { useSnapshot } from '../widget/hooks.ts';
import { insertHere } from '../widget/insertions.ts';
import { Notices } from '../widget/Notices.tsx';
import type { FieldCommands, InterfaceLanguage } from '../widget/options.ts';
import { InterfaceLanguageProvider, useStrings } from '../widget/strings.tsx';
import { Diagnostics, DictationsPart, OptionsPart } from './disclosures.tsx';
import type { EarlyTools } from './early-tools.ts';
import { PageStringsContext, pageStringsIn } from './page-strings.ts';
import {
  chosenDeviceId,
  DEFAULT_SETTINGS,
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
    () => DEFAULT_SETTINGS,
  );
  const chosenId = () => chosenDeviceId(settings, microphones.getState().devices);
  const deviceId = useSyncExternalStore(microphones.subscribe, chosenId, chosenId);
  // A ref, since state would draw the whole page again.
  const field = useRef<EditableField>(null);
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
  const retireEarly = useCallback(
    (commands: FieldCommands) => {
      // A waiting press begins in a task of its own, not in the one that draws.
      setTimeout(() => early?.retire(commands));
    },
    [early],
  );
  const later = useLaterParts(dictation);
  const { keepRecordings } = settings;
  useEffect(() => dictation.recordings.keep({ keepRecordings }), [dictation, keepRecordings]);
  useEffect(() => {
    document.documentElement.lang = settings.interfaceLanguage;
  }, [settings.interfaceLanguage]);

  return (
    <InterfaceLanguageProvider language={settings.interfaceLanguage}>
      <PageStringsContext value={strings}>
        <div className="page">
          <header className="page-head">
            <h1>{strings.appName}</h1>
            <p>{strings.tagline}</p>
            <Boundary>
              <WaitingBadge dictation={dictation} />
            </Boundary>
          </header>
          <main className="page-main">
            <DictationField
              dictation={dictation}
              label={strings.fieldLabel}
              placeholder={strings.fieldPlaceholder}
              {...options}
              deviceId={deviceId}
              tabSound={settings.tabSound && microphones.hasTabSound}
              spacing={settings.spacing}
              pushToTalkKey={settings.pushToTalkKey || null}
              onField={takeField}
              onReady={retireEarly}
            />
            <Boundary>
              <Notices dictation={dictation} />
              <NoticeCauses dictation={dictation} microphones={microphones} />
              {later && (
                <>
                  <later.KeepingNotice
                    dictation={dictation}
                    settings={store}
                    keepRecordings={settings.keepRecordings}
                  />
                  <later.SwedishPart dictation={dictation} store={store} settings={settings} />
                </>
              )}
              <DictationsPart dictation={dictation} insert={insert} copy={copy} />
              <OptionsPart dictation={dictation} settings={store} microphones={microphones} />
              <Diagnostics
                dictation={dictation}
                copy={copy}
                language={settings.interfaceLanguage}
              />
            </Boundary>
          </main>
          <Boundary>
            <Announcer dictation={dictation} />
            <footer className="page-foot">
              {later && (
                <later.ServerLine dictation={dictation} language={settings.interfaceLanguage} />
              )}
              <a href={benchmarkAddress(settings.interfaceLanguage)}>{strings.benchmarkLink}</a>
              <div className="sign-out-place" />
            </footer>
          </Boundary>
        </div>
      </PageStringsContext>
    </InterfaceLanguageProvider>
  );
}

/** The benchmark page knows no settings: its language is named in its address. */
function benchmarkAddress(language: InterfaceLanguage): string {
  const address = './benchmark.html';
  return language === 'sv' ? address : `${address}?lang=${language}`;
}

/** Says that something waits, wherever the list itself may be; a press leads to it. */
export function WaitingBadge({ dictation }: { readonly dictation: Dictation }) {
  const strings = useStrings().dictations;
  const count = useWaitingCount(dictation);
  if (count.waiting + count.needsReview === 0) return null;
  return (
    <a className="dictation-count waiting-badge" href="#dictations">
      {countText(count, strings)}
    </a>
  );
}

type NoticeCausesProps = {
  readonly dictation: Dictation;
  readonly microphones: MicrophoneList;
};

/**
 * Takes notices about microphones away when their cause is gone: permission has been given, by the
 * browser's word or by the names that it tells then, or a microphone has been connected. The others
 * are taken away by what raised them. Draws nothing: what it follows changes as a recording begins,
 * when the page has enough to do.
 */
function NoticeCauses({ dictation, microphones }: NoticeCausesProps): null {
  const { devices, permission } = useSyncExternalStore(
    microphones.subscribe,
    microphones.getState,
    microphones.getState,
  );
  const heardId = useSnapshot(dictation, ({ session }) => session.device?.deviceId ?? null);
  const isAllowed = permission === 'granted';
  const isNamed = hasNames({ devices });
  const isConnected = devices.length > 0;

  useEffect(() => {
    if (heardId !== null) microphones.microphoneHeard();
  }, [microphones, heardId]);

  useEffect(() => {
    for (const { kind } of dictation.getSnapshot().notices) {
      const isOver =
        (kind === 'microphone-denied' && (isAllowed || isNamed)) ||
        (kind === 'microphone-missing' && isConnected);
      if (isOver) dictation.dismissNotice(kind);
    }
  }, [dictation, isAllowed, isNamed, isConnected]);

  return null;
}

/** The page has started by then, and is hardly read yet. */
const REST_MS = 500;

type LaterParts = typeof import('./later-parts.tsx');

/**
 * The parts that say something of their own accord, fetched when the page has come to life; null
 * before. Who begins to speak at once has the network for that.
 */
function useLaterParts(dictation: Dictation): LaterParts | null {
  const [parts, setParts] = useState<LaterParts | null>(null);
  useEffect(() => {
    const fetchAtRest = (): void => {
      if (dictation.getSnapshot().session.phase !== 'idle') return;
      stop();
      // The page works without.
      import('./later-parts.tsx').then(setParts, () => {});
    };
    let stopListening = (): void => {};
    const timer = setTimeout(() => {
      stopListening = dictation.subscribe(fetchAtRest);
      fetchAtRest();
    }, REST_MS);
    const stop = (): void => {
      clearTimeout(timer);
      stopListening();
    };
    return stop;
  }, [dictation]);
  return parts;
}
