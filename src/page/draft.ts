import { clear, createStore, del, entries, set, type UseStore } from 'idb-keyval';
import { pageAccount } from './settings.ts';

/** The field's text, saved for the page's next opening. */
type Draft = {
  readonly text: string;
  readonly savedAtMs: number;
  /** The writer's account: the draft comes back to no other. */
  readonly account: string | null;
};

/** Longest time that a change waits to be stored. */
const SAVE_AFTER_MS = 400;

/** A page that is loaded anew has its own lock back by then: else another tab has it. */
const OWN_LOCK_WAIT_MS = 2_000;

const TAB_KEY = 'diktera:tab';
const PREFIX = 'diktera:draft:';

/** Where the notes before this one are stored. */
export const EARLIER_NOTES_KEY = 'diktera:earlier-notes';

/**
 * Keeps the field's text, typed or dictated, through a reload, a crash and a closed tab. A tab with
 * a text has a draft of its own, and a lock that shows that it lives; the draft of a dead tab comes
 * back in the next page that is opened with an empty field. Each draft is stored twice: only
 * localStorage can be read at once and written while a page goes, and only IndexedDB survives a
 * browser that is killed.
 */
export function saveDraft(field: HTMLElement): void {
  const storage = storageOf(() => localStorage);
  const session = storageOf(() => sessionStorage);
  const database = draftDatabase();
  /** Id of this tab's draft; null while it has none. */
  let id = session?.getItem(TAB_KEY) ?? null;
  let letGo: Release = () => {};
  /** Until it is known that no other tab has this draft, nothing of it is overwritten. */
  let isSettled = id === null;
  let savedText = '';
  let isSaveDue = false;

  const take = (draft: Draft): void => {
    bringBack(field, draft.text);
    savedText = draft.text;
  };
  const saveSoon = (): void => {
    if (isSaveDue) return;
    isSaveDue = true;
    setTimeout(() => {
      isSaveDue = false;
      if (isSettled) save();
      else saveSoon();
    }, SAVE_AFTER_MS);
  };
  const save = (): void => {
    const text = fieldText();
    if (isForgotten || text === savedText) return;
    // The page goes before it is known whose draft it is: a copy does no harm.
    if (!isSettled) id = null;
    savedText = text;
    if (text.trim() === '') remove();
    else write({ text, savedAtMs: Date.now(), account: pageAccount() });
  };
  const write = (draft: Draft): void => {
    if (id === null) {
      id = newId();
      void holdLock(id).then((release) => {
        letGo = release ?? letGo;
      });
    }
    const key = id;
    attempt(() => storage?.setItem(PREFIX + key, JSON.stringify(draft)));
    attempt(() => session?.setItem(TAB_KEY, key));
    void database?.then((store) => set(key, draft, store)).catch(() => {});
  };
  const remove = (): void => {
    if (id === null) return;
    const key = id;
    id = null;
    letGo();
    attempt(() => storage?.removeItem(PREFIX + key));
    attempt(() => session?.removeItem(TAB_KEY));
    // It outlives what localStorage may have of it after a crash.
    const nothing: Draft = { text: '', savedAtMs: Date.now(), account: pageAccount() };
    void database?.then((store) => set(key, nothing, store)).catch(() => {});
  };

  async function claimOwn(): Promise<void> {
    if (id === null) return;
    const release = await holdLock(id, AbortSignal.timeout(OWN_LOCK_WAIT_MS));
    letGo = release ?? letGo;
    if (release) return;
    // A tab that was copied has the text of the other, and writes it down as its own.
    id = null;
    savedText = '';
  }

  /** Takes the copy that a killed browser had not written to localStorage, unless somebody writes. */
  function takeNewer(own: Draft | undefined): void {
    if (!own || own.text === savedText || fieldText() !== savedText) return;
    field.textContent = '';
    take(own);
  }

  async function adopt(drafts: readonly (readonly [id: string, draft: Draft])[]): Promise<void> {
    for (const [key, draft] of drafts) {
      if (isWrittenIn()) return;
      const release = await holdLock(key, 'if-free');
      if (release === null) continue;
      if (isWrittenIn()) return release();
      letGo = release;
      id = key;
      take(draft);
      attempt(() => session?.setItem(TAB_KEY, key));
    }
  }

  async function settle(): Promise<void> {
    await claimOwn();
    isSettled = true;
    const drafts = await allDrafts(storage, database);
    takeNewer(drafts.get(id ?? ''));
    const others = [...drafts].filter(([key, draft]) => key !== id && isOwn(draft));
    await adopt(others.sort(([, a], [, b]) => b.savedAtMs - a.savedAtMs));
    save();
  }

  const own = id === null ? null : read(storage?.getItem(PREFIX + id) ?? null);
  if (own && isOwn(own)) take(own);
  else if (own) id = null;
  new MutationObserver(saveSoon).observe(field, {
    childList: true,
    characterData: true,
    subtree: true,
  });
  // In case the page ever draws another field.
  document.addEventListener('input', saveSoon);
  addEventListener('pagehide', save);
  document.addEventListener('visibilitychange', save);
  settle().catch(() => {
    isSettled = true;
  });
}

/** Deletes all drafts and earlier notes, at signing out; nothing is saved after it. */
export async function forgetDrafts(): Promise<void> {
  isForgotten = true;
  const storage = storageOf(() => localStorage);
  for (const key of [...keysOf(storage), EARLIER_NOTES_KEY]) storage?.removeItem(key);
  await draftDatabase()
    ?.then((store) => clear(store))
    .catch(() => {});
}

let isForgotten = false;

/** The text of the page's field. */
export function fieldText(): string {
  return document.querySelector<HTMLElement>('.field-text')?.innerText ?? '';
}

/** A draft from before signing in belongs to the account that signs in. */
function isOwn({ account }: Draft): boolean {
  return account === null || account === pageAccount();
}

function isWrittenIn(): boolean {
  return fieldText().trim() !== '';
}

/** Puts an earlier text before all that has been written since; a caret at the end stays there. */
function bringBack(field: HTMLElement, text: string): void {
  const selection = getSelection();
  const isAtEnd = selection?.focusNode === field && field.innerText === '';
  field.prepend(text);
  if (isAtEnd) selection.collapse(field, field.childNodes.length);
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

type Release = () => void;

/** Takes a tab's lock for as long as the page lives; null if another has it. */
function holdLock(id: string, how?: AbortSignal | 'if-free'): Promise<Release | null> {
  // Undefined on a page that is not served over https: no tab can be told from another there.
  const locks: LockManager | undefined = navigator.locks;
  if (!locks) return Promise.resolve(how === 'if-free' ? null : () => {});
  const options =
    how === 'if-free' ? { ifAvailable: true } : how === undefined ? {} : { signal: how };
  return new Promise((resolve) => {
    locks
      .request(PREFIX + id, options, (lock) => {
        if (lock === null) return resolve(null);
        return new Promise<void>((release) => resolve(() => release()));
      })
      .catch(() => resolve(null));
  });
}

/** Every draft, by its key: the newer of the two that there may be. */
async function allDrafts(
  storage: Storage | null,
  database: Promise<UseStore> | null,
): Promise<ReadonlyMap<string, Draft>> {
  const drafts = new Map<string, Draft>();
  for (const key of keysOf(storage)) {
    const draft = read(storage?.getItem(key) ?? null);
    if (draft) drafts.set(key.slice(PREFIX.length), draft);
  }
  const store = await database?.catch(() => null);
  const stored = store ? await entries<string, Draft>(store).catch(() => []) : [];
  for (const [key, draft] of stored) {
    if (draft.savedAtMs < (drafts.get(key)?.savedAtMs ?? 0)) continue;
    if (draft.text !== '') drafts.set(key, draft);
    else {
      drafts.delete(key);
      attempt(() => storage?.removeItem(PREFIX + key));
      if (store) await del(key, store).catch(() => {});
    }
  }
  return drafts;
}

function keysOf(storage: Storage | null): readonly string[] {
  return Object.keys(storage ?? {}).filter((key) => key.startsWith(PREFIX));
}

function read(kept: string | null): Draft | null {
  try {
    const draft: unknown = JSON.parse(kept ?? 'null');
    const { text, savedAtMs, account } = Object(draft) as Record<string, unknown>;
    const whose = typeof account === 'string' ? account : null;
    const isWhole = typeof text === 'string' && typeof savedAtMs === 'number';
    return isWhole ? { text, savedAtMs, account: whose } : null;
  } catch {
    return null;
  }
}

/** Null where the browser forbids it. */
function storageOf(find: () => Storage): Storage | null {
  try {
    return find();
  } catch {
    return null;
  }
}

/** Null where there is none, as in some private windows. */
function draftDatabase(): Promise<UseStore> | null {
  try {
    return Promise.resolve(createStore('diktera-drafts', 'drafts'));
  } catch {
    return null;
  }
}

/** Ignores errors: a full or forbidden storage saves nothing, and stops nobody. */
function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // See above.
  }
}

function newId(): string {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
}
