import { describe, expect, test } from 'vitest';
import { type FillerLevel, withoutFillers } from '../../src/core/text/fillers.ts';
import { expectLinear } from '../helpers/expect-linear.ts';

/** The second text is left out where nothing may change. */
type Case = readonly [heard: string, written?: string];

const SWEDISH_LIGHT: readonly Case[] = [
  ['Eh, jag tror det.', 'Jag tror det.'],
  ['Eh jag tror det.', 'Jag tror det.'],
  ['Jag tror, eh, att det går.', 'Jag tror att det går.'],
  ['Jag tror eh att det går.', 'Jag tror att det går.'],
  ['Jag tror, eh att det går.', 'Jag tror att det går.'],
  ['Jag tror eh, att det går.', 'Jag tror att det går.'],
  ['Hon kom, eh, men gick.', 'Hon kom, men gick.'],
  ['Jag tror det, eh.', 'Jag tror det.'],
  ['Jag tror det eh', 'Jag tror det'],
  ['Jag tror det. Eh. Kanske.', 'Jag tror det. Kanske.'],
  ['Jag tror det. Eh, kanske.', 'Jag tror det. Kanske.'],
  ['Jag tror... eh... kanske.', 'Jag tror... kanske.'],
  ['Öh, vi börjar.', 'Vi börjar.'],
  ['Öhm vi börjar', 'Vi börjar'],
  ['Ehm, hmm, vi börjar.', 'Vi börjar.'],
  ['Vi, eh, öh, börjar.', 'Vi börjar.'],
  ['Hm. Vi börjar.', 'Vi börjar.'],
  ['Vi tar: eh, mjölk.', 'Vi tar: mjölk.'],
  ['Eh.', ''],
  ['Eh, hm, öh.', ''],
  ['hmm', ''],
  ['Eeeh, ja.', 'Ja.'],
  ['Vi ses\neh\ni morgon', 'Vi ses\ni morgon'],
  ['Det det det går bra.', 'Det går bra.'],
  ['Jag jag tror det.', 'Jag tror det.'],
  ['Jag, jag tror det.', 'Jag tror det.'],
  ['I, i Lund bor hon.', 'I Lund bor hon.'],
  ['Hon bor i i i Lund.', 'Hon bor i Lund.'],
  ['Hon vet att hon hon ska ringa.', 'Hon vet att hon ska ringa.'],
  ['I går, vi vi var hemma.', 'I går, vi var hemma.'],
  ['Hon sa att att det går.', 'Hon sa att det går.'],
  ['Och och och så gick vi.', 'Och så gick vi.'],
  ['Jag eh jag tror det.', 'Jag tror det.'],
  ['Jag, eh, jag, eh, tror det.', 'Jag tror det.'],
  ['På på bordet.', 'På bordet.'],
  // It is a word, or meant.
  ['Det det handlar om är pengar.'],
  ['Nej nej nej, så var det inte.'],
  ['Ja ja.'],
  ['Mycket mycket bra.'],
  ['Hon har EH.'],
  ['Hon heter Ehm i efternamn.'],
  ['Um är ett prefix.'],
  ['Fem mm lång.'],
  ['Hm?'],
  ['Ehrlich är en metod.'],
  ['Öhman är ett namn.'],
  ['Hej hej!'],
  ['Den den drabbar vet det.'],
  ['Buken är mjuk men öm i höger fossa.'],
  ['Ej öm.'],
  ['Öm, röd och svullen hud.'],
  ['Öm.'],
  ['Öhm, öm över bröstkorgen.', 'Öm över bröstkorgen.'],
  ['Det var inte jag, jag var hemma.'],
  ['Det gör vi, vi kommer klockan tre.'],
  ['Det trodde jag jag hade gjort.'],
  ['Jag bryr mig inte om om han kommer.'],
  ['Lampan sätter vi på på kvällen.'],
  ['Vad tänkte du på på vägen hem?'],
  ['Det han vill vill hon också.'],
  ['Men men, så är det.'],
  ['En en meter lång pinne.'],
  ['Ett ett ett två.'],
  ['Jag liksom bara gick.'],
  ['Hon är, liksom, glad.'],
  ['Vad är det? Det är inget.'],
  ['Han kom i dag. I morgon går han.'],
  ['Så så.'],
];

const SWEDISH_FULL: readonly Case[] = [
  ['Hon är, liksom, glad.', 'Hon är glad.'],
  ['Alltså, jag tror det.', 'Jag tror det.'],
  ['Hon är, du vet, glad.', 'Hon är glad.'],
  ['Hon är, så att säga, glad.', 'Hon är glad.'],
  ['Hon är glad, liksom.', 'Hon är glad.'],
  ['Pa- patienten sover.', 'Patienten sover.'],
  ['Det är typ, eh, tre.', 'Det är typ tre.'],
  ['Hon är glad liksom sin mor.'],
  ['Det är alltså så.'],
  ['Diabetes typ 2, alltid.'],
  ['Du vet, det är så.', 'Det är så.'],
  ['Du vet det.'],
  ['För- och nackdelar.'],
];

const ENGLISH_LIGHT: readonly Case[] = [
  ['Um, I think so.', 'I think so.'],
  ['I think, uh, that it works.', 'I think that it works.'],
  ['I think uh that it works.', 'I think that it works.'],
  ['She came, um, but left.', 'She came, but left.'],
  ['Uh. We begin.', 'We begin.'],
  ['Erm, we begin.', 'We begin.'],
  ['Um, uh, hmm.', ''],
  ['I I think so.', 'I think so.'],
  ['I, I think so.', 'I think so.'],
  ['The the patient sleeps.', 'The patient sleeps.'],
  ['She lives in in in London.', 'She lives in London.'],
  ['that that that is it', 'that is it'],
  ['And uh and then she left.', 'And then she left.'],
  ['She said that that is it.'],
  ['He had had enough.'],
  ['No no no.'],
  ['It is very very good.'],
  ['In the ER, err on the safe side.'],
  ['What it is is good.'],
  ['Neither do I, I guess.'],
  ["That's his, his and hers."],
  ['The thing I was looking for for years.'],
  ['What are you looking at at night?'],
  ['Hepatitis A a year ago.'],
  ['Log in in the morning.'],
  ['She says that she she will call.', 'She says that she will call.'],
  ['Hmm?'],
  ['Bye bye.'],
  ['UM is a university.'],
  ['Umbrella.'],
  ['She is, like, happy.'],
];

const ENGLISH_FULL: readonly Case[] = [
  ['She is, like, happy.', 'She is happy.'],
  ['She is, you know, happy.', 'She is happy.'],
  ['I mean, she is happy.', 'She is happy.'],
  ['She is, sort of, happy.', 'She is happy.'],
  ['She is like her mother.'],
  ['You know, she is happy.', 'She is happy.'],
  ['Do you know, my friend, that it is late?'],
  ['I know what you mean, she said.'],
];

const TABLES = [
  ['sv', 'light', SWEDISH_LIGHT],
  ['sv-SE', 'full', SWEDISH_FULL],
  ['en', 'light', ENGLISH_LIGHT],
  ['en-US', 'full', ENGLISH_FULL],
] as const satisfies readonly (readonly [string, FillerLevel, readonly Case[]])[];

describe.each(TABLES)('%s, %s', (language, level, cases) => {
  const pairs = cases.map(([heard, written = heard]) => [heard, written] as const);

  test.each(pairs)('%j', (heard, written) => {
    expect(withoutFillers(heard, language, level)).toBe(written);
  });

  test('what is without, stays', () => {
    for (const [, written] of pairs) expect(withoutFillers(written, language, level)).toBe(written);
  });

  test('off, and in other languages, nothing is changed', () => {
    for (const [heard] of pairs) {
      expect(withoutFillers(heard, language, 'off')).toBe(heard);
      expect(withoutFillers(heard, 'pt', level)).toBe(heard);
    }
  });
});

test.each(['sv', 'en'])('linear time (%s)', (language) => {
  expectLinear(
    (text) => withoutFillers(text, language, 'full'),
    [
      'eh ',
      'jag ',
      'eh, ',
      'jag eh ',
      'så att ',
      'du vet, ',
      'pa- ',
      'h',
      'um um ',
      ', like',
      'that ',
    ],
  );
});
