// The list is shown when these have come: its styles are nobody else's.
import '../widget/styles/dictations.css';
import { Info, LogIn } from 'lucide-react';
import {
  type ComponentType,
  type RefObject,
  useEffect,
  useState,
  useSyncExternalStore,
} from 'react';
import { hasNames, type MicrophoneList } from '../capture/microphone-list.ts';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { Snapshot } from '../core/session/snapshot.ts';
import { isSame, languagesOf, spokenLanguage } from '../core/session/spoken-language.ts';
import type { EditableField } from '../field/editable-field.ts';
import { hasFiles, SHARE_LOST, SHARED } from '../platform/opened-files.ts';
import { fetchedLater } from '../widget/fetched-later.tsx';
import { useSnapshot } from '../widget/hooks.ts';
import { useLaterStrings } from './later-strings-en.ts';
import { type Note, useNote } from './note.tsx';
import { HEALTH_ADDRESS, likelyLanguages, useServer, useSignedOut } from './server.ts';
import type { Settings, SettingsStore } from './settings.ts';
import type { SwedishPanelProps } from './swedish/SwedishPanel.tsx';
import type { LearnOfferProps } from './words/LearnOffer.tsx';

export { createNote, EarlierNotes, NoteTools, OpenFile, Told } from './note.tsx';

type NoteLinesProps = ServerPartProps & {
  readonly note: Note;
  readonly field: RefObject<EditableField | null>;
  readonly microphones: MicrophoneList;
};

/** Messages about the note's files, the microphone, the server and storage, and words to learn. */
export function NoteLines({ note, field, microphones, ...props }: NoteLinesProps) {
  const { dictation, store, settings } = props;
  const { keepRecordings, interfaceLanguage: language } = settings;
  const { files } = useNote(note);
  const { hasOpened, isShareLost } = useOpenedFiles();
  return (
    <>
      {(files.length > 0 || hasOpened || isShareLost) && (
        <FilesLater
          files={files}
          dictation={dictation}
          settings={store}
          field={field}
          isShareLost={isShareLost}
        />
      )}
      <NoticeCauses dictation={dictation} microphones={microphones} />
      <ServerPart {...props} />
      <KeepingNotice dictation={dictation} settings={store} keepRecordings={keepRecordings} />
      <LearnPart dictation={dictation} field={field} language={language} />
    </>
  );
}

/**
 * `hasOpened` once it is known that files lie here, of a page before this one or shared with it;
 * `isShareLost` where something was shared that could not be taken.
 */
function useOpenedFiles() {
  const [hasOpened, setHasOpened] = useState(false);
  const [isShareLost] = useState(() => location.search === SHARE_LOST);
  useEffect(() => {
    // A share leaves its word in the address: loaded anew, the page has no news of it.
    const { search, hash, pathname } = location;
    if (search === SHARED || search === SHARE_LOST)
      history.replaceState(history.state, '', pathname + hash);
    void hasFiles().then(setHasOpened);
  }, []);
  return { hasOpened, isShareLost };
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

const FilesLater = fetchedLater(async () => (await import('./files/FileLines.tsx')).FileLines);

type KeepingNoticeProps = {
  readonly dictation: Dictation;
  readonly settings: SettingsStore;
  readonly keepRecordings: number;
};

/**
 * Says once, before the first recording, that recordings are retained. It stays in view for a person
 * who begins to speak without an answer, and does not come again.
 */
export function KeepingNotice({ dictation, settings, keepRecordings }: KeepingNoticeProps) {
  const { keeping: strings } = useLaterStrings();
  const isRecording = useSnapshot(dictation, ({ session }) => session.isRecording);
  // Drawn after hydration, so the stored choice is known.
  const [isUntold, setIsUntold] = useState(() => !settings.getSettings().isKeepingTold);
  const isShown = isUntold && keepRecordings > 0;

  useEffect(() => {
    if (isShown && isRecording) settings.change({ isKeepingTold: true });
  }, [isShown, isRecording, settings]);

  if (!isShown) return null;
  return (
    <aside className="keeping-notice" aria-label={strings.title}>
      <Info aria-hidden />
      <p>{strings.notice(strings.span(keepRecordings))}</p>
      <button
        type="button"
        className="tool is-outlined"
        onClick={() => {
          setIsUntold(false);
          settings.change({ isKeepingTold: true });
        }}
      >
        {strings.understood}
      </button>
    </aside>
  );
}

/** Offers words to keep, once something has been dictated; fetched only then. */
function LearnPart(props: LearnOfferProps) {
  const isUsed = useSnapshot(props.dictation, ({ session }) => session.transcriptions.size > 0);
  const [wasUsed, setWasUsed] = useState(false);
  useEffect(() => {
    if (isUsed) setWasUsed(true);
  }, [isUsed]);
  return wasUsed && <OfferLater {...props} />;
}

const OfferLater = fetchedLater(async () => (await import('./words/LearnOffer.tsx')).LearnOffer);

/** Says, before anybody speaks, what keeps the server from writing it down. */
export function ServerPart(props: ServerPartProps) {
  const isSignedOut = useSignedOut(props.dictation);
  // Once something waits for it, a notice says the same.
  const isTold = useSnapshot(props.dictation, ({ queue }) => queue.isUnauthorised);
  return isSignedOut ? !isTold && <SignInLine /> : <SwedishPart {...props} />;
}

function SignInLine() {
  const strings = useLaterStrings().signIn;
  return (
    <div className="notice" role="status">
      <LogIn aria-hidden />
      <p>
        <strong>{`${strings.title}.`}</strong>
        <span>{` ${strings.advice}`}</span>
      </p>
      {/* Nothing kept for opening without a network stands in this address's place. */}
      <a className="tool is-outlined" href={HEALTH_ADDRESS} target="_blank" rel="noreferrer">
        {strings.action}
      </a>
    </div>
  );
}

type ServerPartProps = {
  readonly dictation: Dictation;
  readonly store: SettingsStore;
  readonly settings: Settings;
};

/**
 * Says, before anybody speaks, that the server lacks the language that will be spoken, and offers
 * Swedish if no other language was chosen. The panel is fetched when it is needed.
 */
function SwedishPart({ dictation, store, settings }: ServerPartProps) {
  const { language, interfaceLanguage } = settings;
  const server = useServer(dictation);
  const isSpoken = useSnapshot(dictation, ({ session }) => session.phase !== 'idle');
  const isRefused = useSnapshot(dictation, refusesSwedish);
  const spoken = spokenLanguage({ language, likelyLanguages: likelyLanguages() }, server);
  const missing = spoken?.isMissing ? spoken.language : null;
  const isWanted = language === 'sv' || (language === '' && interfaceLanguage === 'sv');
  const lacksSwedish = server.kind === 'ready' && !languagesOf(server).some(isSwedish);
  // Held back while somebody speaks: the network is for the recording.
  const isNeeded = !isSpoken && (missing !== null || (isWanted && (lacksSwedish || isRefused)));
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  useEffect(() => {
    if (!isNeeded) return;
    import('./swedish/SwedishPanel.tsx').then(
      ({ SwedishPanel }) => setLoaded({ Panel: SwedishPanel }),
      // Nothing is lost by it: the line about the server says how else.
      () => {},
    );
  }, [isNeeded]);
  if (loaded === null) return null;
  return (
    <loaded.Panel
      dictation={dictation}
      settings={store}
      language={interfaceLanguage}
      isWanted={isWanted}
      missing={missing}
    />
  );
}

type Loaded = { readonly Panel: ComponentType<SwedishPanelProps> };

function refusesSwedish({ server, queue }: Snapshot): boolean {
  return (
    server.kind === 'ready' &&
    queue.items.some(({ state, options }) => state.kind === 'refused' && options.language === 'sv')
  );
}

function isSwedish(code: string): boolean {
  return isSame(code, 'sv');
}
