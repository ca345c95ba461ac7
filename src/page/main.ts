import './page-styles.ts';
import { saveDraft } from './draft.ts';
import { createEarlyTools } from './early-tools.ts';
import { createSettingsStore, opensNoKeyboard, pageStorage } from './settings.ts';

// Small, and first to run: the build drew the page, and somebody may be writing in it already.
const field = document.querySelector<HTMLElement>('.field-text');
if (field) saveDraft(field);
// Focus the field at once where that opens no on-screen keyboard, and after the app's shortcut for
// a new dictation.
const isWanted = opensNoKeyboard() || location.search === '?ny';
// A person who focused the field before this script ran gets the toolbar at once.
if (field && isWanted && document.activeElement !== field) {
  // This focus is not the person's: the toolbar waits for theirs.
  field.dataset.isQuiet = '';
  field.focus({ preventScroll: true });
}
const settings = createSettingsStore(pageStorage());
const early = createEarlyTools(settings.getSettings());

// The rest in tasks of its own, one by one, so that a key pressed meanwhile waits for none of it in
// one piece; and first what can hear.
import('./open-dictation.ts')
  .then(async ({ openDictation }) => {
    const dictation = await openDictation(settings, early);
    await import('react-dom/client');
    const { startPage } = await import('./page.tsx');
    startPage(dictation, settings, early);
  })
  .catch((error) => {
    early?.giveUp();
    throw error;
  });
