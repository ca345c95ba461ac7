import type { AppStrings } from './app-strings-sv.ts';

/** The same in English. */
export const APP_ENGLISH: AppStrings = {
  offline: (waiting) => {
    if (waiting === 0) {
      return 'No network. You can dictate all the same: audio is kept here and written down when the network is back.';
    }
    const kept = waiting === 1 ? '1 dictation is' : `${waiting} dictations are`;
    return `No network. ${kept} kept here, to be written down when the network is back.`;
  },
  update: {
    offered: 'There is a new version.',
    offeredAtWork: 'There is a new version. You can reload when you are done.',
    outdated: 'A newer version is open in another tab. Reload to be able to store here again.',
    outdatedAtWork:
      'A newer version is open in another tab. Reload when you are done; what you say is written all the same.',
    reload: 'Reload',
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
    isTold: { granted: 'Yes', denied: 'No, the browser is set so', none: 'Not available here' },
    tell: 'Turn on',
    isPersisted: { yes: 'Yes', no: 'No', unknown: 'not known' },
  },
};
