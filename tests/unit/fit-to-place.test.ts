import { expect, test } from 'vitest';
import { fitToPlace, unitsBehindCaret } from '../../src/core/text/fit-to-place.ts';
import { insertionText } from '../../src/field/insertion-text.ts';
import { expectLinear } from '../helpers/expect-linear.ts';

const SMART = {
  spacing: 'smart',
  isMultiline: true,
  rule: { fitToPlace, unitsBehindCaret },
} as const;
const LINE = { ...SMART, isMultiline: false } as const;

/** The content after a text was inserted at `|`, with the caret as `|`. */
function placed(place: string, text: string, rules: Parameters<typeof insertionText>[2]): string {
  const [before = '', after = ''] = place.split('|');
  const { text: fitted, behind } = insertionText(text, { before, after }, rules);
  const caret = fitted.length - behind;
  return `${before}${fitted.slice(0, caret)}|${fitted.slice(caret)}${after}`;
}

/** Place, what the recogniser wrote, what stands there then; `|` is the caret. */
const PLACES = [
  // A new sentence keeps its capital and its full stop.
  ['|', 'Patienten mår bra.', 'Patienten mår bra.|'],
  ['Hon sover.|', 'Patienten mår bra.', 'Hon sover. Patienten mår bra.|'],
  ['Hon sover. |', 'Han äter.', 'Hon sover. Han äter.|'],
  ['Mår du bra? |', 'Det hoppas jag.', 'Mår du bra? Det hoppas jag.|'],
  ['Stopp! |', 'Vänta.', 'Stopp! Vänta.|'],
  ['Ja… |', 'Kanske.', 'Ja… Kanske.|'],
  ['Rad ett\n|', 'Rad två.', 'Rad ett\nRad två.|'],
  ['Rad ett,\n\n|', 'Hej.', 'Rad ett,\n\nHej.|'],
  ['She sleeps. |', 'The patient is fine.', 'She sleeps. The patient is fine.|'],
  ['Are you well? |', 'I hope so.', 'Are you well? I hope so.|'],
  ['| Han äter.', 'Hon sover.', 'Hon sover.| Han äter.'],
  ['|\nHan äter.', 'Hon sover.', 'Hon sover.|\nHan äter.'],
  ['Hon sover. | Han äter.', 'Det är natt.', 'Hon sover. Det är natt.| Han äter.'],
  ['She sleeps.| He eats.', 'It is night.', 'She sleeps. It is night.| He eats.'],
  ['Hon sa ja.” |', 'Sedan gick hon.', 'Hon sa ja.” Sedan gick hon.|'],
  ['(Se bilaga.) |', 'Patienten mår bra.', '(Se bilaga.) Patienten mår bra.|'],
  // A sentence that goes on takes a small letter.
  ['Patienten har |', 'Ont i magen.', 'Patienten har ont i magen.|'],
  ['Patienten har|', 'Ont i magen.', 'Patienten har ont i magen.|'],
  ['Hon tar medicin, |', 'Men inte varje dag.', 'Hon tar medicin, men inte varje dag.|'],
  ['Hon tar medicin; |', 'Det hjälper.', 'Hon tar medicin; det hjälper.|'],
  ['Vi ses |', 'I morgon.', 'Vi ses i morgon.|'],
  ['Han ringde |', 'Å sin brors vägnar.', 'Han ringde å sin brors vägnar.|'],
  ['Läkaren sade |', 'Att det går över.', 'Läkaren sade att det går över.|'],
  ['Hon åker till |', 'Sjukhuset.', 'Hon åker till sjukhuset.|'],
  ['Det finns 3 |', 'Skäl.', 'Det finns 3 skäl.|'],
  ['Febern är över 38 % |', 'Av dagarna.', 'Febern är över 38 % av dagarna.|'],
  ['Ett prov (taget i går) |', 'Visar inget.', 'Ett prov (taget i går) visar inget.|'],
  ['Boken ”Hemma” |', 'Är bra.', 'Boken ”Hemma” är bra.|'],
  ['Ja – |', 'Kanske i morgon.', 'Ja – kanske i morgon.|'],
  ['The patient has |', 'Pain in the chest.', 'The patient has pain in the chest.|'],
  ['The patient has|', 'A cough.', 'The patient has a cough.|'],
  ['She takes it, |', 'But not every day.', 'She takes it, but not every day.|'],
  ['We meet |', 'At the station.', 'We meet at the station.|'],
  ['He said |', 'That it will pass.', 'He said that it will pass.|'],
  ['She is |', "Doesn't matter.", "She is doesn't matter.|"],
  ['He came; |', 'They left.', 'He came; they left.|'],
  ['The test (taken today) |', 'Shows nothing.', 'The test (taken today) shows nothing.|'],
  ['It may |', 'May cause pain.', 'It may may cause pain.|'],
  ['Hon är |', 'Hans mamma.', 'Hon är hans mamma.|'],
  ['Två tabletter |', 'Per dag.', 'Två tabletter per dag.|'],
  ['Hon kom på |', 'Tom mage.', 'Hon kom på tom mage.|'],
  // Several sentences at once: the first joins, the rest is as it was.
  ['Hon har |', 'Feber. Hon hostar.', 'Hon har feber. Hon hostar.|'],
  ['She has |', 'A fever. I saw her.', 'She has a fever. I saw her.|'],
  // Names, and what is written with capitals.
  ['Jag träffade |', 'Anna.', 'Jag träffade Anna.|'],
  ['Jag träffade |', 'Annas mamma.', 'Jag träffade Annas mamma.|'],
  ['Vi vet att |', 'Fatimas mamma kommer.', 'Vi vet att Fatimas mamma kommer.|'],
  ['Vi vet att |', 'Furix sätts ut.', 'Vi vet att Furix sätts ut.|'],
  ['Vi vet att |', 'Hans mamma kommer.', 'Vi vet att hans mamma kommer.|'],
  ['Jag träffade |', 'Elin Sjöqvist.', 'Jag träffade Elin Sjöqvist.|'],
  ['Jag träffade |', 'Johansson.', 'Jag träffade Johansson.|'],
  ['Jag träffade |', 'Lindqvist i går.', 'Jag träffade Lindqvist i går.|'],
  ['Jag träffade |', 'Svea Holmér.', 'Jag träffade Svea Holmér.|'],
  ['Jag träffade Elin |', 'Sjöholt.', 'Jag träffade Elin Sjöholt.|'],
  ['Jag träffade Elin |', 'Igår kväll.', 'Jag träffade Elin igår kväll.|'],
  ['Jag såg henne |', 'Hemma hos Anna.', 'Jag såg henne hemma hos Anna.|'],
  ['Hon bor i |', 'Stockholm.', 'Hon bor i Stockholm.|'],
  ['Hon bor i |', 'Göteborg nu.', 'Hon bor i Göteborg nu.|'],
  ['Det är |', 'Och Anna vet.', 'Det är och Anna vet.|'],
  ['Då kom |', 'Patienten Anna Berg.', 'Då kom patienten Anna Berg.|'],
  ['Hon har |', 'HIV.', 'Hon har HIV.|'],
  ['Hon har |', 'EKG-förändringar.', 'Hon har EKG-förändringar.|'],
  ['Hon har |', 'Covid-19.', 'Hon har Covid-19.|'],
  ['Hon har brist på |', 'D-vitamin.', 'Hon har brist på D-vitamin.|'],
  ['Vi skrev |', 'mRNA.', 'Vi skrev mRNA.|'],
  ['Hon tar |', 'Alvedon vid behov.', 'Hon tar Alvedon vid behov.|'],
  ['Hon har en |', 'iPhone.', 'Hon har en iPhone.|'],
  ['I met |', 'Mary.', 'I met Mary.|'],
  ['I met |', 'John Smith.', 'I met John Smith.|'],
  ['I met |', 'McDonald.', 'I met McDonald.|'],
  ['I met |', "O'Brien.", "I met O'Brien.|"],
  ['We met on |', 'Monday.', 'We met on Monday.|'],
  ['We meet in |', 'December.', 'We meet in December.|'],
  ['We meet on |', 'May 5.', 'We meet on May 5.|'],
  ['She speaks |', 'Swedish.', 'She speaks Swedish.|'],
  ['She lives in |', 'London.', 'She lives in London.|'],
  ['She said that |', 'I am well.', 'She said that I am well.|'],
  ['She said that |', "I'm well.", "She said that I'm well.|"],
  ['He said |', "I've been ill.", "He said I've been ill.|"],
  ['She has |', 'HIV.', 'She has HIV.|'],
  ['She has |', 'McArdle disease.', 'She has McArdle disease.|'],
  ['She wears a |', 'T-shirt.', 'She wears a T-shirt.|'],
  ['Der Arzt hat |', 'Geduld und Zeit.', 'Der Arzt hat Geduld und Zeit.|'],
  ['Ich sehe |', 'Hunde.', 'Ich sehe Hunde.|'],
  // A full stop that the text needs no more.
  ['Patienten har | sedan i går.', 'Ont i magen.', 'Patienten har ont i magen| sedan i går.'],
  ['Hon |och han sover.', 'Äter.', 'Hon äter| och han sover.'],
  ['|och han sover.', 'Hon äter.', 'Hon äter| och han sover.'],
  ['Hon äter|, och sover.', 'Fisk.', 'Hon äter fisk|, och sover.'],
  ['Hon äter |.', 'Fisk.', 'Hon äter fisk|.'],
  ['|.', 'Hon äter.', 'Hon äter|.'],
  ['Hon äter |?', 'Fisk.', 'Hon äter fisk|?'],
  ['Hon äter |!', 'Fisk.', 'Hon äter fisk|!'],
  ['Hon äter |; han sover.', 'Fisk.', 'Hon äter fisk|; han sover.'],
  ['Hon äter |: det är gott.', 'Fisk.', 'Hon äter fisk|: det är gott.'],
  ['Hon äter (|) varje dag.', 'Fisk.', 'Hon äter (fisk|) varje dag.'],
  ['Ta |5 mg.', 'Högst.', 'Ta högst| 5 mg.'],
  ['The patient has | since Monday.', 'A cough.', 'The patient has a cough| since Monday.'],
  ['She eats |, and sleeps.', 'Fish.', 'She eats fish|, and sleeps.'],
  ['She eats |.', 'Fish.', 'She eats fish|.'],
  ['|she said.', 'I am well.', 'I am well| she said.'],
  ['Hon har | och hostar.', 'Feber. Hon fryser.', 'Hon har feber. Hon fryser| och hostar.'],
  // One that it needs.
  ['|\noch han sover.', 'Hon äter.', 'Hon äter.|\noch han sover.'],
  ['|Han sover.', 'Hon äter.', 'Hon äter.| Han sover.'],
  ['Det är |Han sover.', 'Bra.', 'Det är bra.| Han sover.'],
  ['Hon äter |, men lite.', 'Kött, fisk osv.', 'Hon äter kött, fisk osv.|, men lite.'],
  ['Hon äter | men lite.', 'Kött m.m.', 'Hon äter kött m.m.| men lite.'],
  ['Hon äter |.', 'Kött m.m.', 'Hon äter kött m.m|.'],
  ['She eats | but little.', 'Meat, fish etc.', 'She eats meat, fish etc.| but little.'],
  ['Hon äter | men lite.', 'Vänta...', 'Hon äter vänta...| men lite.'],
  ['Hon äter | men lite.', 'Vänta…', 'Hon äter vänta…| men lite.'],
  ['Hon äter | men lite.', 'Fisk?', 'Hon äter fisk?| men lite.'],
  ['Hon äter | men lite.', 'Fisk!', 'Hon äter fisk!| men lite.'],
  // A mark that stands there already.
  ['Hon äter.|', '. Han sover.', 'Hon äter. Han sover.|'],
  ['Hon äter,|', ', men lite', 'Hon äter, men lite|'],
  ['Dos|', '.5 mg', 'Dos .5 mg|'],
  // Colons: a label begins anew, a list in running text does not, a whole sentence does.
  ['Bedömning: |', 'Gott allmäntillstånd.', 'Bedömning: Gott allmäntillstånd.|'],
  ['Status:|', 'Opåverkad.', 'Status: Opåverkad.|'],
  ['Name: |', 'Unknown.', 'Name: Unknown.|'],
  ['Hon sover. Status: |', 'Opåverkad.', 'Hon sover. Status: opåverkad.|'],
  ['vi behöver två saker: |', 'Mjölk och bröd.', 'vi behöver två saker: mjölk och bröd.|'],
  [
    'Det är så här, förstår du: |',
    'Vi måste börja om från början.',
    'Det är så här, förstår du: Vi måste börja om från början.|',
  ],
  [
    'we need two things, really: |',
    'Milk and bread.',
    'we need two things, really: milk and bread.|',
  ],
  // Lists.
  ['Handla:\n- |', 'Mjölk.', 'Handla:\n- Mjölk.|'],
  ['1. |', 'Mjölk.', '1. Mjölk.|'],
  ['a) |', 'Mjölk.', 'a) Mjölk.|'],
  ['• |', 'Milk.', '• Milk.|'],
  ['12. |', 'Milk.', '12. Milk.|'],
  // Shortened words.
  ['Hon äter mycket, t.ex. |', 'Fisk.', 'Hon äter mycket, t.ex. fisk.|'],
  ['Hon äter mycket, t. ex. |', 'Fisk.', 'Hon äter mycket, t. ex. fisk.|'],
  ['Hon har bl.a. |', 'Feber.', 'Hon har bl.a. feber.|'],
  ['Hon äter kött, dvs. |', 'Protein.', 'Hon äter kött, dvs. protein.|'],
  ['Vi väntar ca. |', 'Tio minuter.', 'Vi väntar ca. tio minuter.|'],
  ['Hon är sjuk p.g.a. |', 'Feber.', 'Hon är sjuk p.g.a. feber.|'],
  ['Jag träffade dr. |', 'Holmér.', 'Jag träffade dr. Holmér.|'],
  ['She eats a lot, e.g. |', 'Fish.', 'She eats a lot, e.g. fish.|'],
  ['She eats meat, i.e. |', 'Protein.', 'She eats meat, i.e. protein.|'],
  ['Hon äter kött m.m. |', 'Han sover.', 'Hon äter kött m.m. Han sover.|'],
  ['She eats meat etc. |', 'He sleeps.', 'She eats meat etc. He sleeps.|'],
  // Quotes and brackets.
  ['Hon sa: ”|”', 'Jag mår bra.', 'Hon sa: ”Jag mår bra.|”'],
  ['Hon sa ”|”.', 'Jag mår bra.', 'Hon sa ”Jag mår bra|”.'],
  ['”|”, sa hon.', 'Jag mår bra.', '”Jag mår bra|”, sa hon.'],
  ['She said “|” to me.', 'Go away.', 'She said “Go away|” to me.'],
  ['Hon sover. (|)', 'Det är natt.', 'Hon sover. (Det är natt.|)'],
  ['Hon sover (|', 'Det är natt', 'Hon sover (det är natt|'],
  ['Hon sover. (|', 'Det är natt', 'Hon sover. (Det är natt|'],
  // Nothing to do: byte for byte.
  ['Hon har |', 'ont i magen', 'Hon har ont i magen|'],
  ['|', 'ont i magen', 'ont i magen|'],
  ['Hon har |', '5 barn.', 'Hon har 5 barn.|'],
  ['Hon har |', '- ett\n- två', 'Hon har - ett\n- två|'],
  // Eponyms, streets, months and titles.
  ['Hon har | sedan 2012', 'Parkinsons sjukdom.', 'Hon har Parkinsons sjukdom| sedan 2012'],
  ['Hon har | sedan 2012', 'Crohns sjukdom.', 'Hon har Crohns sjukdom| sedan 2012'],
  ['Hon har | sedan 2012', 'Alzheimers.', 'Hon har Alzheimers| sedan 2012'],
  ['Hon har | sedan 2012', 'Diabetes typ 2.', 'Hon har diabetes typ 2| sedan 2012'],
  ['She has | since 2012', 'Parkinson’s disease.', 'She has Parkinson’s disease| since 2012'],
  ['She has | since 2012', 'Type 2 diabetes.', 'She has type 2 diabetes| since 2012'],
  ['She went | the road', 'Down.', 'She went down| the road'],
  ['Hon bor på | sedan mars', 'Storgatan 12.', 'Hon bor på Storgatan 12| sedan mars'],
  ['Hon bor på | sedan mars', 'Gatan.', 'Hon bor på gatan| sedan mars'],
  ['Hon är på | nu', 'Sahlgrenska.', 'Hon är på Sahlgrenska| nu'],
  ['Hon är på | nu', 'Akuten.', 'Hon är på akuten| nu'],
  ['In | she left', 'May.', 'In May| she left'],
  ['She |', 'May be well.', 'She may be well.|'],
  ['Hon såg |', 'Sjuksköterskan Anna Ek.', 'Hon såg sjuksköterskan Anna Ek.|'],
  ['Hon såg |', 'Överläkare Bo Ek.', 'Hon såg överläkare Bo Ek.|'],
  ['Syrgas | i natt', '2 liter per minut.', 'Syrgas 2 liter per minut| i natt'],
  ['Hon tar (|) Waran', 'Sedan länge.', 'Hon tar (sedan länge|) Waran'],
  ['☐ |', 'Ring Anna.', '☐ Ring Anna.|'],
  ['## |', 'Anamnes', '## Anamnes|'],
  ['Hon sa ”|” och gick', 'Jag mår bra.', 'Hon sa ”Jag mår bra|” och gick'],
] as const;

test.each(PLACES)('%j, with %j: %j', (place, text, expected) => {
  expect(placed(place, text, SMART)).toBe(expected);
});

test('the table is as long as it should be', () => {
  expect(PLACES.length).toBeGreaterThanOrEqual(120);
});

test.each([
  ['an address has no full stop', 'isUnspaced', '|', 'Anna@example.com.', 'Anna@example.com|'],
  ['nor a blank', 'isUnspaced', '070|', '1234567.', '0701234567|'],
  ['nor has a number', 'isUnspaced', '|', '38,5.', '38,5|'],
  ['words to search for have no full stop', 'isUnstopped', '|', 'Ont i magen.', 'Ont i magen|'],
  ['but blanks', 'isUnstopped', 'ont|', 'Magen.', 'ont magen|'],
] as const)('%s', (_name, rule, place, text, expected) => {
  expect(placed(place, text, { ...LINE, [rule]: true })).toBe(expected);
});

test('a piece brings along the full stop that the one before it lacks', () => {
  const rules = { ...SMART };
  const first = insertionText('Feber.', { before: 'Hon har ', after: 'och hostar' }, rules);
  expect(first).toEqual({ text: 'feber ', behind: 1, owed: '.' });
  const second = insertionText('. Han sover.', { before: 'Hon har feber', after: ' och' }, rules);
  expect(second).toEqual({ text: '. Han sover', behind: 0, owed: '.' });
});

test('what no later rule may touch stays', () => {
  const around = { before: 'Hon har ', after: 'och' };
  const fixed = { start: true, end: true };
  expect(insertionText('Feber.', around, { ...SMART, fixed }).text).toBe('Feber. ');
});

test('fitted once, a text fits', () => {
  for (const [place, text] of PLACES) {
    const [before = '', after = ''] = place.split('|');
    const once = insertionText(text, { before, after }, SMART);
    const words = once.text.trim();
    const twice = insertionText(words, { before, after }, SMART).text.trim();
    expect([place, twice]).toEqual([place, words]);
  }
});

test('linear time, of the text and of what stands around it', () => {
  expectLinear(
    (text) => fitToPlace(`A${text}.`, { before: text, after: text }),
    ['a.', 'A', 'Aa ', "A'a", '. ', '(', ')', ' \u200b', 'kl. ', 't. '],
  );
});

const STATUS = { text: 'AT: \nCor: RR.', cursor: 4 };
const GREETING = { text: 'Med vänlig hälsning', cursor: null };

test.each([
  [
    'a capital that a snippet wrote',
    'Hon skrev',
    'Med vänlig hälsning',
    [GREETING],
    'Med vänlig hälsning',
  ],
  ['another one', 'Hon skrev', 'Med vänlig hälsningen', [GREETING], 'med vänlig hälsningen'],
  ['a full stop that a snippet wrote', 'Se:', 'AT: \nCor: RR.', [STATUS], 'AT: \nCor: RR.'],
  ['without snippets', 'Hon skrev', 'Med vänlig hälsning', [], 'med vänlig hälsning'],
])('%s is fixed or not', (_what, before, text, snippets, fitted) => {
  expect(fitToPlace(text, { before, after: ' och' }, { snippets }).text).toBe(fitted);
});

test.each([
  ['AT: |\nCor: RR.', STATUS],
  ['Hej. AT: |\nCor: RR. Bra.', STATUS],
  ['at: AT: |Cor: RR.', STATUS],
  ['Bästa |, mvh', { text: 'Bästa , mvh', cursor: 6 }],
  ['(a|b)* c+', { text: '(ab)* c+', cursor: 2 }],
  ['Rad\n|Slut', { text: 'Rad\nSlut', cursor: 4 }],
  ['Rad |Slut', { text: 'Rad\nSlut', cursor: 4 }],
  ['Före |Hej', { text: 'Hej', cursor: 0 }],
  ['Före Hej|', { text: 'Hej', cursor: 3 }],
])('the caret is wanted at %j', (marked, snippet) => {
  const text = marked.replace('|', '');
  expect(unitsBehindCaret(text, [GREETING, snippet])).toBe(text.length - marked.indexOf('|'));
});

test('no caret is wanted', () => {
  expect(unitsBehindCaret('Med vänlig hälsning', [GREETING])).toBeNull();
  expect(unitsBehindCaret('Något annat', [STATUS])).toBeNull();
});

test('linear time, to find the caret', () => {
  expectLinear(
    (text) => unitsBehindCaret(text, [{ text, cursor: text.length >> 1 }]),
    ['AT: ', 'a '],
  );
});
