import type { Dictation } from '../core/contracts/dictation.ts';
import { useSnapshot } from './hooks.ts';
import { useStrings } from './strings.tsx';

/** Enough for those that come while one is read out. */
const SPOKEN_TEXTS = 4;

const SEEN_CHARACTERS = 400;

/** Options of `LiveWords`. */
export type LiveWordsProps = {
  readonly dictation: Dictation;
  /** Hides final text, which is in the field already. @default false */
  readonly skipsFinal?: boolean;
};

/**
 * Words while somebody speaks: final and firm ones as text, tentative ones paler. The box always
 * has three lines, so nothing around it moves. A screen reader hears final text only, politely.
 */
export function LiveWords({ dictation, skipsFinal = false }: LiveWordsProps) {
  const strings = useStrings();
  const isLive = useSnapshot(dictation, ({ session }) => session.live !== null);
  const finalText = useSnapshot(dictation, ({ session }) => session.live?.finalText ?? '');
  const firm = useSnapshot(dictation, ({ session }) => session.live?.firm ?? '');
  const tentative = useSnapshot(dictation, ({ session }) => session.live?.tentative ?? '');
  if (!isLive) return null;
  const steady = lastWords([skipsFinal ? '' : finalText, firm].filter(Boolean).join(' '));
  return (
    <div translate="no" className="live-words">
      <p dir="auto" aria-hidden className="live-text">
        {finalText + firm + tentative === '' && (
          <span className="live-hint">{strings.liveHint}</span>
        )}
        <span>{steady}</span>
        {tentative !== '' && <span className="live-tentative">{` ${tentative}`}</span>}
      </p>
      <LiveSpoken dictation={dictation} />
    </div>
  );
}

/** More than three lines hold is not laid out. */
function lastWords(text: string): string {
  return text.length <= SEEN_CHARACTERS
    ? text
    : text.slice(text.indexOf(' ', text.length - SEEN_CHARACTERS) + 1);
}

/** Reads out each final text as it comes; the whole text again would never end. */
export function LiveSpoken({ dictation }: { readonly dictation: Dictation }) {
  const texts = useSnapshot(dictation, ({ session }) => session.transcriptions);
  const latest = [...texts].sort(([one], [other]) => one - other).slice(-SPOKEN_TEXTS);
  return (
    <div className="visually-hidden" role="log">
      {latest.map(([number, text]) => (
        <p key={number}>{text}</p>
      ))}
    </div>
  );
}
