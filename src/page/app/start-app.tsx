import { createRoot } from 'react-dom/client';
import type { Dictation } from '../../core/contracts/dictation.ts';
import { browserClock } from '../../platform/browser-clock.ts';
import { holdBuild } from '../../platform/build-locks.ts';
import { pageAccount } from '../account.ts';
import type { SettingsStore } from '../settings.ts';
import { AppPart } from './AppPart.tsx';
import { pageVersion } from './build-version.ts';
import { untilAtRest, watchUse } from './in-use.ts';
import { registerServiceWorker } from './registration.ts';
import { sendWhenClosed } from './send-when-closed.ts';
import { watchStorageForm } from './storage-form.ts';
import { watchUpdates } from './updates.ts';

/** Makes the page one that opens without a network, is kept new, and says what there is to say. */
export async function startApp(dictation: Dictation, settings: SettingsStore): Promise<void> {
  await untilAtRest(dictation);
  // Undefined on a page that is not served over https.
  const container: ServiceWorkerContainer | undefined = navigator.serviceWorker;
  holdBuild(pageVersion());
  const account = watchAccount(dictation);
  const inUse = watchUse({ dictation, clock: browserClock });
  const registration = await registerServiceWorker();
  const updates =
    container && registration
      ? watchUpdates({
          container,
          registration,
          inUse,
          clock: browserClock,
          version: pageVersion(),
          reload,
        })
      : null;
  const language = () => settings.getSettings().interfaceLanguage;
  if (registration) sendWhenClosed(dictation, registration, language);

  const place = document.createElement('div');
  document.body.append(place);
  createRoot(place).render(
    <AppPart
      dictation={dictation}
      settings={settings}
      inUse={inUse}
      form={watchStorageForm(dictation)}
      updates={updates}
      reload={reload}
      onSignedOut={account.signedOut}
    />,
  );
}

/** A page of somebody who is not signed in any more is theirs no longer: each says who is here. */
function watchAccount(dictation: Dictation): { readonly signedOut: () => void } {
  const channel = new BroadcastChannel('diktera-account');
  const account = pageAccount();
  channel.onmessage = ({ data }: MessageEvent<string | null>) => {
    const isIdle = dictation.getSnapshot().session.phase === 'idle';
    // What is being recorded is kept for them, and sent when they are back.
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

function reload(): void {
  location.reload();
}
