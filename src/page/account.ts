import { pageStorage } from './settings.ts';

const STORAGE_KEY = 'diktera:account';

/**
 * Who came in by the server's sign-in page, which sets this beside the token that no script can
 * read; null if nobody did.
 */
export function signedIn(): string | null {
  return /(?:^|; )diktera_signed_in=([^;]+)/.exec(document.cookie)?.[1] ?? null;
}

let account: string | null | undefined;

/**
 * Who dictates on this page, for as long as it is open. One that was kept to open without a network,
 * in a browser that has been closed since, is that of who was here last: who signs out is forgotten.
 */
export function pageAccount(): string | null {
  account ??= signedIn() ?? (navigator.serviceWorker?.controller ? stored() : null);
  try {
    if (account) pageStorage()?.setItem(STORAGE_KEY, account);
  } catch {
    // Storage is refused: the next start without a network knows nobody.
  }
  return account;
}

function stored(): string | null {
  return pageStorage()?.getItem(STORAGE_KEY) ?? null;
}

/** Nobody is here any more. */
export function forgetAccount(): void {
  pageStorage()?.removeItem(STORAGE_KEY);
}
