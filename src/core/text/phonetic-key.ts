/** Letters that sound alike, with one sign for each sound; `X` is that of "sj", "sch" and "sh". */
const PLAIN: Readonly<Record<string, string>> = {
  ...{ à: 'a', á: 'a', â: 'a', ã: 'a', å: 'o', ä: 'e', æ: 'e', è: 'e', é: 'e', ê: 'e', ë: 'e' },
  ...{ ì: 'i', í: 'i', î: 'i', ï: 'i', y: 'i', ý: 'i', ÿ: 'i', ò: 'o', ó: 'o', ô: 'o', õ: 'o' },
  ...{ ø: 'ö', œ: 'ö', ù: 'u', ú: 'u', û: 'u', ü: 'i', w: 'v', q: 'k', z: 's', ç: 's', ñ: 'n' },
};

/** Sounds of letter groups, the longest first; `^` is the word's beginning. */
const SHARED: readonly (readonly [string, string])[] = [
  ['tion', 'Xon'],
  ['sion', 'Xon'],
  ['sch', 'X'],
  ['ck', 'k'],
  ['ph', 'f'],
  ['th', 't'],
  ['dt', 't'],
  ['sh', 'X'],
  ['ce', 'se'],
  ['ci', 'si'],
  ['cy', 'si'],
  ['aa', 'o'],
  ['ae', 'e'],
  ['oe', 'ö'],
  ['qu', 'kv'],
  ['^x', 's'],
  ['^ks', 's'],
  ['tz', 'ts'],
  ['x', 'ks'],
];

const SWEDISH = groupsOf([
  ...SHARED,
  ['stj', 'X'],
  ['skj', 'X'],
  ['ske', 'Xe'],
  ['ski', 'Xi'],
  ['skä', 'Xe'],
  ['skö', 'Xö'],
  ['skiö', 'Xö'],
  ['stie', 'Xe'],
  ['öe', 'ö'],
  ['ngt', 'nkt'],
  ['sky', 'Xi'],
  ['sj', 'X'],
  ['tj', 'X'],
  ['kj', 'X'],
  ['chr', 'kr'],
  ['ch', 'X'],
  ['^hj', 'j'],
  ['^lj', 'j'],
  ['^gj', 'j'],
  ['^dj', 'j'],
  ['^ge', 'je'],
  ['^gi', 'ji'],
  ['^gy', 'ji'],
  ['^gä', 'je'],
  ['^gö', 'jö'],
  ['^hv', 'v'],
  ['rg$', 'rj'],
  ['lg$', 'lj'],
]);

const ENGLISH = groupsOf([
  ...SHARED,
  ['^kn', 'n'],
  ['^wr', 'r'],
  ['^ps', 's'],
  ['wh', 'v'],
  ['tch', 'X'],
  ['chr', 'kr'],
  ['ch', 'X'],
  ['dge', 'j'],
  ['ge', 'je'],
  ['gi', 'ji'],
  ['ight', 'ait'],
  ['gh', ''],
  ['ee', 'i'],
  ['ea', 'i'],
  ['ie', 'i'],
  ['ei', 'i'],
  ['ey', 'i'],
  ['oo', 'u'],
  ['ou', 'u'],
  ['ai', 'a'],
  ['ay', 'a'],
  ['oa', 'o'],
  ['ow$', 'o'],
  ['mb$', 'm'],
  ['mps', 'ms'],
  ['^mc', 'mak'],
  ['chl', 'kl'],
  ['e$', ''],
]);

type Group = {
  readonly letters: string;
  readonly key: string;
  readonly at: 'start' | 'end' | null;
};
type Groups = ReadonlyMap<string, readonly Group[]>;

function groupsOf(rows: readonly (readonly [string, string])[]): Groups {
  const groups = new Map<string, Group[]>();
  for (const [pattern, key] of rows) {
    const at = pattern.startsWith('^') ? 'start' : pattern.endsWith('$') ? 'end' : null;
    const letters = pattern.replace(/[\^$]/g, '');
    const first = letters.charAt(0);
    groups.set(first, [...(groups.get(first) ?? []), { letters, key, at }]);
  }
  for (const alike of groups.values()) alike.sort((a, b) => b.letters.length - a.letters.length);
  return groups;
}

/**
 * Words that sound alike have the same key, as Swedes or English speakers say them. `letters` are
 * small letters without blanks. Linear time.
 */
export function phoneticKey(letters: string, isEnglish: boolean): string {
  const groups = isEnglish ? ENGLISH : SWEDISH;
  let key = '';
  let last = '';
  const put = (sign: string): void => {
    // Twice the same is said once, and an h is heard at the beginning only.
    if (sign === last || (sign === 'h' && key !== '')) return;
    key += sign;
    last = sign;
  };
  for (let at = 0; at < letters.length; ) {
    const letter = letters.charAt(at);
    const group = groups
      .get(letter)
      ?.find(
        (one) =>
          letters.startsWith(one.letters, at) &&
          (one.at !== 'start' || at === 0) &&
          (one.at !== 'end' || at + one.letters.length === letters.length),
      );
    if (group === undefined) {
      put(letter === 'c' ? 'k' : (PLAIN[letter] ?? letter));
      at++;
    } else {
      for (const sign of group.key) put(PLAIN[sign] ?? sign);
      at += group.letters.length;
    }
  }
  return key;
}

/** Pairs of sounds that are easily confused; any vowel may also be another. */
const NEAR = new Set('dt td bp pb gk kg vf fv mn nm sX Xs jX Xj kX Xk jg gj lr'.split(' '));

/**
 * True if the keys differ by at most one sound: one that is easily misheard, or left out inside.
 */
export function isNearKey(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let from = 0;
  while (from < one.length && one[from] === other[from]) from++;
  let back = 0;
  const most = Math.min(one.length, other.length) - from;
  while (back < most && one.at(-1 - back) === other.at(-1 - back)) back++;
  const left = one.slice(from, one.length - back);
  const right = other.slice(from, other.length - back);
  if (left.length + right.length === 0) return true;
  // The first sound is hardly ever left out, and the last one more is an ending.
  if (left.length + right.length === 1) return from > 0 && back > 0;
  if (left.length !== 1 || right.length !== 1) return false;
  return NEAR.has(left + right) || /^[aeiouö]{2}$/.test(left + right);
}
