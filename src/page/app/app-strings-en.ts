import type { InterfaceLanguage } from '../../widget/options.ts';
import { APP_SWEDISH, type AppStrings } from './app-strings-sv.ts';

function keptAndLater(waiting: number): string {
  if (waiting === 0) return 'Dictate as usual: all of it is kept here, the text comes when it can.';
  const kept = waiting === 1 ? '1 dictation is' : `${waiting} dictations are`;
  return `${kept} kept here, the text comes when it can.`;
}

/** The same in English. */
const APP_ENGLISH: AppStrings = {
  missing: {
    network: (waiting) => `No network. ${keptAndLater(waiting)}`,
    server: (waiting) => `The server does not answer now. ${keptAndLater(waiting)}`,
  },
  signOut: {
    action: 'Sign out',
    failed: 'Signing out did not work just now. Try again.',
    left: (count, waiting) => {
      const left = count === 1 ? '1 dictation stays' : `${count} dictations stay`;
      const wait = waiting === 0 ? '' : `, and ${waiting} of them still await text`;
      return `${left} here in the browser${wait}. Nobody else sees them, and they are shown again when you sign in.`;
    },
    remove: 'Delete them and sign out',
    cancel: 'Cancel',
  },
  update: {
    offered: 'There is a new version.',
    offeredAtWork: 'There is a new version. You can reload when you are done.',
    outdated: 'A newer version is open in another tab. Reload to save here again.',
    outdatedAtWork:
      'A newer version is open in another tab. Reload when you are done; what you say becomes text all the same.',
    reload: 'Reload',
  },
  account: {
    about: 'All sound since the page was opened:',
    place: 'Where the sound is',
    length: 'Length',
    captured: 'Recorded',
    places: {
      silentSamples: 'Silence, not kept',
      journalledSamples: 'Kept on this computer, not queued yet',
      queuedSamples: 'Waiting to be sent',
      sentSamples: 'Being sent',
      transcribedSamples: 'Text ready, not inserted',
      deliveredSamples: 'Text inserted',
      deletedSamples: 'Deleted by you',
      lostSamples: 'Lost',
    },
    lostReasons: {
      unreadable: 'could not be read from the disk',
      overwritten: 'the computer stood still for too long',
      unaccounted: 'cannot be accounted for',
    },
    seconds: (count) =>
      `${count.toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} s`,
    inOrder: 'All of it is accounted for and nothing is lost.',
    notInOrder: 'Something is missing. Copy the facts and send them to whoever runs this page.',
    copy: 'Copy as JSON',
    copied: 'Copied. It contains no text and no sound.',
    notCopied: 'It could not be copied.',
  },
  facts: {
    title: 'The app',
    version: 'Version',
    noVersion: 'development',
    kept: 'Opens without a network',
    isKept: { yes: 'Yes', no: 'No', unknown: '…' },
    storage: 'Storage in the browser',
    stored: (used, quota) => `${used} of ${quota}`,
    notTold: 'not known',
    persisted: 'The browser has promised to keep it',
    told: 'Notification when a text is ready and the page is closed',
    isTold: { granted: 'Yes', denied: 'No, blocked in the browser', none: 'Not available here' },
    tell: 'Turn on',
    isPersisted: { yes: 'Yes', no: 'No', unknown: 'not known' },
  },
};

/** The app's texts in a language of the interface. */
export function appStringsIn(language: InterfaceLanguage): AppStrings {
  return language === 'en' ? APP_ENGLISH : APP_SWEDISH;
}
