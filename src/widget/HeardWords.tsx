import { useMemo } from 'react';
import type { WordTime } from '../core/word-time.ts';
import { useListStrings } from './dictation-words.ts';

/** A text, and where each of its words was said; null where that is not known. */
export type HeardText = {
  readonly text: string;
  readonly times: readonly (WordTime | null)[];
};

type HeardWordsProps = HeardText & {
  /** Those that may be misheard. */
  readonly unsure: ReadonlySet<WordTime>;
  /** Said of one that is. */
  readonly unsureText: string;
  readonly onPlay: (ms: number) => void;
};

/**
 * A text in which a press on a word plays from it, and those that may be misheard are marked softly. By
 * keys one plays from elsewhere: a stop at each word would be one too many.
 */
export function HeardWords({ text, times, unsure, unsureText, onPlay }: HeardWordsProps) {
  const runs = useMemo(() => text.split(/(\S+)/), [text]);
  return (
    <span className="heard-words">
      {runs.map((run, at) => {
        const time = at % 2 === 1 ? times[(at - 1) / 2] : null;
        if (!time) return run;
        const isUnsure = unsure.has(time);
        const Mark = isUnsure ? 'mark' : 'span';
        return (
          <Mark
            // biome-ignore lint/suspicious/noArrayIndexKey: a word is its place in the text.
            key={at}
            title={isUnsure ? unsureText : undefined}
            onClick={() => onPlay(time.startMs)}
          >
            {run}
          </Mark>
        );
      })}
    </span>
  );
}

type MarkedTextProps = HeardText & Pick<HeardWordsProps, 'onPlay'> & { readonly isMarked: boolean };

/** A dictation's text, its words to be pressed. */
export function MarkedText({ isMarked, ...heard }: MarkedTextProps) {
  const { text, times } = heard;
  const { unsure: unsureText, unsureHelp } = useListStrings();
  const unsure = useMemo(
    () => (isMarked ? unsureWords([{ text, times }]) : new Set<WordTime>()),
    [isMarked, text, times],
  );
  return (
    <>
      <p className="dictation-text">
        <HeardWords {...heard} unsure={unsure} unsureText={unsureText} />
      </p>
      {unsure.size > 0 && <p className="dictation-facts">{unsureHelp}</p>}
    </>
  );
}

/** The share of words that is marked, and of those that must not be wrong. */
const MARKED = 0.03;
const MARKED_OF_WEIGHT = 0.1;
/** A word that the engine is this sure of is never marked. */
const SURE = 0.9;

/**
 * Words that must not be wrong: numbers, in digits or in words, those that turn a sentence round, and
 * medicines, which end alike by what they do (the stems of their international names).
 */
const WEIGHT = [
  /\d/,
  /^(?:noll|ett|två|tre|fyra|fem|sex|sju|åtta|nio|tio|elva|tolv|tretton|fjorton|femton|sexton|sjutton|arton|nitton|halv)$/,
  /^(?:tjugo|trettio|fyrtio|femtio|sextio|sjuttio|åttio|nittio)(?:en|ett|två|tre|fyra|fem|sex|sju|åtta|nio)?$/,
  /^\p{L}*(?:hundra|tusen)$/u,
  /^(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|half)$/,
  /^(?:(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\p{L}+)?)$/u,
  /^(?:inte|ej|icke|ingen|inget|inga|ingenting|aldrig|utan|varken|not|no|none|nothing|never|without|neither|nor|cannot)$/,
  /n['’]t$/,
  /^\p{L}{2,}(?:olol|pril|sartan|statin|dipin|tiazid|semid|prazol|tidin|setron|cillin|floxacin|mycin|cyklin|cycline|konazol|conazole|ciklovir|ciclovir|oxetin|talopram|triptan|triptylin|zapin|peridon|azepam|zolam|zopiklon|kodon|codone|fentanil|morfin|parin|xaban|gatran|grel|gliptin|gliflozin|glutid|formin|terol|solon|sonid|lukast|profen|fenak|coxib|mab|tinib|cetamol)(?:et|en|s)?$/u,
  /^(?:alvedon|panodil|waran|ipren|citodon|treo|voltaren|levaxin|furix|trombyl|stesolid|insulin|digoxin|warfarin|heparin|kortison|morphine|aspirin)(?:et|en|s)?$/,
];

/**
 * The words that the engine was least sure of, and more of those that must not be wrong. None where it
 * tells nothing, and none that are not written as they were heard.
 */
export function unsureWords(texts: readonly HeardText[]): ReadonlySet<WordTime> {
  const told = texts
    .flatMap(({ text, times }) => {
      const words = text.match(/\S+/g) ?? [];
      return times.flatMap((time, at) => (time ? [{ time, word: words[at] ?? '' }] : []));
    })
    .filter(({ time }) => time.certainty !== undefined)
    .sort((a, b) => (a.time.certainty ?? 1) - (b.time.certainty ?? 1));
  const most = (share: number): number => Math.ceil(told.length * share);
  const unsure = told.filter(
    ({ word, time: { certainty = 1 } }, rank) =>
      certainty < SURE && rank < most(isOfWeight(word) ? MARKED_OF_WEIGHT : MARKED),
  );
  return new Set(unsure.map(({ time }) => time));
}

function isOfWeight(word: string): boolean {
  const bare = word.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
  return WEIGHT.some((pattern) => pattern.test(bare));
}
