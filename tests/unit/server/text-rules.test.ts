import { beforeAll, describe, expect, test } from 'vitest';
import { createTextRules } from '../../../server/text/create-text-rules.ts';
import { createHunspellSpellers } from '../../../server/text/load-spellers.ts';
import { tidyText } from '../../../server/text/tidy-text.ts';

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
