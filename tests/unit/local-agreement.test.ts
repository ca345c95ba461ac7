import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agree, NO_WORDS } from '../../src/core/speech/live-pieces.ts';
import { createLiveWords } from '../../workers/session/live-speech.ts';

function heard(...answers: string[]): { firm: string; tentative: string } {
  const words = answers.reduce(agree, NO_WORDS);
  return { firm: words.firm.join(' '), tentative: words.tentative.join(' ') };
}

describe('LocalAgreement-2', () => {
  test('one answer makes nothing firm, two what they agree on', () => {
    expect(heard('Jag går')).toEqual({ firm: '', tentative: 'Jag går' });
    expect(heard('Jag går', 'Jag gick till')).toEqual({ firm: 'Jag', tentative: 'gick till' });
    expect(heard('Jag går', 'Jag går till', 'Jag går till affären')).toEqual({
      firm: 'Jag går till',
      tentative: 'affären',
    });
  });

  test('case and punctuation, which come with what follows, are no disagreement', () => {
    expect(heard('jag går.', 'Jag går, och')).toEqual({ firm: 'Jag går,', tentative: 'och' });
  });

  test('a firm word stays, whatever later answers say', () => {
    expect(heard('a b', 'a b c', 'a x c d')).toEqual({ firm: 'a b', tentative: 'c d' });
  });

  test('an answer that hears a word less or more goes on where the firm words end', () => {
    expect(heard('a b c', 'a b c', 'b c d')).toEqual({ firm: 'a b c', tentative: 'd' });
    expect(heard('a b c', 'a b c', 'och a b c d')).toEqual({ firm: 'a b c', tentative: 'd' });
  });

  test('what a model says again and again at the end is told once', () => {
    expect(heard('i dag är det terror Terror terror, terror terror')).toEqual({
      firm: '',
      tentative: 'i dag är det terror',
    });
    expect(heard('så a b c a b c a b c a b c a b').tentative).toBe('så a b c');
    expect(heard('nej nej nej').tentative).toBe('nej nej nej');
    expect(heard('nej nej nej nej, det går').tentative).toBe('nej nej nej nej, det går');
  });

  test('an empty answer takes nothing firm away', () => {
    expect(heard('a b', 'a b', '')).toEqual({ firm: 'a b', tentative: '' });
  });

  test('whatever is answered, firm words only ever grow', () => {
    const answer = fc.array(fc.constantFrom('a', 'b', 'A.', 'c', '-'), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 12 }), (answers) => {
        let words = NO_WORDS;
        for (const given of answers) {
          const next = agree(words, given.join(' '));
          expect(next.firm.slice(0, words.firm.length)).toEqual(words.firm);
          words = next;
        }
      }),
      { seed: 17, numRuns: 300 },
    );
  });
});

describe('the words of several pieces', () => {
  test('behind a word that may change nothing is firm', () => {
    const words = createLiveWords();
    for (const [number, text] of [
      [0, 'ett två'],
      [0, 'ett två tre'],
      [1, 'fyra'],
      [1, 'fyra fem'],
    ] as const)
      words.heard(number, text);
    expect(words.seen()).toEqual({ firm: 'ett två', tentative: 'tre fyra fem' });
    words.done(0);
    expect(words.seen()).toEqual({ firm: 'fyra', tentative: 'fem' });
    words.heard(0, 'sent');
    expect(words.seen()).toEqual({ firm: 'fyra', tentative: 'fem' });
  });
});
