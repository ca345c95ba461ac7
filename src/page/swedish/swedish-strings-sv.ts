import type { Translated } from '../../core/translated.ts';

/** Makers of models and changes to them, in the page's language. */
type CreditText = { readonly attribution: string; readonly changes: string | null };

/** Texts about the model for Swedish, in Swedish. Fetched with its panel. */
export const SWEDISH_PANEL_SV = {
  size: (bytes: number) => sizeIn('sv', bytes),
  percent: (share: number) => `${Math.floor(share * 100)} %`,
  absent: {
    title: 'Servern förstår inte svenska än',
    text: 'Du kan diktera ändå: det sparas här och blir text när svenskan är hämtad.',
  },
  missing: {
    title: (name: string) => `Servern förstår inte ${name}`,
    text: (name: string) => `Det du dikterar sparas här och blir text när servern förstår ${name}.`,
  },
  fetching: { title: 'Hämtar svenska' },
  preparing: { title: 'Förbereder svenska' },
  paused: { title: 'Hämtningen av svenska är pausad' },
  failed: { title: 'Svenska kunde inte hämtas' },
  ready: { title: 'Nu kan du diktera på svenska' },
  progress: 'Svenska, hur mycket som är klart',
  waits: 'Det du dikterar på svenska under tiden sparas här och blir text när allt är klart.',
  still:
    'Hämtningen står still. Den fortsätter av sig själv när nätet är tillbaka. Kontrollera serverns nät, eller pausa och fortsätt senare.',
  waitedFor: 'Det som väntade blir text nu.',
  fetch: (size: string) => `Hämta svenska (${size})`,
  pause: 'Pausa',
  goOn: 'Fortsätt',
  again: 'Försök igen',
  cancel: 'Avbryt',
  close: 'Stäng',
  cancelTitle: 'Avbryta hämtningen?',
  cancelWarning:
    'Det som har hämtats tas bort. Pausa i stället om du vill fortsätta senare. Det du har dikterat finns kvar.',
  cancelConfirm: 'Avbryt hämtningen',
  cancelKeep: 'Fortsätt hämta',
  away: 'Servern svarar inte just nu.',
  notDone: 'Det gick inte just nu. Försök igen.',
  faults: {
    'no-network': () =>
      'Modellen går inte att nå på nätet. Det som har hämtats finns kvar, så ett nytt försök går vidare där det slutade.',
    refused: () => 'Adressen som modellen skulle hämtas från lämnar inte ut den.',
    'wrong-bytes': () => 'Det som kom är inte den rätta filen. Ingenting av den används.',
    'bad-proxy': () =>
      'Serverns proxy är av ett slag som inte stöds. Dess adress måste börja med http://.',
    'disk-full': () => 'Serverns disk är full. Gör plats och försök igen.',
    'disk-small': (disk: string) =>
      `Det är för ont om plats på serverns disk: ${disk} behövs. Gör plats och försök igen.`,
    'read-only': () => 'Servern får inte skriva i sin mapp för modeller.',
    'memory-small': (_disk: string, memory: string) =>
      `Datorn har för lite minne: ${memory} behövs. Där går en mindre modell, som KBLab/kb-whisper-base. Hur står i docs/server.md.`,
    'not-convertible': () =>
      'Modellen kan inte göras i ordning här. Svenska kan fås på andra sätt, som står i docs/server.md.',
    unusable: () =>
      'Modellen provades på serverns dator och fungerade inte där, så den används inte. Allt annat går som vanligt.',
    unknown: () => 'Modellen kunde inte göras i ordning. Serverns logg säger mer.',
  },
  credits: {
    title: 'Språkmodeller',
    by: 'av',
    licence: 'Licens:',
    changed: 'Ändrat här:',
    // Models that are missing here are described in the server's own words, in English.
    of: {
      'pianissimo-sv-int8': {
        attribution: 'Klang AI AB, tränad från NVIDIA Parakeet TDT 0.6b v3',
        changes: 'modellen har delats i fler filer, och uppgifter om den har lagts till',
      },
      'parakeet-tdt-v3-int8': {
        attribution: 'NVIDIA; exporterad till sherpa-onnx av Fangjun Kuang',
        changes: null,
      },
    } as Readonly<Record<string, CreditText>>,
  },
} as const;

/** Every text of the panel, in some language. */
export type SwedishStrings = Translated<typeof SWEDISH_PANEL_SV>;

/** A size as people say it, "660 MB" or "1,4 GB": of gigabytes never less than it is. */
export function sizeIn(language: string, bytes: number): string {
  const [unit, name] = bytes < 995_000_000 ? [1e6, 'MB'] : [1e9, 'GB'];
  const size = name === 'GB' ? Math.ceil(bytes / 1e8) / 10 : bytes / Number(unit);
  const digits = bytes < unit ? 2 : name === 'MB' ? 0 : 1;
  const value = size.toLocaleString(language, { maximumFractionDigits: digits });
  return `${value} ${name}`;
}
