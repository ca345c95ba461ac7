import type { Translated } from '../../core/translated.ts';

/** Texts about the page as an app, in Swedish; they come with it, later than the page's own. */
export const APP_SWEDISH = {
  facts: {
    title: 'Appen',
    version: 'Version',
    noVersion: 'utveckling',
    kept: 'Öppnas utan nätverk',
    isKept: { yes: 'Ja', no: 'Nej', unknown: '…' },
    storage: 'Lagring i webbläsaren',
    stored: (used: string, quota: string) => `${used} av ${quota}`,
    notTold: 'okänt',
    persisted: 'Webbläsaren har lovat att behålla det',
    isPersisted: { yes: 'Ja', no: 'Nej', unknown: 'okänt' },
  },
} as const;

/** Every text about the app, in some language. */
export type AppStrings = Translated<typeof APP_SWEDISH>;
