import type { Environment } from '../config/env-reader.ts';

/** The arguments of the program. */
export type Order =
  | { readonly kind: 'help' }
  | { readonly kind: 'serve'; readonly env: Environment }
  | { readonly kind: 'models' | 'transcribe'; readonly words: readonly string[] }
  | { readonly kind: 'wrong'; readonly message: string };

/**
 * Reads the arguments. `--language sv` is short for `ASR_LANGUAGES=en,sv` with Swedish as what an
 * empty language means; what the variables say counts more.
 */
export function readArguments(words: readonly string[], env: Environment): Order {
  if (words.includes('--help')) return { kind: 'help' };
  const [first, ...rest] = words;
  if (first === undefined) return { kind: 'serve', env };
  if (first === 'models' || first === 'transcribe') return { kind: first, words: rest };
  const given = /^--languages?(?:=(.*))?$/.exec(first);
  if (given === null) {
    const message = `There is no argument ${first}; see --help.`;
    return { kind: 'wrong', message };
  }
  const [value = '', ...more] = given[1] === undefined ? rest : [given[1], ...rest];
  const languages = value.split(',').map((language) => language.trim());
  if (more.length > 0 || !languages.every((language) => /^[a-z]{2,3}$/.test(language))) {
    return { kind: 'wrong', message: '--language wants language codes, such as --language sv.' };
  }
  return { kind: 'serve', env: envFor(languages, env) };
}

/** The variables for languages; what they say already counts more. */
export function envFor(languages: readonly string[], env: Environment): Environment {
  const wished = {
    ASR_LANGUAGES: [...new Set(['en', ...languages])].join(','),
    ASR_DEFAULT_LANGUAGE: languages[0],
  };
  return { ...env, ...wished, ...set(env, Object.keys(wished)) };
}

function set(env: Environment, names: readonly string[]): Environment {
  return Object.fromEntries(names.filter((name) => env[name]).map((name) => [name, env[name]]));
}
