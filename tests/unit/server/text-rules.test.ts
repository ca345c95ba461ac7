import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../server/core/system.ts';
import {
  correctSpelling,
  createHunspellSpellers,
  tidyText,
} from '../../../server/text/correct-spelling.ts';
import { createTextRules } from '../../../server/text/create-text-rules.ts';
import { maskPersonalData } from '../../../server/text/mask-personal-data.ts';
import {
  createThreadedTextRules,
  startTextThread,
  type TextThread,
  type ThreadedTextRulePorts,
  type ThreadedTextRules,
  textTimeLimitMs,
} from '../../../server/text/threaded-text-rules.ts';
import { createFakeEngine } from '../../helpers/fake-engine.ts';
import { HOSTILE_TEXTS } from '../../helpers/hostile-texts.ts';
import { said, wanted } from '../../helpers/personal-data/sentences.ts';
import { postSpeech, speechForm, startServer } from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

describe('rules', () => {
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
      const text = Array.from(
        { length: 300 },
        (_, at) => `qvz${'xkwj'[at % 4]}ab${'bcdf'[at % 3]}q`,
      );
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
});

describe('the thread', () => {
  /** The real thread with the real dictionaries. */
  let rules: ThreadedTextRules | null = null;
  let threads: TextThread[] = [];
  let failures: string[] = [];
  afterEach(async () => {
    await rules?.dispose();
    [rules, threads, failures] = [null, [], []];
  });

  function start(over: Partial<ThreadedTextRulePorts> = {}) {
    rules = createThreadedTextRules({
      clock: systemClock,
      onFailure: ({ message }) => failures.push(message),
      startThread(data, clock) {
        const thread = startTextThread(data, clock);
        threads.push(thread);
        return thread;
      },
      ...over,
    });
    const { apply, load } = rules;
    const textOf = async (...asked: Parameters<typeof apply>) => (await apply(...asked)).text;
    return { apply, load, textOf };
  }

  const both = { removePii: true, fixSpelling: true, language: 'sv' };
  const maskOnly = { ...both, fixSpelling: false };
  const spellingOnly = { ...both, removePii: false };
  const hard = (characters: number) =>
    HOSTILE_TEXTS.find(({ name }) => name === 'digits and spaces')?.ofLength(characters) ?? '';

  describe('text work in a thread', () => {
    test('masks at once, and corrects when the dictionaries are read', async () => {
      const { load, textOf } = start();
      expect(rules?.states).toEqual({ removePii: 'active', fixSpelling: 'inactive' });
      expect(await textOf('a  850709-9805', maskOnly)).toBe('a  [personnummer]');
      await load();
      expect(rules?.states.fixSpelling).toBe('active');
      expect(await textOf('ring  mig kanskee på 070-174 06 05', both)).toBe(
        'Ring mig kanske på [telefonnummer].',
      );
      expect(failures).toEqual([]);
    }, 40_000);

    test("words of the operator's prompt are left alone", async () => {
      const { load, textOf } = start({ ownWords: ['kanskee'] });
      await load();
      expect(await textOf('vi ses kanskee i morgon', spellingOnly)).toBe(
        'Vi ses kanskee i morgon.',
      );
    }, 40_000);

    test('the main thread goes on while a hard text of 50,000 characters is masked', async () => {
      const { load, apply } = start({ timeLimitMs: () => 60_000 });
      await load();
      let turns = 0;
      const timer = setInterval(() => turns++, 5);
      await apply(hard(50_000), maskOnly);
      clearInterval(timer);
      expect(turns).toBeGreaterThan(10);
    }, 100_000);

    test('too long: what was to be masked is not given, and the next text goes on', async () => {
      const { load, apply, textOf } = start({ timeLimitMs: () => 1_500 });
      await load();
      const secret = `${hard(200_000)} 850709-9805`;
      await expect(apply(secret, both)).rejects.toThrow('took too long');
      const [again, next] = [apply(secret, maskOnly), textOf('850709-9805', maskOnly)];
      await expect(again).rejects.toThrow('took too long');
      expect(await next).toBe('[personnummer]');
      expect(threads).toHaveLength(3);
      expect(failures.join()).not.toContain('8507');
    }, 100_000);

    test('spelling that takes too long leaves the masked words, and the answer says that it failed', async () => {
      const { load, apply } = start({
        // However fast the thread is, and however busy the machine: this limit is over first.
        clock: {
          ...systemClock,
          after(delayMs, run) {
            if (delayMs !== 0) return systemClock.after(delayMs, run);
            queueMicrotask(run);
            return () => undefined;
          },
        },
        timeLimitMs: (characters) => (characters > 1_000 ? 0 : 60_000),
      });
      await load();
      const words = 'vi ses kanskee i morgon '.repeat(50);
      expect(await apply(words, spellingOnly)).toEqual({
        text: words,
        outcomes: { removePii: 'off', fixSpelling: 'failed' },
      });
      // A new one has been started already, and does what is asked.
      expect(threads).toHaveLength(2);
      expect(await apply('kanskee  850709-9805', both)).toEqual({
        text: 'Kanske [personnummer]',
        outcomes: { removePii: 'applied', fixSpelling: 'applied' },
      });
    }, 100_000);

    test('one text holds the thread for no longer than goes with its length', () => {
      expect(textTimeLimitMs(0)).toBe(1_000);
      expect(textTimeLimitMs(1_300)).toBeLessThan(1_500);
      expect(textTimeLimitMs(10_000)).toBeLessThanOrEqual(4_000);
      expect(textTimeLimitMs(10_000_000)).toBe(10_000);
    });

    test('a thread that dies: masking fails closed, spelling leaves the words', async () => {
      const { load, apply, textOf } = start();
      await load();
      const masked = apply(`${hard(50_000)} 850709-9805`, maskOnly);
      await Promise.resolve();
      setTimeout(() => void threads[0]?.terminate(), 50);
      await expect(masked).rejects.toThrow('the text thread ended');
      expect(await textOf('850709-9805', maskOnly)).toBe('[personnummer]');
      const spelled = textOf(`kanskee ${hard(50_000)}`, spellingOnly);
      setTimeout(() => void threads[1]?.terminate(), 1);
      expect(await spelled).toBe(`kanskee ${hard(50_000)}`);
    }, 100_000);
  });

  test.each([
    ['removePii', 500],
    ['fixSpelling', 200],
  ])('a thread that cannot start, %s asked for: %i', async (asked, status) => {
    const said = 'my number is 850709-9805';
    const broken = createThreadedTextRules({
      clock: systemClock,
      onFailure: ({ message }) => failures.push(message),
      startThread: () => ({
        ready: Promise.resolve(null),
        ask: () => Promise.reject(new Error('the text thread ended')),
        isOver: () => true,
        terminate: async () => undefined,
      }),
    });
    const { engine } = createFakeEngine(said);
    const server = await startServer({ engine, textRules: broken });
    const fields = { removePii: 'false', fixSpelling: 'false', [asked]: 'true' };
    const answer = await postSpeech(
      server,
      speechForm(waveFile(16_000, tone(440, 16_000, 0.5)), fields),
    );
    await server.close();
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body).includes('850709')).toBe(status === 200);
    if (status === 200) {
      expect(answer.body.textRules).toEqual({ removePii: 'off', fixSpelling: 'failed' });
    }
    expect(failures).toEqual(['the text thread ended']);
  });
});

describe('words', () => {
  /** Words to keep and to correct (`tests/fixtures/spelling`), with real dictionaries. */
  const spellers = createHunspellSpellers();
  beforeAll(() => spellers.load(), 40_000);

  const LANGUAGES = ['sv', 'en'] as const;
  const NO_WORDS: ReadonlySet<string> = new Set();

  function fix(text: string, language: string, ownWords = NO_WORDS): string {
    const speller = spellers.of(language);
    if (speller === null) throw new Error(`no dictionary of ${language}`);
    return correctSpelling(text, speller, ownWords);
  }

  function readTable(name: string): readonly string[] {
    const path = new URL(`../../fixtures/spelling/${name}`, import.meta.url);
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines
      .filter((line) => !line.startsWith('#'))
      .flatMap((line) => line.match(/\S+/g) ?? []);
  }

  describe('right words', () => {
    const terms = [...new Set(readTable('terms.txt'))];

    test.each(LANGUAGES)(
      'in %s none of at least 1,000 terms is changed',
      (language) => {
        expect(terms.length).toBeGreaterThanOrEqual(1_000);
        const changed = terms.filter((term) => fix(term, language) !== term);
        expect(changed).toEqual([]);
      },
      60_000,
    );

    test.each([
      'dysphasia and aphagia',
      'digoxin och keppra samt ipren',
      'async json backend valkey',
    ])('%s stays in both languages', (text) => {
      for (const language of LANGUAGES) expect(fix(text, language)).toBe(text);
    });

    test('a letter is never changed or taken away, whatever is near', () => {
      for (const text of ['valkey', 'digoxin', 'backend', 'keppra', 'seperate', 'definately']) {
        expect(fix(text, 'en')).toBe(text);
      }
    });

    test('British spellings stay', () => {
      const british =
        'centre metres theatre litre fibre travelling traveller cancelled labelled modelling marvellous ' +
        'fulfil fulfilment enrol skilful wilful instalment focussed benefitted counsellor jewellery ' +
        'colour programme tonne waggon storey whisky anaemia oedema haemoglobin oesophagus';
      expect(british.split(' ').filter((word) => fix(word, 'en') !== word)).toEqual([]);
    });

    test('a word that comes again is meant, and so is one of the own words', () => {
      expect(fix('vi ses kanskee', 'sv')).toBe('vi ses kanske');
      expect(fix('kanskee är kanskee', 'sv')).toBe('kanskee är kanskee');
      expect(fix('vi ses kanskee', 'sv', new Set(['kanskee']))).toBe('vi ses kanskee');
    });
  });

  test('of 300 slips some are mended in each language, and at most 1 % wrongly', () => {
    const outcomes = LANGUAGES.map((language) => {
      const slips = readTable(`slips-${language}.txt`).map((pair) => pair.split('>'));
      const after = slips.map(([slip = '', meant]) => ({ slip, meant, is: fix(slip, language) }));
      const mended = after.filter(({ meant, is }) => is === meant).length;
      const wrong = after.filter(({ slip, meant, is }) => is !== slip && is !== meant).length;
      console.log(`spelling, ${language}: ${mended} of ${slips.length} mended, ${wrong} wrongly`);
      expect(mended / slips.length).toBeGreaterThanOrEqual(language === 'sv' ? 0.6 : 0.2);
      return { all: slips.length, wrong };
    });
    const sum = (of: (outcome: (typeof outcomes)[number]) => number) =>
      outcomes.reduce((total, outcome) => total + of(outcome), 0);
    expect(sum(({ all }) => all)).toBeGreaterThanOrEqual(300);
    expect(sum(({ wrong }) => wrong)).toBeLessThanOrEqual(3);
  }, 60_000);
});

describe('masked numbers', () => {
  /**
   * Care and office around numbers: what is masked stands as `{kind|as said}`, and each character
   * outside of it must come out as it went in.
   */
  const SENTENCES: Readonly<Record<string, readonly string[]>> = {
    'doses, pressure, temperature and sizes behind a number': [
      'Anhörig nås på {telefonnummer|070-123 45 67}, 10 mg Waran dagligen.',
      'Ring {telefonnummer|070-123 45 67}, 120/80 i blodtryck.',
      'Ring {telefonnummer|070-123 45 67}, 38,5 grader.',
      'Ring {telefonnummer|070-123 45 67} 10 mg Waran dagligen.',
      'Ring {telefonnummer|070 123 45 67} 10 mg Waran dagligen.',
      'Ring {telefonnummer|0701234567}; 2,5 mg, 1 gång dagligen.',
      'Ring {telefonnummer|0701234567}. 500 mg Alvedon vid behov.',
      'Mobil {telefonnummer|070-123 45 67}: 1 tablett kl 08 och 20.',
      'Växel {telefonnummer|08-123 45 67}, 10 mg, 20 mg och 30 mg.',
      'Växel {telefonnummer|08-123456}, 10 mg.',
      'Växel {telefonnummer|08-12 34 56} 10 mg.',
      'Växel {telefonnummer|08-12 34 56} 38,5 grader.',
      'Växel {telefonnummer|08-12 34 56} 20 %, 30 % och 40 procent.',
      'Växel {telefonnummer|090-12 34 56} 10 tabletter.',
      'Växel {telefonnummer|031-390 06 00} 14 dagar, sedan 7 dagar.',
      'Växel {telefonnummer|040-627 32 20}, 3 x 4 cm, 2 x 500 mg.',
      'Dotterns mobil {telefonnummer|+46 70 123 45 67}, 75 mikrogram Levaxin.',
      'Dotterns mobil {telefonnummer|+46 (0)70-123 45 67}, 5 ml.',
      'Dotterns mobil {telefonnummer|(070) 123 45 67}, 98 % saturation.',
      'Dottern ({telefonnummer|070-123 45 67}) ger 10 E insulin.',
      'Call {telefonnummer|+44 20 8366 1177}, 10 mg twice a day.',
      'Call {telefonnummer|(202) 456-1111}, 120/80, 38.5 degrees.',
      'Call {telefonnummer|202-456-1111}; 5 ml every 4 hours.',
      'Call {telefonnummer|1-202-456-1111}, 20 units.',
    ],
    'times, dates, rooms and codes beside a number': [
      'Ring {telefonnummer|070-123 45 67} kl 10.30.',
      'Ring {telefonnummer|018-611 00 00} 08.00-16.30.',
      'Ring {telefonnummer|018-611 00 00}, 08.00-16.30, helger 10-14.',
      'Ring {telefonnummer|0046-8-123 456 78}, 15 mg.',
      'Mobil {telefonnummer|070, 123 45 67}, 10 mg.',
      '{telefonnummer|0701234567}, 10 mg; {telefonnummer|08-508 280 00} 120/80 puls 72.',
      'Ring {telefonnummer|070-123 45 67}, 10.30 eller 14:15.',
      'Ring {telefonnummer|08-123 45 67} 08.30 den 15/1.',
      'Ring {telefonnummer|070-123 45 67} 2024-01-15 10:30.',
      '2024-01-15 10:30 {telefonnummer|070-123 45 67} svarar inte.',
      'Kl 10.30 {telefonnummer|070-123 45 67} svarar inte.',
      'Rum 12, {telefonnummer|08-123 45 67}, plan 3, sal 204.',
      'Rum 12 {telefonnummer|070-123 45 67}.',
      '{telefonnummer|070-123 45 67} är numret, rum 301.',
      'Diagnos J06.9, {telefonnummer|070-123 45 67}, F32.1.',
      'Anknytning 4512, växel {telefonnummer|08-123 456 78}, ankn 4513.',
      'Artikel 12-3456, {telefonnummer|0701234567}, 1 200 kr.',
      'Faktura 12345, 1 250,50 kr, {telefonnummer|070-123 45 67}, 25 % moms.',
      'Pris 10 000 kr {telefonnummer|070-123 45 67} 20 000 kr.',
      'tel/{telefonnummer|070-123 45 67}, fax/{telefonnummer|08-123 45 68}',
      '1. {telefonnummer|070-123 45 67}\n2. 10 mg\n3. {telefonnummer|073-765 43 21}\n4. 120/80',
      'Tel {telefonnummer|08-123456}\n10 mg Waran\n20 mg Furix',
    ],
    'two numbers and more': [
      'Nås på {telefonnummer|070-123 45 67}, {telefonnummer|073-765 43 21}.',
      'Nås på {telefonnummer|070-123 45 67} {telefonnummer|073-765 43 21}.',
      'Nås på {telefonnummer|070-123 45 67}/{telefonnummer|073-765 43 21}.',
      'Nås på {telefonnummer|070-123 45 67} / {telefonnummer|073-765 43 21}.',
      'Nås på {telefonnummer|070-123 45 67} - {telefonnummer|073-765 43 21}.',
      'Nås på {telefonnummer|070-123 45 67} eller {telefonnummer|073-765 43 21}.',
      'Nås på {telefonnummer|070-123 45 67} och {telefonnummer|08-765 43 21}, 10 mg.',
      'Nås på {telefonnummer|070-123 45 67}; {telefonnummer|073-765 43 21}; {telefonnummer|08-123456}.',
      'Nås på {telefonnummer|0701234567},{telefonnummer|0737654321}.',
      'Nås på {telefonnummer|0701234567} {telefonnummer|0737654321} {telefonnummer|081234567}.',
      'Nås på {telefonnummer|070 123 45 67} {telefonnummer|073 765 43 21}.',
      'Nås på {telefonnummer|08-123456} {telefonnummer|08-765432}.',
      'Nås på {telefonnummer|08 123 456} {telefonnummer|08 765 432}.',
      'Nås på {telefonnummer|08-12 34 56}, {telefonnummer|08-76 54 32}, 20 mg.',
      'Nås på {telefonnummer|+46701234567} {telefonnummer|+46737654321}.',
      'Nås på {telefonnummer|+46 70 123 45 67}, {telefonnummer|0046 73 765 43 21}.',
      'Nås på ({telefonnummer|070-123 45 67}) ({telefonnummer|073-765 43 21}).',
      'Call {telefonnummer|202-456-1111} or {telefonnummer|(212) 736-5000}.',
      'Call {telefonnummer|0113 496 0000}, {telefonnummer|07911 123456}, 5 ml.',
      'Call {telefonnummer|020 7946 0958} or {telefonnummer|+46 8 123 456 78}, 10 mg.',
    ],
    'read out': [
      'Ring {telefonnummer|noll sju noll ett två tre fyra fem sex sju}, tio milligram Waran.',
      'Ring {telefonnummer|noll sju noll ett två tre fyra fem sex sju} tio milligram Waran.',
      'Ring {telefonnummer|noll åtta ett två tre fyra fem sex}, tio milligram.',
      'Ring {telefonnummer|noll åtta ett två tre fyra fem sex}, {telefonnummer|noll åtta sju sex fem fyra tre två}.',
      'Ring {telefonnummer|noll sju noll ett två tre fyra fem sex sju} eller {telefonnummer|noll sju tre sju sex fem fyra tre två ett}.',
      'Ring {telefonnummer|noll sju noll, ett två tre, fyra fem, sex sju}, tre gånger.',
      'Ring {telefonnummer|0 7 0 1 2 3 4 5 6 7}, 10 mg.',
      'Ring {telefonnummer|noll sju noll, hundratjugotre, fyrtiofem, sextiosju}, trehundra milligram.',
      'Ring {telefonnummer|noll åtta femhundraåtta tvåhundraåttio noll noll}, hundra gånger.',
      'Call {telefonnummer|zero seven zero one two three four five six seven}, ten milligrams.',
      'Personnummer {personnummer|två noll ett två noll ett ett två tre ett}, tio milligram.',
    ],
    'beside the other kinds': [
      'Pat {personnummer|850709-9805}, {telefonnummer|070-123 45 67}, 10 mg.',
      'Pat {personnummer|850709-9805} {telefonnummer|070-123 45 67} 10 mg.',
      'Pat {personnummer|850709-9805} 10 mg, 120/80, 38,5.',
      'Pat {personnummer|850709-9805}, {personnummer|640823-3234}, 2024-01-15.',
      'Pat {personnummer|850709-9805} {personnummer|640823-3234} kl 10.30.',
      'Pat {personnummer|850709-9805}/{personnummer|640823-3234}.',
      'Pat {personnummer|19850709-9805} och {samordningsnummer|850769-9802}, rum 12.',
      'Bolag {organisationsnummer|556036-0793}, {organisationsnummer|556703-7485}, 1 000 kr.',
      'Bolag {organisationsnummer|556036-0793} 38,5 procent.',
      'Konto {iban|SE45 5000 0000 0583 9825 7466}, {iban|SE35 5000 0000 0549 1000 0003}, 500 kr.',
      'Konto {iban|SE45 5000 0000 0583 9825 7466} {iban|SE35 5000 0000 0549 1000 0003} 500 kr.',
      'Konto {iban|SE4550000000058398257466} 2024-01-15 10:30.',
      'Kort {kortnummer|4111 1111 1111 1111}, {kortnummer|5555 5555 5555 4444}, 12/27.',
      'Kort {kortnummer|4111 1111 1111 1111} {kortnummer|5555 5555 5555 4444} 120 kr.',
      'Kort {kortnummer|4111 1111 1111 1111} 123, 10 mg.',
      'Mejl {e-post|anna@example.se}, {e-post|bo@example.se}. 10 mg.',
      'Mejl {e-post|anna@example.se} {e-post|bo@example.se} 10 mg.',
      'Mejl {e-post|anna@example.se}/{e-post|bo@example.se}.',
      '-{e-post|anna@example.se}\n-{e-post|bo@example.se}',
      'Mejla {e-post|anna@example.se}.Ring sedan.',
      'Mejla {e-post|kalle snabel-a gmail punkt com}. Ta 10 mg.',
      'Det gäller henne. {e-post|Anna snabel-a firman punkt se}',
      'Mejla {e-post|anna.berg snabel-a firman.se}. Ta 10 mg.',
      'Mejla {e-post|anna punkt berg snabel-a firman punkt se} och {e-post|bo snabel-a firman punkt se}, 38,5.',
    ],
    'nothing to mask': [
      'Dos 10 20 30 40 50 60 70 mg.',
      'Dos 05 10 15 20 25 mg.',
      'Ges kl 08 12 16 20.',
      'Ges kl 08 12 18 22.',
      'Ges 08.00 12.00 16.00 20.00.',
      'Ges 08.00, 14.00, 20.00 och 02.00.',
      'Ges 08:00 14:00 20:00.',
      'Öppet 08-12 13-17.',
      'Öppet 08-12, 13-17.',
      'Öppet 07.30-16.30, fredag 08.00-15.00.',
      'Ring 0800-1600 vardagar.',
      'Ring 08-12 13-17 vardagar.',
      'Ring 08.00-16.30 vardagar.',
      'Trehundratjugo kronor, hundratjugo genom åttio, tvåhundra milligram.',
      'Stängt 0800-1600.',
      'Kom 08/12 14.30.',
      'Kom 08.12.2024 10.30.',
      'Kom 01/02/2024 10.30 och gick 03/02/2024 11.45.',
      'Kom 2024-01-15 10:30 och gick 2024-01-15 12:45.',
      'Kom 2024-01-15 0830 och gick 2024-01-15 1245.',
      'Kom 2024 01 15 10 30 00.',
      'Kom 20240115 1030.',
      'Kom 080115 1430.',
      'Puls 72, 84, 90, 76, 68.',
      'Blodtryck 120/80 130/85 140/90 150/95.',
      'Blodtryck 120 80 130 85 140 90.',
      'Blodsocker 07 08 12 09 11 kl 08 12 16 20.',
      'Temp 36,5 37,0 38,5 39,1.',
      'Hb 134 LPK 7,2 TPK 245 CRP 12 Na 140 K 4,1 Krea 78.',
      'Krea 078 081 085 090.',
      'Värden 0,1 0,25 0,5 1,0 2,0.',
      'Saturation 98 97 96 95 94 93 procent.',
      'Mått 010 x 020 x 030 mm.',
      'Vikt 072,5 kg, längd 178 cm.',
      'Artikelnummer 012-3456789.',
      'Varunummer 01 23 45, batch 0412345.',
      'Journalnummer: 0701234567.',
      'Kod SO-01497177, ATC B01AA03.',
      'Bankgiro 0123-4567.',
      'Summa 10 070 123 kr.',
      'Hälsningar från 2024, 2025 och 2026.',
      'Skala 0-10, VAS 03-04, 05-06, 07-08.',
      'Tider 02/11 0581, 08/2 - 08/5 08/3.',
      'Mellan 2015-10-24 02.08 - 2016-04-14 05.56.',
      'Mellan 02.10.2017 - 08.10.2007 och 27.08.2008.',
      'Värden 0639 0579, 0219 0379.',
      'Grader 03-13 01-22 - 03-23.',
      'The score was 08-12, 10-12, 09-12.',
    ],
  };

  describe.each(Object.entries(SENTENCES))('%s', (_, sentences) => {
    test.each(sentences)('%s', (sentence) => {
      const language = /^(?:Call|The)\b/.test(sentence) ? 'en' : 'sv';
      expect(maskPersonalData(said(sentence), language)).toBe(wanted(sentence));
    });
  });

  describe('made sentences', () => {
    const digit = fc.integer({ min: 0, max: 9 });
    const digits = (count: number) =>
      fc.array(digit, { minLength: count, maxLength: count }).map((all) => all.join(''));
    const phone = fc
      .tuple(fc.constantFrom('070', '072', '073', '076', '079'), digits(7), fc.nat(6))
      .filter(([, rest]) => new Set(rest).size > 3 && !rest.startsWith('0'))
      .map(([area, rest, form]) => {
        const [a, b, c] = [rest.slice(0, 3), rest.slice(3, 5), rest.slice(5)];
        const abroad = area.slice(1);
        const forms = [
          `${area}-${a} ${b} ${c}`,
          `${area} ${a} ${b} ${c}`,
          `${area}-${rest}`,
          `${area}${rest}`,
          `+46 ${abroad} ${a} ${b} ${c}`,
          `+46${abroad}${rest}`,
          `+46 (0)${abroad}-${a} ${b} ${c}`,
        ];
        return { spoken: forms[form] ?? '', digits: `${abroad}${rest}` };
      });
    const amount = fc
      .tuple(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 0, max: 9 }))
      .chain(([whole, tenth]) =>
        fc.constantFrom(
          `${whole} mg`,
          `${whole},${tenth} mg`,
          `${whole} %`,
          '120/80',
          '38,5 grader',
          'kl 10.30',
          '10:30',
          '2024-01-15',
          `rum ${whole}`,
          `${whole} x ${tenth + 1} cm`,
          'J06.9',
          '1 250,50 kr',
        ),
      );
    const between = fc.constantFrom(', ', ' ', '; ', '. ', ' och ', ' eller ', ' / ', ': ', '\n');
    const part = fc.oneof(phone, amount);

    test('keep every character outside the numbers, and no digit of theirs', () => {
      fc.assert(
        fc.property(fc.array(fc.tuple(part, between), { minLength: 1, maxLength: 8 }), (parts) => {
          const put = (as: (number: { spoken: string }) => string) =>
            parts.map(([one, gap]) => (typeof one === 'string' ? one : as(one)) + gap).join('');
          const masked = maskPersonalData(
            put(({ spoken }) => spoken),
            'sv',
          );
          // Ten digits in one may begin with a birthday as well.
          const called = masked.replaceAll(/\[(?:person|samordnings)nummer\]/g, '[telefonnummer]');
          expect(called).toBe(put(() => '[telefonnummer]'));
        }),
        { seed: 43, numRuns: 2_000 },
      );
    });
  });
});
