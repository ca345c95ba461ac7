import { BookPlus } from 'lucide-react';
import { type RefObject, useEffect, useState } from 'react';
import type { Dictation } from '../../core/contracts/dictation.ts';
import { correctionIn, entryToOffer } from '../../core/text/learn-words.ts';
import type { VocabularyEntry } from '../../core/text/vocabulary.ts';
import type { EditableField } from '../../field/editable-field.ts';
import type { InterfaceLanguage } from '../../widget/options.ts';
import { type RulesStore, rulesStore, withEntries } from './own-rules.ts';
import { WORDS_ENGLISH } from './words-strings-en.ts';
import { WORDS_SWEDISH } from './words-strings-sv.ts';

/** A correction is over when nobody types for so long. */
const AT_REST_MS = 1_500;

const OFFERED_KEY = 'diktera:offered-words';
const MOST_REMEMBERED = 500;

export type LearnOfferProps = {
  readonly dictation: Dictation;
  readonly field: RefObject<EditableField | null>;
  readonly language: InterfaceLanguage;
  /** @default the page's own */
  readonly store?: RulesStore;
};

/**
 * Offers, once for each, to keep a word that was corrected by hand and sounds like what had been
 * dictated. Nothing is kept without a yes; off with `isLearning`.
 */
export function LearnOffer({ dictation, field, language, store = rulesStore() }: LearnOfferProps) {
  const { learn: strings } = language === 'en' ? WORDS_ENGLISH : WORDS_SWEDISH;
  const [offer, setOffer] = useState<VocabularyEntry | null>(null);

  useEffect(() => {
    const { current } = field;
    if (!current) return;
    const { element } = current;
    let before = current.text();
    let dictated = wordsOf(dictation);
    // When it is over nothing more is known of its texts.
    const stop = dictation.subscribe(() => {
      const words = wordsOf(dictation);
      if (words.size > 0) dictated = words;
    });
    let timer: ReturnType<typeof setTimeout>;
    const look = (): void => {
      const now = current.text();
      const correction = correctionIn(before, now);
      before = now;
      const own = store.get();
      if (!correction || !own.isRead || !own.isLearning) return;
      const words = correction.was.toLowerCase().split(' ');
      if (!words.every((word) => dictated.has(word))) return;
      const entry = entryToOffer(correction, language, own.vocabulary);
      if (entry && !wasOffered(entry.write)) setOffer(entry);
    };
    const onInput = (): void => {
      clearTimeout(timer);
      timer = setTimeout(look, AT_REST_MS);
    };
    element.addEventListener('input', onInput);
    return () => {
      stop();
      clearTimeout(timer);
      element.removeEventListener('input', onInput);
    };
  }, [dictation, field, language, store]);

  if (offer === null) return null;
  const answer = (isWanted: boolean): void => {
    if (isWanted) void store.change((before) => withEntries(before, [offer]));
    setOffer(null);
  };
  return (
    <aside className="keeping-notice" aria-label={strings.title}>
      <BookPlus aria-hidden />
      <p role="status">{strings.ask(offer.write)}</p>
      <button type="button" className="tool is-outlined" onClick={() => answer(true)}>
        {strings.yes}
      </button>
      <button type="button" className="tool" onClick={() => answer(false)}>
        {strings.no}
      </button>
    </aside>
  );
}

/** The words of the dictation at hand, in small letters. */
function wordsOf(dictation: Dictation): ReadonlySet<string> {
  const { transcriptions } = dictation.getSnapshot().session;
  const texts = [...transcriptions.values()].join(' ').toLowerCase();
  return new Set(texts.match(/[\p{L}\p{N}'’-]+/gu));
}

/** True if it has been asked for before; from now on it has. */
function wasOffered(word: string): boolean {
  try {
    const offered = JSON.parse(localStorage.getItem(OFFERED_KEY) ?? '[]') as string[];
    if (offered.includes(word)) return true;
    const next = [word, ...offered].slice(0, MOST_REMEMBERED);
    localStorage.setItem(OFFERED_KEY, JSON.stringify(next));
  } catch {
    // Storage is refused: it may be asked again.
  }
  return false;
}
