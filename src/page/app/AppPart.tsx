import { useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import type { Dictation } from '../../core/contracts/dictation.ts';
import { useSnapshot } from '../../widget/use-snapshot.ts';
import { useWaitingCount } from '../../widget/waiting-count.ts';
import { signedIn } from '../account.ts';
import type { SettingsStore } from '../settings.ts';
import { AppBar } from './AppBar.tsx';
import { appStringsIn } from './app-strings.ts';
import type { InUse } from './in-use.ts';
import { SignOut } from './SignOut.tsx';
import type { StorageForm } from './storage-form.ts';
import type { Updates } from './updates.ts';

export type AppPartProps = {
  readonly dictation: Dictation;
  readonly settings: SettingsStore;
  readonly inUse: InUse;
  readonly form: StorageForm;
  /** Null where the browser keeps no pages. */
  readonly updates: Updates | null;
  readonly reload: () => void;
  /** Told when the person who was here has signed out. */
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
export function AppPart(props: AppPartProps) {
  const { dictation, settings, inUse, form, updates, reload, onSignedOut } = props;
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
        onReload={updates?.isOffered() ? updates.take : reload}
      />
    </>
  );
}
