import { expect, test } from 'vitest';
import { insertionText } from '../../src/field/insertion-text.ts';

const SPEC = { spacing: 'spec', isMultiline: true } as const;
const SMART = { spacing: 'smart', isMultiline: true } as const;

/** The content after a text was inserted at `|`, with the caret as `|`. */
function placed(place: string, text: string, rules: Parameters<typeof insertionText>[2]): string {
  const [before = '', after = ''] = place.split('|');
  const { text: fitted, behind } = insertionText(text, { before, after }, rules);
  const caret = fitted.length - behind;
  return `${before}${fitted.slice(0, caret)}|${fitted.slice(caret)}${after}`;
}

test.each([
  ['', 'hej', '', ' hej'],
  ['a ', 'hej', 'b', ' hej'],
  ['a\n', 'hej', '', ' hej'],
  ['a', '. Och', '', ' . Och'],
  ['a', ' hej', '', '  hej'],
])('spec: one space in front, always (%j + %j)', (before, text, after, expected) => {
  expect(insertionText(text, { before, after }, SPEC)).toEqual({
    text: expected,
    behind: 0,
    owed: '',
  });
});

test.each([
  // The first word of a field, or of a line.
  ['|', 'Hej.', 'Hej.|'],
  ['Rad.\n|', 'Hej.', 'Rad.\nHej.|'],
  ['Rad.\n|\nRad.', 'Hej.', 'Rad.\nHej.|\nRad.'],
  ['\u200B|', 'Hej.', '\u200BHej.|'],
  // The last one.
  ['Ett|', 'två', 'Ett två|'],
  ['Ett |', 'två', 'Ett två|'],
  ['Ett\u00A0|', 'två', 'Ett\u00A0två|'],
  ['Ett.|', 'Två', 'Ett. Två|'],
  ['Ett|\nTre', 'två', 'Ett två|\nTre'],
  // Where the text goes on.
  ['|tre', 'två', 'två| tre'],
  ['Ett|tre', 'två', 'Ett två| tre'],
  ['Ett |tre', 'två', 'Ett två| tre'],
  ['Ett| tre', 'två', 'Ett två| tre'],
  ['Ett | tre', 'två', 'Ett två| tre'],
  ['Ett|\u00A0tre', 'två', 'Ett två|\u00A0tre'],
  ['He |felt well', 'and so', 'He and so| felt well'],
  ['I will |begin', 'immediately', 'I will immediately| begin'],
  ['alpha |beta', 'Gamma.', 'alpha Gamma.| beta'],
  ['Ett|\u200B', 'två', 'Ett två|\u200B'],
  // Blanks and lines at the ends of the server's text.
  ['Ett |tre', ' två ', 'Ett två| tre'],
  ['|', ' Hej. ', 'Hej.|'],
  ['Ett|', '\ntvå', 'Ett\ntvå|'],
  ['|tre', 'två\n', 'två\n|tre'],
  // Before a mark that closes, behind one that opens.
  ['Ett|.', 'två', 'Ett två|.'],
  ['Ett|, tre', 'två', 'Ett två|, tre'],
  ['Ett|! Tre', 'två', 'Ett två|! Tre'],
  ['Ett (|)', 'två', 'Ett (två|)'],
  ['Ett (|', 'två', 'Ett (två|'],
  ['Ett|(tre)', 'två', 'Ett två| (tre)'],
  ['Ett (tre)|', 'två', 'Ett (tre) två|'],
  ['¿|', 'qué', '¿qué|'],
  ['Ett|%', '50', 'Ett 50|%'],
  ['Ett|…', 'två', 'Ett två|…'],
  // Marks at the beginning of the text.
  ['Ett|', ', två', 'Ett, två|'],
  ['Ett|', ') två', 'Ett) två|'],
  ['Dos|', '.5 mg', 'Dos .5 mg|'],
  ['Ett|3,5', 'två', 'Ett två| 3,5'],
  // Quotation marks, which open in one language and close in another.
  ['Hon sa ”|”', 'hej', 'Hon sa ”hej|”'],
  ['Hon sa "|"', 'hej', 'Hon sa "hej|"'],
  ['Hon sa|', '”hej”', 'Hon sa ”hej”|'],
  ['Hon sa ”hej”|', 'igen', 'Hon sa ”hej” igen|'],
  ['Hon sa|”hej”', 'sedan', 'Hon sa sedan| ”hej”'],
  ['»|«', 'hej', '»hej|«'],
  ['“|', 'hello', '“hello|'],
  ['„|“', 'hallo', '„hallo|“'],
  ["it's|", 'fine', "it's fine|"],
  // Strokes that join, and those that part.
  ['e-|', 'post', 'e-post|'],
  ['Ja –|', 'nej', 'Ja – nej|'],
  ['-|', 'punkt', '- punkt|'],
  ['10–|', '12', '10–12|'],
  ['och/|', 'eller', 'och/eller|'],
  ['Till @|', 'anna', 'Till @anna|'],
  ['C#|', 'är', 'C# är|'],
  ['Ett|– tre', 'två', 'Ett två| – tre'],
  // Other scripts.
  ['שלום|', 'עולם', 'שלום עולם|'],
  ['מה|؟', 'זה', 'מה זה|؟'],
  ['مرحبا|، نعم', 'بك', 'مرحبا بك|، نعم'],
  ['今日は|です', '晴れ', '今日は晴れ|です'],
  ['你好。|', '再见', '你好。再见|'],
  ['สวัสดี|', 'ครับ', 'สวัสดีครับ|'],
  ['안녕|', '세상', '안녕 세상|'],
  ['Bra 👍|', 'tack', 'Bra 👍 tack|'],
])('smart: %j, with %j: %j', (place, text, expected) => {
  expect(placed(place, text, SMART)).toBe(expected);
});

test('smart: pieces in a row have one blank between them, and none twice', () => {
  const pieces = ['Ett', 'två.', ' Tre ', ', fyra', 'fem'];
  const all = (place: string) => pieces.reduce((text, piece) => placed(text, piece, SMART), place);
  expect(all('|')).toBe('Ett två. Tre, fyra fem|');
  expect(all('Noll|sex')).toBe('Noll Ett två. Tre, fyra fem| sex');
  expect(all('Noll | sex')).toBe('Noll Ett två. Tre, fyra fem| sex');
});

test.each(['', ' ', ' \n\n', '\u200b', ' \u2060\ufeff\n', '\u00ad'])('%j is nothing', (text) => {
  expect(insertionText(text, { before: 'a', after: 'b' }, SPEC).text).toBe('');
  expect(insertionText(text, { before: 'a', after: 'b' }, SMART).text).toBe('');
});

test('one line only: spaces for newlines', () => {
  const around = { before: '', after: '' };
  const text = 'ett \r\n\n två\n';
  expect(insertionText(text, around, { ...SPEC, isMultiline: false }).text).toBe(' ett två');
  expect(insertionText(text, around, { ...SMART, isMultiline: false }).text).toBe('ett två');
});

test('no blank goes into an address', () => {
  const rules = { ...SMART, isMultiline: false, isUnspaced: true };
  expect(placed('|', ' example.com/pricing', rules)).toBe('example.com/pricing|');
  expect(placed('https://example.com|x', 'pricing', rules)).toBe('https://example.compricing|x');
});

test('a blank stands before a text that begins with two quotes', () => {
  const around = { before: 'before', after: '' };
  const how = { spacing: 'smart', isMultiline: true, isUnspaced: false } as const;
  expect(insertionText(`"'Please send it.`, around, how).text).toBe(` "'Please send it.`);
});
