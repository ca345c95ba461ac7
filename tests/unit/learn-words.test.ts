import { expect, test } from 'vitest';
import { correctionIn, entryToOffer } from '../../src/core/text/learn-words.ts';

test.each([
  ['Ring Sjökvist i dag.', 'Ring Sjöqvist i dag.', 'Sjökvist', 'Sjöqvist'],
  ['Ge metro prolol nu', 'Ge metoprolol nu', 'metro prolol', 'metoprolol'],
])('%s -> %s is one correction', (before, after, was, now) => {
  expect(correctionIn(before, after)).toEqual({ was, now });
});

test.each([
  ['nothing was changed', 'Hej du.', 'Hej du.'],
  ['something was put in', 'Hej du.', 'Hej på du.'],
  ['something was taken out', 'Hej på du.', 'Hej du.'],
  ['two places were', 'en två tre fyra fem', 'ett två tre fyra sex'],
  ['a sentence was written anew', 'a b c d e', 'a v x y z w e'],
])('%s: none', (_what, before, after) => {
  expect(correctionIn(before, after)).toBeNull();
});

test.each([
  ['sv', 'Sjökvist', 'Sjöqvist', ['sjökvist']],
  ['sv', 'Karlsson', 'Carlsson', ['karlsson']],
  ['sv', 'wallenberj', 'Wallenberg', ['wallenberj']],
])('%s: for %s -> %s it is offered', (language, was, now, soundsLike) => {
  expect(entryToOffer({ was, now }, language, [])).toEqual({ write: now, soundsLike });
});

test.each([
  ['another word', 'hunden', 'katten'],
  ['an ordinary word', 'hustet', 'huset'],
  ['a capital', 'sjöqvist', 'Sjöqvist'],
  ['an ending', 'Sjöqvist', 'Sjöqvists'],
  ['a number', 'tolv', '12'],
  ['a short one', 'Bo', 'Bå'],
])('%s is not offered', (_what, was, now) => {
  expect(entryToOffer({ was, now }, 'sv', [])).toBeNull();
});

test('what is kept already is not offered', () => {
  const correction = { was: 'Sjökvist', now: 'Sjöqvist' };
  expect(entryToOffer(correction, 'sv', [{ write: 'Sjöqvist' }])).toBeNull();
});
