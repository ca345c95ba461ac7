import { describe, expect, test } from 'vitest';
import { writeNumbers } from '../../src/core/text/numbers.ts';
import { expectLinear } from '../helpers/expect-linear.ts';

/** What was heard and what is written; the second is left out where nothing may change. */
type Case = readonly [heard: string, written?: string];

const SWEDISH: readonly Case[] = [
  // From thirteen on.
  ['Det kom tjugofem patienter.', 'Det kom 25 patienter.'],
  ['Tretton patienter kom.', '13 patienter kom.'],
  ['Det kom tjugo fem patienter.', 'Det kom 25 patienter.'],
  ['hundratjugofem', '125'],
  ['hundra tjugo fem', '125'],
  ['etthundra', '100'],
  ['tvåhundra personer', '200 personer'],
  ['två hundra personer', '200 personer'],
  ['tvåtusenfemhundra', '2500'],
  ['tre tusen fem hundra', '3500'],
  ['tolvtusenfemhundra', '12\u00a0500'],
  ['tvåhundratusen', '200\u00a0000'],
  ['år nittonhundraåttiofem', 'år 1985'],
  ['tjugohundratjugofyra', '2024'],
  ['tjugofem miljoner', '25 miljoner'],
  // Small ones are words.
  ['Det kom tolv patienter.'],
  ['Tre gånger dagligen.'],
  ['En man och två kvinnor.'],
  ['Siffra tolv.', '12.'],
  ['Det kom siffran tre patienter.', 'Det kom 3 patienter.'],
  ['Siffra.'],
  ['Siffran är fel.'],
  // With units.
  ['fem milligram', '5 mg'],
  ['Fem milligram Morfin.', '5 mg Morfin.'],
  ['ett milligram', '1 mg'],
  ['tjugofem mikrogram', '25 µg'],
  ['tjugofem procent', '25 procent'],
  ['fem procent', '5 procent'],
  ['hundra procent', '100 procent'],
  ['hundra milligram', '100 mg'],
  ['tio milliliter', '10 ml'],
  ['två deciliter', '2 dl'],
  ['femtio kronor', '50 kronor'],
  ['femtusen kronor', '5000 kronor'],
  ['trettioåtta grader', '38 grader'],
  ['tolv enheter insulin', '12 enheter insulin'],
  ['sju kilo', '7 kg'],
  ['ett gram'],
  ['en liter'],
  ['ett kilo'],
  ['två miljoner'],
  // Decimals.
  ['noll komma fem', '0,5'],
  ['noll komma fem milligram', '0,5 mg'],
  ['noll komma noll fem milligram', '0,05 mg'],
  ['trettioåtta komma fem grader', '38,5 grader'],
  ['tre komma fjorton', '3,14'],
  ['tre komma ett fyra ett', '3,141'],
  ['tre komma tjugofem liter', '3,25 liter'],
  ['Han ska komma fem gånger.'],
  ['Två, komma hem.'],
  ['fem komma'],
  ['fem komma tjugo trettio'],
  // Blood pressure.
  ['hundratjugo genom åttio', '120/80'],
  ['Blodtryck hundrafyrtiofem genom nittio.', 'Blodtryck 145/90.'],
  ['hundra tjugo genom åttio', '120/80'],
  ['fem genom två'],
  ['tjugofem genom fem', '25 genom fem'],
  // Times.
  ['klockan fjorton trettio', 'klockan 14.30'],
  ['Klockan åtta.', 'Klockan 8.'],
  ['klockan åtta noll noll', 'klockan 8.00'],
  ['klockan sex noll fem', 'klockan 6.05'],
  ['klockan tjugo trettio', 'klockan 20.30'],
  ['klockan sexton och femton', 'klockan 16.15'],
  ['klockan tjugotre', 'klockan 23'],
  ['klockan halv åtta'],
  ['klockan tio i åtta'],
  ['tjugo i åtta'],
  ['tjugo över sju'],
  ['klockan är mycket'],
  ['klockan trettio', 'klockan 30'],
  // Dates.
  ['den femte maj', 'den 5 maj'],
  ['femte maj', '5 maj'],
  ['den tjugofemte december', 'den 25 december'],
  ['den tjugoförsta mars tjugohundratjugofyra', 'den 21 mars 2024'],
  ['den första maj nittonhundraåttiofem', 'den 1 maj 1985'],
  ['den tionde juni tjugo tjugofyra', 'den 10 juni 2024'],
  ['den femte gången'],
  ['första gången'],
  ['i maj'],
  // Ordinals.
  ['för trettonde gången', 'för 13:e gången'],
  ['för tjugoförsta gången', 'för 21:a gången'],
  ['tjugoandra', '22:a'],
  ['tjugofemte', '25:e'],
  ['elfte timmen'],
  // Telephone numbers and other digits that are read out.
  ['noll sju noll ett två tre fyra fem sex sju', '070-123 45 67'],
  ['noll sju noll tolv trettiofyra femtiosex sju', '070-123 45 67'],
  ['noll åtta ett två tre fyra fem sex', '08-12 34 56'],
  ['ett två tre fyra', '1234'],
  ['ett ett två'],
  // Two readings, half written, idioms, parts of words.
  ['tjugo tjugofyra'],
  ['hundra elva tjugo'],
  ['två tre'],
  ['två tre dagar'],
  ['tjugo trettio personer'],
  ['5 hundra'],
  ['tjugo 5'],
  ['tusen tack'],
  ['hundra gånger'],
  ['Fy sjutton!'],
  ['För sjutton!'],
  ['för sjutton år sedan', 'för 17 år sedan'],
  ['nittiotalet'],
  ['en tjugofemåring'],
  ['femtio-femtio'],
  ['ett tjugotal'],
  ['sexuell'],
  ['Sextio är ett tal.', '60 är ett tal.'],
  ['Hon har sex barn.'],
  ['Vi såg Tretton dagar.'],
  ['Han sa: Tjugofem.', 'Han sa: 25.'],
  ['en trettio personer', 'en 30 personer'],
  ['Ingenting här.'],
];

const ENGLISH: readonly Case[] = [
  ['We saw twenty-five patients.', 'We saw 25 patients.'],
  ['We saw twenty five patients.', 'We saw 25 patients.'],
  ['We saw thirteen patients.', 'We saw 13 patients.'],
  ['We saw one hundred and five patients.', 'We saw 105 patients.'],
  ['We saw two hundred patients.', 'We saw 200 patients.'],
  ['about two thousand five hundred', 'about 2500'],
  ['about twelve thousand five hundred', 'about 12,500'],
  ['in two thousand and five', 'in 2005'],
  ['We saw twelve patients.'],
  ['Twenty-five patients came.'],
  ['He came. Thirty left.'],
  ['Write digit twelve.', 'Write 12.'],
  ['numeral three', '3'],
  ['five milligrams', '5 mg'],
  ['Five milligrams of morphine.', '5 mg of morphine.'],
  ['one milligram', '1 mg'],
  ['twenty-five micrograms', '25 µg'],
  ['ten milliliters', '10 ml'],
  ['seven kilos', '7 kg'],
  ['twenty-five percent', '25 percent'],
  ['five percent', '5 percent'],
  ['five dollars', '$5'],
  ['it costs twenty-five dollars', 'it costs $25'],
  ['a gram'],
  ['one gram'],
  ['zero point five', '0.5'],
  ['zero point five milligrams', '0.5 mg'],
  ['three point one four', '3.14'],
  ['ninety-eight point six degrees', '98.6 degrees'],
  ['at this point five people left'],
  ['the point is'],
  ['one twenty over eighty', '120/80'],
  ['one hundred twenty over eighty', '120/80'],
  ['one hundred and forty-five over ninety', '145/90'],
  ['over eighty', 'over 80'],
  ['two over three'],
  ['at eight thirty p.m.', 'at 8:30 p.m.'],
  ['at eight am', 'at 8 am'],
  ['at eight'],
  ["eight o'clock", "8 o'clock"],
  ['at eight thirty'],
  ['twenty past seven'],
  ['on May fifth', 'on May 5'],
  ['on December twenty-fifth', 'on December 25'],
  ['the fifth of May', 'the 5th of May'],
  ['the twenty-first of March', 'the 21st of March'],
  ['the twenty-first time', 'the 21st time'],
  ['the thirteenth', 'the 13th'],
  ['the second time'],
  ['May I come?'],
  ['call five five five one two three four', 'call 555-1234'],
  ['call two one two five five five one two three four', 'call 212-555-1234'],
  ['nine one one'],
  ['one two three four', '1234'],
  ['nineteen eighty-five'],
  ['twenty thirty'],
  ['two three'],
  ['a hundred times'],
  ['They read Seventeen.'],
  ['a thousand thanks'],
  ['twenty-something'],
  ['one of them'],
  ['no one'],
  ['5 hundred'],
  ['sex'],
  ['Nothing here.'],
];

const TABLES = [
  ['sv', SWEDISH],
  ['en', ENGLISH],
] as const;

describe.each(TABLES)('%s', (language, cases) => {
  const pairs = cases.map(([heard, written = heard]) => [heard, written] as const);

  test.each(pairs)('%j', (heard, written) => {
    expect(writeNumbers(heard, language)).toBe(written);
  });

  test('what is written, stays', () => {
    for (const [, written] of pairs) expect(writeNumbers(written, language)).toBe(written);
  });

  test('other languages stay', () => {
    for (const [heard] of pairs) expect(writeNumbers(heard, 'de')).toBe(heard);
  });

  test('linear time', () => {
    expectLinear(
      (text) => writeNumbers(text, language),
      [
        ...['ett ', 'tjugo ', 'noll komma ', 'noll komma noll ', 'siffra ', 'siffra tjugo '],
        ...['klockan ', 'klockan tjugo ', 'hundra ', 'tusen', 'hundra', 'en tjugo ', 'femte maj '],
        ...['one ', 'one hundred and ', 'twenty ', 'zero point ', 'one twenty over ', 'may fifth '],
      ],
    );
  });
});
