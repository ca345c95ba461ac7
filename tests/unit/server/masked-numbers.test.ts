import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskPersonalData } from '../../../server/text/mask-personal-data.ts';
import { said, wanted } from '../../helpers/personal-data/score.ts';

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
