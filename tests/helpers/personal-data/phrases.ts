import type { PersonalDataKind } from '../../../server/text/find-in-runs.ts';
import type { Speech } from './spoken.ts';

/**
 * Sets of sentences that share no phrase. The rules were mended after what they missed in the first
 * two; the third was written afterwards, and nothing was mended for it.
 */
export type PhraseSet = 'first' | 'second' | 'third';

/** What people call each thing, in front of it; the frames below put it into a sentence. */
export const LABELS: Readonly<
  Record<PhraseSet, Readonly<Record<Speech, Readonly<Record<PersonalDataKind, readonly string[]>>>>>
> = {
  first: {
    sv: {
      personnummer: ['personnumret', 'mitt personnummer', 'pnr', 'patientens nummer'],
      samordningsnummer: [
        'samordningsnumret',
        'hennes samordningsnummer',
        'numret från Skatteverket',
      ],
      organisationsnummer: ['organisationsnumret', 'vårt org.nr', 'föreningens orgnummer'],
      iban: ['kontot', 'mitt IBAN', 'utlandskontot'],
      kortnummer: ['kortet', 'kortnumret', 'företagets betalkort'],
      'e-post': ['mejlen', 'min e-postadress', 'adressen'],
      telefonnummer: ['mobilen', 'telefonnumret', 'numret till växeln', 'min mobil'],
    },
    en: {
      personnummer: ['the personal number', 'her personal identity number', 'his number'],
      samordningsnummer: ['the coordination number', 'the number she was given'],
      organisationsnummer: ['our organisation number', 'the organization number'],
      iban: ['the account', 'my IBAN'],
      kortnummer: ['my card', 'the credit card number'],
      'e-post': ['my email', 'the address'],
      telefonnummer: ['my phone', 'the number', 'the mobile'],
    },
  },
  second: {
    sv: {
      personnummer: ['ditt personnummer', 'barnets personnr', 'id-numret', 'födelsenumret'],
      samordningsnummer: ['tillfälligt samordningsnummer', 'ett samordningsnr', 'hans nummer'],
      organisationsnummer: ['bolagets organisationsnummer', 'kundens org nr', 'org-numret'],
      iban: ['bankkontot utomlands', 'IBAN-numret', 'vårt konto'],
      kortnummer: ['numret på kortet', 'Visakortet', 'mitt bankkort'],
      'e-post': ['hennes mejladress', 'e-posten', 'kontaktadressen'],
      telefonnummer: ['mobilnumret', 'hemnumret', 'jourtelefonen', 'kontorets telefon'],
    },
    en: {
      personnummer: ['my Swedish personal number', 'the patient identity number', 'her ID'],
      samordningsnummer: ['a coordination number', 'his temporary number'],
      organisationsnummer: ['the organisation number', "the company's organization number"],
      iban: ['their bank account', 'the IBAN'],
      kortnummer: ['the Visa card', 'her card number'],
      'e-post': ['her e-mail address', 'the contact'],
      telefonnummer: ['my cell', 'the office phone', 'her direct line'],
    },
  },
  third: {
    sv: {
      personnummer: ['sökandens personnummer', 'mammans pnr', 'identiteten', 'tolv siffror'],
      samordningsnummer: ['patientens samordningsnummer', 'den nyanländes nummer'],
      organisationsnummer: [
        'stiftelsens organisationsnummer',
        'deras org.nummer',
        'organisationsnr',
      ],
      iban: ['mottagarkontot', 'IBAN-koden', 'lönekontot'],
      kortnummer: ['kreditkortet', 'de sexton siffrorna', 'mitt Mastercard'],
      'e-post': ['chefens mejl', 'e-postadressen', 'inloggningen'],
      telefonnummer: ['anhörigs telefon', 'pappas mobil', 'vårdcentralens nummer', 'reservnumret'],
    },
    en: {
      personnummer: ['the Swedish ID number', 'the personal number on file'],
      samordningsnummer: ['the temporary coordination number', 'their ID'],
      organisationsnummer: ['the Swedish organisation number', 'your organization number'],
      iban: ['the receiving account', 'an IBAN'],
      kortnummer: ['the new credit card', 'the sixteen digits'],
      'e-post': ["the manager's email", 'the contact address'],
      telefonnummer: ['the emergency phone', 'your mobile', 'the landline'],
    },
  },
};

/** `@` is the label, `#` the thing itself. */
export const FRAMES: Readonly<Record<PhraseSet, Readonly<Record<Speech, readonly string[]>>>> = {
  first: {
    sv: [
      '@ är #.',
      'Anteckna @: # och skicka remissen.',
      'Jag tror att @ är #, men kolla gärna.',
      'Kan du skriva in @, # alltså, i formuläret?',
      '@ # gäller fortfarande',
      'Det är @ som är # och inget annat.',
    ],
    en: [
      '@ is #.',
      'Please write down @: # and call back.',
      'I believe @ is #, thank you.',
      'So @ is # as far as I know',
    ],
  },
  second: {
    sv: [
      'Hej, @ har ändrats till # sedan i fredags.',
      'Uppgiften om @ saknades, det ska stå #.',
      'Notera # som @ i journalen.',
      'Vi fick @ (#) av hans syster.',
      '#, det är @.',
      'Rätt @ lyder #; det gamla var fel.',
    ],
    en: [
      'Hello, @ has changed to # since Friday.',
      'We were missing @, it should read #.',
      '#, that is @.',
      'You can find @ (#) in the file.',
    ],
  },
  third: {
    sv: [
      'Sätt @ till #, tack så mycket.',
      'Jag läser upp @ nu: #, har du det?',
      'Ny rad. @ # bekräftat av handläggaren.',
      '@? Jo, #!',
      'Fyll i # där det står @.',
      'Enligt blanketten: @ # (kontrollerat i dag).',
    ],
    en: [
      'Let me read @ to you: #, got it?',
      'Set @ to #, please.',
      'New line. @ # confirmed.',
      'Enter # where it says @.',
    ],
  },
};
