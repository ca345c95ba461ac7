import type { AppStrings } from './app-strings-sv.ts';

/** The same in English. */
export const APP_ENGLISH: AppStrings = {
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
    isPersisted: { yes: 'Yes', no: 'No', unknown: 'not known' },
  },
};
