import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AnswerEvidence,
  type HeardSegment,
  judgeAnswer,
} from '../../src/core/text/judge-answer.ts';

/** As Whisper's servers tell it of noise, and of somebody who speaks. */
const NOISE = { noSpeechProb: 0.92, avgLogprob: -0.6 };
const MUMBLE = { noSpeechProb: 0.2, avgLogprob: -1.3 };
const SPEECH = { noSpeechProb: 0.02, avgLogprob: -0.25 };
const over = (figures: Omit<HeardSegment, 'text'>) => (text: string) => ({
  segments: [{ text, ...figures }],
});
const judge = (text: string, evidence: AnswerEvidence = {}) => {
  const { isPromptBack: _, ...judgement } = judgeAnswer(text, evidence);
  return judgement;
};
const nothing = { text: '', isComplete: true };
const doubtful = { text: '', isComplete: false };
const all = (text: string) => ({ text, isComplete: true });

/** Texts that nobody dictates. */
const NEVER_SAID = [
  ...['Tack för att du tittade!', 'Tack för att ni har tittat.', 'Tack för att ni tittar.'],
  ...['Tack så mycket för att du har tittat på videon!', 'Tack för titten!'],
  ...['Glöm inte att prenumerera på kanalen!', 'Glöm inte att gilla och prenumerera!'],
  ...['Prenumerera på min kanal.', 'Vi ses i nästa video!', 'Vi ses i nästa avsnitt.'],
  ...['Textning.nu', 'Svensktextning.nu', 'Undertexter från Amara.org-gemenskapen'],
  ...['Textning: Stina Hedin www.btistudios.com', 'Undertexter av Bo Ek', 'TEXTNING AV ANNA'],
  ...['Thanks for watching!', 'Thank you for watching.', 'Thank you so much for watching!'],
  ...['Thanks for watching this video.', 'Please subscribe to my channel.'],
  ...['Please like and subscribe!', "Don't forget to like and subscribe.", 'Subscribe!'],
  ...["I'll see you in the next video.", 'See you guys in the next one.'],
  ...['Subtitles by the Amara.org community', 'Transcription by CastingWords'],
  ...['Undertextning.nu', 'Tack för att ni tittade på den här videon.'],
  ...["Thanks for watching, and don't forget to subscribe!"],
  ...['Captions by Anna Smith', 'Tack. Tack för att du tittade!', 'Thanks for watching! Bye!'],
];

/** Texts that engines invent but people also say. */
const SAID_AS_WELL = [
  ...['Tack.', 'Tack så mycket.', 'Tack så mycket!', 'Tack, tack.', 'Tack ska du ha.', 'Hej då!'],
  ...['Tack för att ni lyssnade.', 'Ja.', 'Okej.', 'Musik', 'Vi ses!', 'Tack. Hej då.'],
  ...['Översättning: Anna Ek', 'Undertexter', 'Copyright SVT', 'Translated by Bo', 'Oh.', 'Mhm.'],
  ...['Thank you.', 'Thank you very much.', 'Thank you for listening.', 'Bye.', 'Bye-bye.', 'You'],
  ...['Thanks.', 'Okay.', 'Thank you. Bye.', 'See you next time.', 'The end.'],
];

/** Longer, or only like them. */
const SAID = [
  ...['Tack så mycket för remissen, vi återkommer.', 'Patienten säger tack och går hem.'],
  ...['Undertexter saknas i filmen.', 'Översättning av intyget bifogas.', 'Text av god kvalitet.'],
  ...['Hon prenumererar på Läkartidningen.', 'Han tittade på tv hela natten.', 'Nej.', 'Inga.'],
  ...['Thank you for the referral of this patient.', 'She watches television all day.', 'No.'],
  ...['Subtitles were missing in the film.', 'Please subscribe her to the newsletter of the ward.'],
];

/** Sounds that engines note in brackets. */
const NOTES = [
  ...['[BLANK_AUDIO]', '[ BLANK_AUDIO ]', '[BLANK AUDIO]', '[blank_audio]', '(blank audio)'],
  ...['[SILENCE]', '[Silence]', '(silence)', '[tystnad]', '(tystnad)', '[No audio]', '[no speech]'],
  ...['[MUSIC]', '[Music]', '(music)', '[Music playing]', '(upbeat music)', '[MUSIK]', '(Musik)'],
  ...['(musik)', '[musik spelas]', '(dramatisk musik spelas)', '*musik*', '♪', '♪♪', '♪ ♪ ♪', '🎵'],
  ...['♪ Musik ♪', '♫ musik ♫', '(applåder)', '[Applåder]', '[APPLAUSE]', '(applause)', '*skratt*'],
  ...['*skrattar*', '(skrattar)', '[skratt]', '(laughter)', '[laughs]', '(hostar)', '*hostar*'],
  ...['[coughs]', '(suckar)', '[inaudible]', '(ohörbart)', '[ohörbart]', '[Bakgrundsljud]'],
  ...['(wind blowing in the background)', '[keyboard clicking]', '[paus]', '<|nospeech|>', '<unk>'],
  ...[
    '[Musik].',
    '[Musik] [Applåder]',
    '(musik)\n(applåder)',
    '[_BEG_] [_TT_50]',
    '<skratt>',
    '{musik}',
    '_skrattar_',
    '[inget tal]',
    '(hund skäller)',
    '[unk]',
    '- [Musik]',
    '*suckar djupt*',
  ],
];

describe('what nobody dictates', () => {
  test.each(NEVER_SAID)('%s', (text) => {
    expect(judge(text, over(NOISE)(text)), 'over noise').toEqual(nothing);
    expect(judge(text, over(MUMBLE)(text)), 'unsure').toEqual(nothing);
    expect(judge(text, { speechMs: 0 }), 'over no speech').toEqual(nothing);
    expect(judge(text), 'over who knows what').toEqual(doubtful);
    expect(judge(text, { speechMs: 6_000 }), 'over something').toEqual(doubtful);
    expect(judge(text, over(SPEECH)(text)), 'said').toEqual(all(text));
    expect(judge(text, { isJudged: true }), 'judged before').toEqual(all(text));
  });
});

describe('what is said as well', () => {
  test.each(SAID_AS_WELL)('%s', (text) => {
    expect(judge(text, over(NOISE)(text)), 'over noise').toEqual(nothing);
    expect(judge(text, over(MUMBLE)(text)), 'unsure').toEqual(nothing);
    expect(judge(text, { speechMs: 20 }), 'over no speech').toEqual(nothing);
    expect(judge(text), 'over who knows what').toEqual(all(text));
    expect(judge(text, { speechMs: 1_500 }), 'over speech').toEqual(all(text));
    expect(judge(text, over(SPEECH)(text)), 'said').toEqual(all(text));
  });
});

describe('what is said', () => {
  test.each(SAID)('%s', (text) => {
    for (const evidence of [over(NOISE)(text), over(MUMBLE)(text), { speechMs: 0 }, {}]) {
      expect(judge(text, evidence)).toEqual(all(text));
    }
  });
});

describe('an invention behind what was said', () => {
  const said = ' Patienten mår bra.';
  const invented = ' Tack för att du tittade!';
  test('goes, where the engine tells them apart', () => {
    const segments = [
      { text: said, ...SPEECH },
      { text: invented, ...NOISE },
    ];
    expect(judge(`${said}${invented}`.trim(), { segments })).toEqual(all(said.trim()));
  });
  test('stays, where it does not', () => {
    const text = `${said}${invented}`.trim();
    expect(judge(text)).toEqual(all(text));
    const segments = [{ text: said, ...SPEECH }, { text: invented }];
    expect(judge(text, { segments })).toEqual(all(text));
  });
  test('a farewell with good figures stays', () => {
    const segments = [
      { text: said, ...SPEECH },
      { text: ' Tack.', ...SPEECH },
    ];
    expect(judge('Patienten mår bra. Tack.', { segments })).toEqual(
      all('Patienten mår bra. Tack.'),
    );
  });
});

describe('notes about sounds', () => {
  test.each(NOTES)('%s', (note) => {
    expect(judge(note)).toEqual(nothing);
    expect(judge(note, { speechMs: 5_000 }), 'over speech').toEqual(doubtful);
    expect(judge(note, { ...over(NOISE)(note), speechMs: 5_000 })).toEqual(nothing);
  });

  test.each([
    ['Hej [BLANK_AUDIO] på dig.', 'Hej på dig.'],
    ['Hej\n [BLANK_AUDIO]\n på dig.', 'Hej\npå dig.'],
    ['[BLANK_AUDIO] Hej.', 'Hej.'],
    ['Hej. [BLANK_AUDIO]', 'Hej.'],
    ['[Musik]. Hej.', 'Hej.'],
    ['Hej [skratt], sa hon.', 'Hej, sa hon.'],
    ['♪ Hej på dig ♪', 'Hej på dig'],
    ['Hej. (skrattar) Nu går vi.', 'Hej. Nu går vi.'],
    ['(musik) Hej.', 'Hej.'],
    ['Hej. (Musik)', 'Hej.'],
    ['Hej på dig (MUSIK)', 'Hej på dig'],
    ['Hej *skrattar* på dig.', 'Hej på dig.'],
    ['<|sv|><|0.00|> Hej.<|4.00|>', 'Hej.'],
    ['Hej. [Musik] [Applåder] Då.', 'Hej. Då.'],
    ['- [Musik]\n- Hej', '- Hej'],
    ['[00:00:00.000 --> 00:00:04.000] Hej', 'Hej'],
  ])('%j', (text, left) => {
    expect(judge(text)).toEqual(all(left));
  });

  test.each([
    'Intressen (musik) och idrott.',
    'Hosta (hostar mest på natten) sedan mars.',
    'Intressen (musik).',
    'Status. (Hostar lätt) Lungor ua.',
    'Ring [telefonnummer] och [e-post].',
    'Dos [10 mg] * 2 * 3 (två gånger).',
    'Se figur [1] och (2).',
    'Patienten spelar musik.',
    'Filen heter prov_ljud_1.wav.',
    'Thank you for watching my dog.',
    '[ ] inte klar, [x] klar, *viktigt*, <b>fet</b>',
    '* punkt ett\n* punkt två',
    'Tystnad råder på avdelningen.',
    'a < b och c > d',
    'Läkemedel (Waran), dos (5 mg).',
  ])('what may be said stays: %s', (text) => {
    expect(judge(text)).toEqual(all(text));
  });
});

describe('the prompt come back', () => {
  const prompt = 'Diktering på svenska. Waran, Alvedon, Furix.';
  test.each([
    ['whole', 'Diktering på svenska. Waran, Alvedon, Furix.', ''],
    ['whole, in other marks', 'diktering på svenska waran alvedon furix', ''],
    ['its head', 'Diktering på svenska.', ''],
    ['its tail', 'Waran, Alvedon, Furix.', ''],
    ['in front', 'Diktering på svenska. Waran, Alvedon, Furix. Pat mår bra.', 'Pat mår bra.'],
    ['its tail in front', 'Waran, Alvedon, Furix. Pat mår bra.', 'Pat mår bra.'],
    ['behind', 'Pat mår bra. Diktering på svenska. Waran, Alvedon, Furix.', 'Pat mår bra.'],
    ['its head behind', 'Pat mår bra. Diktering på svenska.', 'Pat mår bra.'],
  ])('%s', (_, text, left) => {
    expect(judgeAnswer(text, { prompt })).toEqual({
      text: left,
      isComplete: false,
      isPromptBack: true,
    });
    expect(judge(text)).toEqual(all(text));
  });

  test.each([
    'Alvedon.',
    'Waran, Alvedon',
    'Pat tar Waran, Alvedon, Furix varje dag.',
    'På svenska',
  ])('some words of it are said: %s', (text) => {
    expect(judge(text, { prompt })).toEqual(all(text));
  });

  test('a prompt of one word comes back only whole', () => {
    expect(judgeAnswer('Diktera.', { prompt: 'Diktera' }).isPromptBack).toBe(true);
    expect(judge('Diktera patienten Anna', { prompt: 'Diktera på svenska nu' })).toEqual(
      all('Diktera patienten Anna'),
    );
  });
});

describe('one word or phrase for ever', () => {
  test.each([
    ['a word', 'nej '.repeat(400), 'nej'],
    ['a word behind others', `Hon sa ${'nej, '.repeat(60)}`, 'Hon sa nej,'],
    ['a phrase', 'Vi ska gå hem nu. '.repeat(20), 'Vi ska gå hem nu.'],
    ['a phrase that breaks off', `${'vi ska gå hem '.repeat(9)}vi ska`, 'vi ska gå hem'],
    [
      'a phrase between others',
      `Hej. ${'och så vidare '.repeat(12)}Slut.`,
      'Hej. och så vidare Slut.',
    ],
    ['letters', `Hon sa ${'ha'.repeat(300)}`, 'Hon sa ha'],
    ['no spaces', '次の予約は明日です'.repeat(40), '次の予約は明日です'],
    ['digits', '0 '.repeat(500), '0'],
    ['marks', '!'.repeat(300), ''],
  ])('%s', (_, text, left) => {
    expect(judge(text.trim())).toEqual({ text: left, isComplete: false });
  });

  test('of an invention leaves nothing, and is doubted', () => {
    expect(judge('Tack. '.repeat(40).trim())).toEqual(doubtful);
    expect(judge('Thanks for watching! '.repeat(40).trim())).toEqual(doubtful);
    expect(judge('ご視聴ありがとう'.repeat(40))).toEqual(doubtful);
    expect(judge(`ja ${'ha'.repeat(300)}`)).toEqual(doubtful);
  });

  test.each([
    'nej nej nej',
    'Ja ja ja ja ja, nu kommer jag.',
    'Nej, nej, nej, nej! Nej!',
    'noll noll noll noll noll noll noll fem',
    'four one one one one one one one one one one one one one one one',
    'Kortet är 4242 4242 4242 4242.',
    'Ett två tre, ett två tre, ett två tre.',
    'Höger öga ua. Vänster öga ua. Höger öra ua. Vänster öra ua.',
    'Mycket mycket mycket bättre.',
    'Han har ont. Han har ont. Han sa det två gånger.',
    'Namn: ____________________________________ Datum: ..................................',
  ])('said: %s', (text) => {
    expect(judge(text)).toEqual(all(text));
    expect(judge(text, { durationMs: 10_000 })).toEqual(all(text));
  });

  test('more than can be said in the time is nobody’s words', () => {
    const words = Array.from({ length: 4_000 }, (_, at) => `ord${(at * 7919) % 10_007}`).join(' ');
    expect(judge(words, { durationMs: 20_000 })).toEqual(doubtful);
    expect(judge(words, { durationMs: 3_600_000 })).toEqual(all(words));
  });
});

describe('characters that nobody can see', () => {
  test.each([
    ['NUL', 'He\u0000j', 'Hej'],
    ['bell and escapes', '\u0007Hej \u001b[31mröd\u001b[0m', 'Hej röd'],
    ['turned writing', '\u202eHej\u202c \u2066du\u2069', 'Hej du'],
    ['marks of direction', 'Hej\u200e du\u200f', 'Hej du'],
    ['no width', '\ufeffHej\u200b på\u2060 dig', 'Hej på dig'],
    ['other line ends', 'ett\r\ntvå\rtre\u2028fyra', 'ett\ntvå\ntre\nfyra'],
    ['halves', 'Hej\ud800 du', 'Hej du'],
    ['page feeds', 'ett\ftvå', 'ett två'],
  ])('%s', (_, text, left) => {
    expect(judge(text)).toEqual(all(left));
  });

  test.each(['rad ett\nrad två\tkolumn', 'می‌خواهم', 'שלום\u200f abc', '👩‍👩‍👧 och 🏳️‍🌈', 'é å ö'])(
    'stay: %j',
    (text) => {
      expect(judge(text)).toEqual(all(text));
    },
  );

  test('an answer of nothing else is no answer', () => {
    expect(judge('\u0000\u0001')).toEqual(nothing);
    expect(judge('\u0000\u0001', { speechMs: 5_000 })).toEqual(doubtful);
  });
});

describe('any text', () => {
  const word = fc.oneof(
    fc.constantFrom('[Musik]', '(skrattar)', '♪', 'Tack.', 'nej', '(', ']', '*', '\u0000', '\n'),
    fc.constantFrom('Hej', 'patienten', 'mår', 'bra.', '10', 'mg', 'noll'),
    fc.string({ maxLength: 5 }),
  );
  const texts = fc.array(word, { maxLength: 60 }).map((words) => words.join(' '));

  test('judged twice is judged once', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { text: once } = judgeAnswer(text, {});
        expect(judgeAnswer(once, { isJudged: true }).text).toBe(once);
      }),
      { seed: 43, numRuns: 2_000 },
    );
  });

  test('of ordinary words comes out byte for byte', () => {
    const ordinary = fc.constantFrom('Hej', 'patienten', 'mår', 'bra.', '10', 'mg,', '(ua)', ' -');
    fc.assert(
      fc.property(fc.array(ordinary, { maxLength: 8 }), (words) => {
        const text = words.join(' ');
        expect(judge(text)).toEqual(all(text));
      }),
      { seed: 43 },
    );
  });
});
