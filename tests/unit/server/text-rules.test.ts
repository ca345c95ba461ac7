import { beforeAll, describe, expect, test } from 'vitest';
import { createHunspellSpellers, tidyText } from '../../../server/text/correct-spelling.ts';
import { createTextRules } from '../../../server/text/create-text-rules.ts';

/** The real dictionaries. */
const rules = createTextRules({
  spellers: createHunspellSpellers(),
  onFailure: (error) => {
    throw error;
  },
});
beforeAll(() => rules.load(), 20_000);

const fix = (text: string, language = 'sv', removePii = false) =>
  rules.apply(text, { removePii, fixSpelling: true, language }).then((ruled) => ruled.text);

describe('spelling', () => {
  test.each([
    ['sv', 'Jag behöver hjälpp med datorn nu.', 'Jag behöver hjälp med datorn nu.'],
    ['sv', 'Vi ses kanskee i morgon.', 'Vi ses kanske i morgon.'],
    ['sv', 'Mätt blodtrykc i dag.', 'Mätt blodtryck i dag.'],
    ['en', 'Did you recieve the letter?', 'Did you receive the letter?'],
    ['en', 'We definitelly agree.', 'We definitely agree.'],
  ])('in %s: %s', async (language, text, wanted) => {
    expect(await fix(text, language)).toBe(wanted);
  });

  test.each([
    // Names, codes, numbers, addresses and placeholders.
    'Karlssson bor i Ystadd.',
    'Skriv till kalle@hjälpp.se om modell xr2000 idag.',
    'Se www.hjälpp.se eller hjälpp.nu för mer.',
    'Telefon [telefonnummer] och [personnummer] är dolda.',
    // Known words and compounds.
    'Sjukskrivningsintyget ligger i dikteringsfältet.',
    'Patienten mår bra och återkommer om två veckor.',
    // Doubt: more than one word is near.
    'Katten åt en lakre.',
  ])('leaves alone: %s', async (text) => {
    expect(await fix(text)).toBe(text);
  });

  test('a text in a language without a dictionary is only tidied', async () => {
    expect(await fix('dies ist  ein kurzer deutscher Satz', 'de')).toBe(
      'Dies ist ein kurzer deutscher Satz.',
    );
  });

  test('a text full of unknown words is quick and stays', async () => {
    const text = Array.from({ length: 300 }, (_, at) => `qvz${'xkwj'[at % 4]}ab${'bcdf'[at % 3]}q`);
    const startedMs = performance.now();
    await fix(text.join(' '));
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });
});

test.each([
  ['hej  hej , du .  vad gör du ?', 'Hej hej, du. Vad gör du?'],
  ['Röd,grön och blå.', 'Röd, grön och blå.'],
  ['Ta t.ex. en tablett kl. åtta i dag', 'Ta t.ex. en tablett kl. åtta i dag.'],
  ['Det kostar 1,50 kr. iPhone är dyrare.', 'Det kostar 1,50 kr. iPhone är dyrare.'],
  ['röd bil', 'Röd bil'],
  ['Rad ett\nrad två', 'Rad ett\nRad två'],
  ['', ''],
  ['Vänta … nu', 'Vänta … nu'],
])('tidies %j', (text, wanted) => {
  expect(tidyText(text)).toBe(wanted);
  expect(tidyText(wanted)).toBe(wanted);
});

describe('texts as Swedish models write them, with figures, capitals and marks', () => {
  test.each([
    'Patienten har haft feber i 3 dagar, upp till 39,4 grader.',
    'Hon sa: ”Jag mår bättre nu”, och gick hem.',
    '”Kommer du?” frågade han. ”Ja – om en stund”, svarade hon.',
    '”Nej!” ropade hon. Han gick.',
    '»Nej«, sa han.',
    '– Hej, hur är det? – Bra, tack.',
    'Mötet är kl. 14.30–15.45 på torsdag den 12 mars 2026.',
    'Det kostar 1 200 kronor, alltså 14 400 kronor om året.',
    'Ge 2,5 mg/ml, 3–4 gånger per dygn, i 10 dagar.',
    'Blodtryck 135/85. Puls 72. Saturation 98 %.',
    'Temperaturen var −5 grader, det vill säga under 0.',
    'Avdelning 4B, rum 12 – säng 3.',
    'EKG visar sinusrytm, inga ST-T-förändringar.',
    'På 1990-talet hade 3:e klass 25 elever.',
    'Enligt 12 § 3 st. lagen (1998:204) gäller det fr.o.m. den 1 juli t.o.m. den 3 juli.',
    'Mötet är inställt p.g.a. sjukdom, m.a.o. ses vi senare.',
    'Å ena sidan … å andra sidan.',
    'Klockan är 8. Bussen går 8.05.',
    'Det var 50/50 – eller 60-40, beroende på.',
    'Hon heter Åsa Lindén-Öberg och bor på Storgatan 5 i Umeå.',
    'NATO, EU och SVT rapporterade om saken.',
    'Vi köpte 3 st à 49,90 kr.',
    'Diarienummer 2024/1234-5, ärende 4711, vecka 12–14.',
  ])('neither rule touches: %s', async (text) => {
    expect(await fix(text)).toBe(text);
    expect(await fix(text, 'sv', true)).toBe(text);
  });

  test.each([
    ['Ring mig på 070-174 06 05 efter kl. 17.', 'Ring mig på [telefonnummer] efter kl. 17.'],
    ['Hon sa: ”Ring 070 174 06 05” – och gick.', 'Hon sa: ”Ring [telefonnummer]” – och gick.'],
    ['Ring 0701740605 i dag.', 'Ring [telefonnummer] i dag.'],
    ['Personnumret är 811228-9874.', 'Personnumret är [personnummer].'],
    ['Personnumret är 19811228-9874, säger hon.', 'Personnumret är [personnummer], säger hon.'],
    ['Personnumret är 81 12 28 98 74.', 'Personnumret är [personnummer].'],
    ['Mejla anna.svensson@example.se, tack.', 'Mejla [e-post], tack.'],
    ['Mejla Anna punkt Svensson snabel-a example punkt se.', 'Mejla [e-post].'],
    ['Kortet är 4111 1111 1111 1111.', 'Kortet är [kortnummer].'],
    ['IBAN är SE45 5000 0000 0583 9825 7466.', 'IBAN är [iban].'],
    ['Organisationsnummer 556036-0793.', 'Organisationsnummer [organisationsnummer].'],
  ])('personal data in it is masked: %s', async (text, masked) => {
    expect(await fix(text)).toBe(text);
    expect(await fix(text, 'sv', true)).toBe(masked);
  });
});

describe('the two together', () => {
  test('mask first, then correct, and say that both are active', async () => {
    expect(rules.states).toEqual({ removePii: 'active', fixSpelling: 'active' });
    expect(await fix('ring  mig kanskee på 070-174 06 05', 'sv', true)).toBe(
      'Ring mig kanske på [telefonnummer].',
    );
  });

  test('off, nothing is touched', async () => {
    const text = 'kanskee  850709-9805 ,';
    const wishes = { removePii: false, fixSpelling: false, language: 'sv' };
    expect((await rules.apply(text, wishes)).text).toBe(text);
  });

  test('without dictionaries masking goes on and spelling says that it does nothing', async () => {
    const failures: unknown[] = [];
    const broken = createTextRules({
      spellers: { load: () => Promise.reject(new Error('no file')), of: () => null },
      onFailure: (error) => failures.push(error),
    });
    await broken.load();
    expect(failures).toHaveLength(1);
    expect(broken.states).toEqual({ removePii: 'active', fixSpelling: 'inactive' });
    const wishes = { removePii: true, fixSpelling: true, language: 'sv' };
    expect(await broken.apply('a  850709-9805', wishes)).toEqual({
      text: 'a  [personnummer]',
      outcomes: { removePii: 'applied', fixSpelling: 'inactive' },
    });
  });
});
