import { useMemo } from 'react';
import type { ListedDictation } from '../core/session/dictations.ts';
import { ENGLISH_LIST } from './list-strings-en.ts';
import { type ListStrings, SWEDISH_LIST } from './list-strings-sv.ts';
import { type SomeStrings, withOwn } from './own-strings.ts';
import { useStrings } from './strings.tsx';

/** The texts of the list of dictations, which come with it: a page that begins needs none of them. */
export function useListStrings(): ListStrings {
  const { lang, list }: { lang: string; list?: SomeStrings<ListStrings> } = useStrings();
  return useMemo(() => withOwn(lang === 'en' ? ENGLISH_LIST : SWEDISH_LIST, list), [lang, list]);
}

const MINUTE_MS = 60_000;

/** The state of a dictation in words. */
type StateText = {
  /** In the place of words that are not there. */
  readonly alone: string;
  /** Beside its words, its time and its length; empty where there is nothing to say. */
  readonly beside: string;
};

/** "Når inte servern, nytt försök om 2 min", "Inga ord hördes". */
export function stateText(entry: ListedDictation, nowMs: number, strings: ListStrings): StateText {
  const { state, isWaiting, parts, lengthMs } = entry;
  const { states } = strings;
  if (!isWaiting && (state.kind === 'delivered' || state.kind === 'needs-review')) {
    return { alone: strings.noWords, beside: lengthMs === 0 ? strings.noSound : '' };
  }
  switch (state.kind) {
    case 'delivered':
    case 'in-bin':
      return { alone: '', beside: '' };
    case 'needs-review':
      return { alone: strings.noWords, beside: states['needs-review'] };
    case 'refused':
      // Beside a text there is, the reason has a line of its own.
      return {
        alone: isWaiting ? states.refused : strings.noWords,
        beside: isWaiting ? partly(states.refused) : '',
      };
    case 'rewriting':
      return same([states.rewriting, state.late && states[state.late]].filter(Boolean).join('. '));
    case 'preparing':
      return same(partly(states.preparing(Math.floor(100 * state.share))));
    case 'network':
    case 'server':
      return same(
        partly(`${states[state.kind]}, ${nextTryText(state.nextAttemptAtMs - nowMs, strings)}`),
      );
    default:
      return same(partly(states[state.kind]));
  }

  function partly(text: string): string {
    if (!parts || parts.done === 0 || parts.done === parts.all) return text;
    return `${text}, ${states.partly(parts.done, parts.all)}`;
  }
}

function same(text: string): StateText {
  return { alone: text, beside: text };
}

function nextTryText(inMs: number, { nextTry }: ListStrings): string {
  if (inMs < 1_000) return nextTry.now;
  if (inMs < MINUTE_MS) return nextTry.seconds(Math.ceil(inMs / 1_000));
  return nextTry.minutes(Math.round(inMs / MINUTE_MS));
}

/**
 * Languages to choose from: none (then `automatic` is spoken), the server's, and the chosen one.
 */
export function languageChoices(
  languages: readonly string[],
  chosen: string,
  strings: ListStrings,
  automatic = '',
): readonly (readonly [code: string, name: string])[] {
  const codes = new Set([...languages, chosen].filter((code) => code !== ''));
  return [
    ['', strings.automaticLanguage(automatic && strings.languageName(automatic))],
    ...[...codes].map((code) => [code, strings.languageName(code)] as const),
  ];
}
