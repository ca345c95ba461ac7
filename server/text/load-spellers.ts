import type { Speller, SpellerSource } from './speller.ts';

/** Words seen before are answered from memory; the table is emptied when it holds so many. */
const MAX_REMEMBERED = 20_000;

/** Hunspell (compiled to WASM) with the dictionaries of the packages `dictionary-sv` and `dictionary-en`. */
export function createHunspellSpellers(): SpellerSource {
  const spellers = new Map<string, Speller>();

  async function load(): Promise<void> {
    const [{ loadModule }, swedish, english] = await Promise.all([
      import('hunspell-asm'),
      import('dictionary-sv'),
      import('dictionary-en'),
    ]);
    const hunspell = await loadModule();
    for (const [language, { aff, dic }] of [
      ['sv', swedish.default],
      ['en', english.default],
    ] as const) {
      const affPath = hunspell.mountBuffer(aff, `${language}.aff`);
      const dicPath = hunspell.mountBuffer(dic, `${language}.dic`);
      const dictionary = hunspell.create(affPath, dicPath);
      spellers.set(
        language,
        remembering((word) => dictionary.spell(word)),
      );
    }
  }

  return { load, of: (language) => spellers.get(language) ?? null };
}

function remembering(ask: (word: string) => boolean): Speller {
  const known = new Map<string, boolean>();
  return {
    knows(word) {
      const before = known.get(word);
      if (before !== undefined) return before;
      const answer = ask(word);
      if (known.size >= MAX_REMEMBERED) known.clear();
      known.set(word, answer);
      return answer;
    },
  };
}
