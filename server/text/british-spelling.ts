/** The American endings of British words: one letter doubled, halved or swapped, as in a slip. */
const AMERICAN: readonly (readonly [RegExp, string])[] = [
  // centre, metres, theatre
  [/re(s|d)?$/, 'er$1'],
  // travelling, marvellous, focussed, benefitted
  [/([a-z])\1(ed|ing|ings|er|ers|or|ors|ous|ously|ery|en|ist|ists|able)$/, '$1$2'],
  // fulfil, enrols, instalment, skilful
  [/l(s|ment|ments|ful|fully)?$/, 'll$1'],
];

/** The American spellings, which the dictionary knows, that `word` may be British for. */
export function americanSpellingsOf(word: string): readonly string[] {
  return AMERICAN.map(([british, american]) => word.replace(british, american)).filter(
    (american) => american !== word,
  );
}
