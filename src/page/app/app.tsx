import { CloudOff, RefreshCw, WifiOff } from 'lucide-react';
import { useState, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { createRoot } from 'react-dom/client';
import type { Dictation } from '../../core/contracts/dictation.ts';
import { removalOf } from '../../core/session/dictations.ts';
import { holdBuild } from '../../platform/build-locks.ts';
import { forgetFiles } from '../../platform/opened-files.ts';
import { useWaitingCount } from '../../widget/fetched-list.ts';
import { useSnapshot } from '../../widget/hooks.ts';
import { forgetDrafts } from '../draft.ts';
import { forgetAccount, pageAccount, type SettingsStore, signedIn } from '../settings.ts';
import { appStringsIn } from './app-strings-en.ts';
import type { AppStrings } from './app-strings-sv.ts';
import {
  forgetServiceWorker,
  pageVersion,
  registerServiceWorker,
  sendWhenClosed,
} from './installed.ts';
import {
  type InUse,
  type StorageForm,
  type Updates,
  untilAtRest,
  watchStorageForm,
  watchUpdates,
  watchUse,
} from './updates.ts';

// Fetched with the app, since both are wanted late.
export { DiagnosticsAccount } from './DiagnosticsAccount.tsx';

/** Makes the page one that opens without a network, is kept new, and says what there is to say. */
export async function startApp(dictation: Dictation, settings: SettingsStore): Promise<void> {
  await untilAtRest(dictation);
  holdBuild(pageVersion());
  const account = watchAccount(dictation);
  const inUse = watchUse(dictation);
  const registration = await registerServiceWorker();
  const updates = registration ? watchUpdates(registration, inUse) : null;
  const language = () => settings.getSettings().interfaceLanguage;
  if (registration) sendWhenClosed(dictation, registration, language);

  const place = document.querySelector('.app-place') ?? document.createElement('div');
  if (!place.isConnected) document.body.append(place);
  createRoot(place).render(
    <AppPart
      dictation={dictation}
      settings={settings}
      inUse={inUse}
      form={watchStorageForm(dictation)}
      updates={updates}
      onSignedOut={account.signedOut}
    />,
  );
}

/** Pages tell each other the account, and reload when another one is signed in. */
function watchAccount(dictation: Dictation): { readonly signedOut: () => void } {
  const channel = new BroadcastChannel('diktera-account');
  const account = pageAccount();
  channel.onmessage = ({ data }: MessageEvent<string | null>) => {
    const isIdle = dictation.getSnapshot().session.phase === 'idle';
    // A recording going on is kept for its account, and sent when that is back.
    if (data !== account && isIdle) location.reload();
  };
  channel.postMessage(account);
  return {
    signedOut() {
      channel.postMessage(null);
      location.reload();
    },
  };
}

type AppPartProps = {
  readonly dictation: Dictation;
  readonly settings: SettingsStore;
  readonly inUse: InUse;
  readonly form: StorageForm;
  /** Null where the browser keeps no pages. */
  readonly updates: Updates | null;
  /** Called when the person has signed out. */
  readonly onSignedOut: () => void;
};

const never = () => () => {};
const isNot = () => false;

function onNetwork(listener: () => void): () => void {
  const ending = new AbortController();
  for (const type of ['online', 'offline']) {
    window.addEventListener(type, listener, { signal: ending.signal });
  }
  return () => ending.abort();
}

/** The app's line, kept in step with what there is to say. */
function AppPart(props: AppPartProps) {
  const { dictation, settings, inUse, form, updates, onSignedOut } = props;
  const { interfaceLanguage } = useSyncExternalStore(settings.subscribe, settings.getSettings);
  const isAtWork = useSyncExternalStore(inUse.subscribe, () => inUse.isAtWork);
  const isOutdated = useSyncExternalStore(form.subscribe, form.isNewer);
  const isOffered = useSyncExternalStore(updates?.subscribe ?? never, updates?.isOffered ?? isNot);
  const isOffline = !useSyncExternalStore(onNetwork, () => navigator.onLine);
  const isAway = useSnapshot(dictation, ({ server }) => server.kind === 'unavailable');
  const { waiting } = useWaitingCount(dictation);
  const strings = appStringsIn(interfaceLanguage);
  const foot = signedIn() ? document.querySelector('.sign-out-place') : null;
  return (
    <>
      {foot &&
        createPortal(
          <SignOut dictation={dictation} strings={strings.signOut} onSignedOut={onSignedOut} />,
          foot,
        )}
      <AppBar
        strings={strings}
        isOffered={isOffered}
        isOutdated={isOutdated}
        isAtWork={isAtWork}
        missing={isOffline ? 'network' : isAway ? 'server' : null}
        waiting={waiting}
        onReload={updates?.isOffered() ? updates.take : () => location.reload()}
      />
    </>
  );
}

export type AppBarProps = {
  readonly strings: AppStrings;
  /** A newer build can be had. */
  readonly isOffered: boolean;
  /** Another tab's newer build has changed the form of what is stored. */
  readonly isOutdated: boolean;
  /** The cause that keeps text from coming now. */
  readonly missing: 'network' | 'server' | null;
  /** Dictations that are not text in the person's hands yet. */
  readonly waiting: number;
  /** Something is being recorded, or not text yet. */
  readonly isAtWork: boolean;
  readonly onReload: () => void;
};

/** News about the page as an app, in one calm line; mostly none. */
export function AppBar(props: AppBarProps) {
  const { strings, isOffered, isOutdated, isAtWork, missing, waiting, onReload } = props;
  return (
    <div className="app-bar" role="status">
      {missing && (
        <div className="app-line" data-line={`no-${missing}`}>
          {missing === 'network' ? <WifiOff aria-hidden /> : <CloudOff aria-hidden />}
          <p>{strings.missing[missing](waiting)}</p>
        </div>
      )}
      {(isOffered || isOutdated) && (
        <div className="app-line" data-line="update">
          <RefreshCw aria-hidden />
          <p>{updateText(strings, isOutdated, isAtWork)}</p>
          {!isAtWork && (
            <button type="button" className="tool is-outlined" onClick={onReload}>
              {strings.update.reload}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function updateText({ update }: AppStrings, isOutdated: boolean, isAtWork: boolean): string {
  if (isOutdated) return isAtWork ? update.outdatedAtWork : update.outdated;
  return isAtWork ? update.offeredAtWork : update.offered;
}

/** Beside the page. */
const SIGN_OUT_PATH = 'sign-out';

type SignOutProps = {
  readonly dictation: Dictation;
  readonly strings: AppStrings['signOut'];
  /** Called when the server has ended the sign-in. */
  readonly onSignedOut: () => void;
};

/**
 * Signs out, where the server's sign-in page was used. It first says how many dictations stay here,
 * and offers to delete them; else they wait, unseen by other accounts, until this one is back.
 */
function SignOut({ dictation, strings, onSignedOut }: SignOutProps) {
  const [state, setState] = useState<'there' | 'asking' | 'failed'>('there');
  const left = removalOf(dictation.getSnapshot());

  async function signOut(isToGo: boolean): Promise<void> {
    try {
      if (isToGo) await dictation.wipe();
      const { type } = await fetch(SIGN_OUT_PATH, { method: 'POST', redirect: 'manual' });
      if (type !== 'opaqueredirect') return setState('failed');
      forgetAccount();
      await forgetDrafts();
      await forgetFiles();
      await forgetServiceWorker();
      onSignedOut();
    } catch {
      setState('failed');
    }
  }

  const button = (label: string, onClick: () => void) => (
    <button type="button" className="sign-out" onClick={onClick}>
      {label}
    </button>
  );
  if (state === 'asking') {
    return (
      <div role="group" aria-label={strings.action}>
        <p role="status">{strings.left(left.count, left.waiting)}</p>
        {button(strings.action, () => void signOut(false))}
        {button(strings.remove, () => void signOut(true))}
        {button(strings.cancel, () => setState('there'))}
      </div>
    );
  }
  return (
    <p>
      {button(strings.action, () => (left.count > 0 ? setState('asking') : void signOut(false)))}
      <span role="status">{state === 'failed' ? strings.failed : ''}</span>
    </p>
  );
}
