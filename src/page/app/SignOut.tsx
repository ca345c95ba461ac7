import { useState } from 'react';
import type { Dictation } from '../../core/contracts/dictation.ts';
import { removalOf } from '../../core/session/dictations.ts';
import { forgetAccount } from '../account.ts';
import { forgetDrafts } from '../draft.ts';
import type { AppStrings } from './app-strings-sv.ts';
import { forgetServiceWorker } from './registration.ts';

/** Beside the page. */
const SIGN_OUT_PATH = 'sign-out';

type SignOutProps = {
  readonly dictation: Dictation;
  readonly strings: AppStrings['signOut'];
  /** Told when the server has forgotten who was here. */
  readonly onSignedOut: () => void;
};

/**
 * The way out for who came in by the server's sign-in page. What is left here of this person is said
 * first, and can be deleted: nobody else is shown it, and it waits for them to come back.
 */
export function SignOut({ dictation, strings, onSignedOut }: SignOutProps) {
  const [state, setState] = useState<'there' | 'asking' | 'failed'>('there');
  const left = removalOf(dictation.getSnapshot());

  async function signOut(isToGo: boolean): Promise<void> {
    try {
      if (isToGo) await dictation.wipe();
      const { type } = await fetch(SIGN_OUT_PATH, { method: 'POST', redirect: 'manual' });
      if (type !== 'opaqueredirect') return setState('failed');
      forgetAccount();
      await forgetDrafts();
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
