import { useState, useSyncExternalStore } from 'react';
import { forgetDrafts } from './draft.ts';
import { fetchApp } from './fetch-app.ts';
import { usePageStrings } from './page-strings.ts';

/** Set by the server's own sign-in page beside the token, which no script can read. */
const SIGNED_IN = 'diktera_signed_in=1';

/** Beside the page. */
const SIGN_OUT_PATH = 'sign-out';

/** Changes only with the page. */
const never = () => () => undefined;
const isSignedIn = () => document.cookie.split('; ').includes(SIGNED_IN);

/**
 * The way out for who came in by the server's sign-in page, and nothing for anybody else: a proxy
 * that signs people in has its own. What has been recorded stays in this browser.
 */
export function SignOut() {
  const strings = usePageStrings().signOut;
  const isShown = useSyncExternalStore(never, isSignedIn, () => false);
  const [hasFailed, setHasFailed] = useState(false);
  if (!isShown) return null;

  async function signOut(): Promise<void> {
    try {
      const { type } = await fetch(SIGN_OUT_PATH, { method: 'POST', redirect: 'manual' });
      setHasFailed(type !== 'opaqueredirect');
      if (type !== 'opaqueredirect') return;
      await forgetDrafts();
      await (await fetchApp()).forgetServiceWorker();
      location.reload();
    } catch {
      setHasFailed(true);
    }
  }

  return (
    <p>
      <button type="button" className="sign-out" onClick={() => void signOut()}>
        {strings.action}
      </button>
      <span role="status">{hasFailed ? strings.failed : ''}</span>
    </p>
  );
}
