import type { Translated } from '../../core/translated.ts';

function keptAndLater(waiting: number): string {
  if (waiting === 0) return 'Diktera som vanligt: allt sparas här, texten kommer när det går.';
  const kept = waiting === 1 ? '1 diktering är sparad' : `${waiting} dikteringar är sparade`;
  return `${kept} här, texten kommer när det går.`;
}

/**
 * Texts about the page as an app and under Diagnostik, in Swedish; they come later than the page's
 * own.
 */
export const APP_SWEDISH = {
  missing: {
    network: (waiting: number) => `Inget nätverk. ${keptAndLater(waiting)}`,
    server: (waiting: number) => `Servern svarar inte just nu. ${keptAndLater(waiting)}`,
  },
  signOut: {
    action: 'Logga ut',
    failed: 'Det gick inte att logga ut just nu. Försök igen.',
    left: (count: number, waiting: number) => {
      const left = count === 1 ? '1 diktering ligger' : `${count} dikteringar ligger`;
      const wait = waiting === 0 ? '' : `, och ${waiting} av dem väntar på text`;
      return `${left} kvar här i webbläsaren${wait}. Ingen annan ser dem, och de visas igen när du loggar in.`;
    },
    remove: 'Ta bort dem och logga ut',
    cancel: 'Avbryt',
  },
  update: {
    offered: 'Ny version finns.',
    offeredAtWork: 'Ny version finns. Du kan ladda om när du är klar.',
    outdated: 'En nyare version är öppen i en annan flik. Ladda om för att kunna spara här igen.',
    outdatedAtWork:
      'En nyare version är öppen i en annan flik. Ladda om när du är klar; det du säger blir text ändå.',
    reload: 'Ladda om',
  },
  account: {
    about: 'Allt ljud sedan sidan öppnades:',
    place: 'Var ljudet är',
    length: 'Längd',
    captured: 'Inspelat',
    places: {
      silentSamples: 'Tystnad, sparas inte',
      journalledSamples: 'Sparat på datorn, inte i kö än',
      queuedSamples: 'Väntar på att skickas',
      sentSamples: 'Skickas',
      transcribedSamples: 'Text klar, inte infogad',
      deliveredSamples: 'Text infogad',
      deletedSamples: 'Borttaget av dig',
      lostSamples: 'Förlorat',
    },
    lostReasons: {
      unreadable: 'kunde inte läsas från disken',
      overwritten: 'datorn stod still för länge',
      unaccounted: 'kan inte redovisas',
    },
    seconds: (count: number) =>
      `${count.toLocaleString('sv', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} s`,
    inOrder: 'Allt är redovisat och inget är förlorat.',
    notInOrder: 'Något saknas. Kopiera uppgifterna och skicka dem till den som sköter sidan.',
    copy: 'Kopiera som JSON',
    copied: 'Kopierat. Det finns ingen text och inget ljud i det.',
    notCopied: 'Det gick inte att kopiera.',
  },
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
    told: 'Avisering när en text är klar och sidan är stängd',
    isTold: { granted: 'Ja', denied: 'Nej, blockerat i webbläsaren', none: 'Finns inte här' },
    tell: 'Slå på',
    isPersisted: { yes: 'Ja', no: 'Nej', unknown: 'okänt' },
  },
} as const;

/** Every text about the app, in some language. */
export type AppStrings = Translated<typeof APP_SWEDISH>;
