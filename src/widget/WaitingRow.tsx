import { Clipboard, Download, Play, RotateCw, Square, TextCursorInput, Trash2 } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { DeliveryVerdict, Dictation } from '../core/contracts/dictation.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { saveAudio } from './save-file.ts';
import { useAudioPlayer } from './use-audio-player.ts';
import type { WaitingDictation, WaitingState } from './waiting-dictations.ts';
import { lengthWords, waitingStateWords } from './waiting-state-words.ts';
import { useWords } from './words.ts';

type WaitingRowProps = {
  readonly waiting: WaitingDictation;
  readonly dictation: Dictation;
  readonly nowMs: number;
  /** Puts a text at the cursor, and says what became of it. */
  readonly insert: (text: string, withdrawn?: AbortSignal) => Promise<DeliveryVerdict>;
  readonly copy: (text: string) => Promise<boolean>;
};

/** One waiting dictation: what it is, where it stands, and all that can be done with it. */
export function WaitingRow({ waiting, dictation, nowMs, insert, copy }: WaitingRowProps) {
  const words = useWords().waiting;
  const { sessionId, startedAtMs, text, state, items, doubts, kept } = waiting;
  /** Its text has been inserted, as far as there was one. */
  const isDoubted = state.kind === 'doubted';
  const [isAsking, setIsAsking] = useState(false);
  /** Where it stood when something failed: what was said of that is over when it has moved on. */
  const [failedIn, setFailedIn] = useState<WaitingState['kind'] | null>(null);
  const time = new Date(startedAtMs);
  const timeWords = time.toLocaleString('sv', { dateStyle: 'short', timeStyle: 'short' });
  const load = useCallback(() => dictation.audio(sessionId), [dictation, sessionId]);
  const player = useAudioPlayer(load);

  /** Nothing here may fail in silence. */
  const attempt = (work: () => Promise<boolean>) => (): void => {
    setFailedIn(null);
    work().then(
      (isDone) => setFailedIn(isDone ? null : state.kind),
      () => setFailedIn(state.kind),
    );
  };
  const download = async (): Promise<boolean> => {
    const file = await load();
    if (file) saveAudio(file, words.fileName(timeWords.replaceAll(':', '.')));
    return file !== null;
  };
  const retry = async (): Promise<boolean> => {
    for (const { id, state } of items) {
      const isWanted = isDoubted ? state.kind === 'doubted' : !('text' in state);
      if (isWanted) dictation.retry(id);
    }
    if (kept) await dictation.retryKept(sessionId);
    return true;
  };
  // What is doubted stays when it is inserted: the person says when it is right.
  const give = async (): Promise<boolean> =>
    (isDoubted ? await insert(text) : await dictation.takeText(sessionId, insert)) !== false;
  const remove = (): void => {
    for (const { id } of items) dictation.discard(id);
    if (kept) dictation.discardKept(sessionId);
  };

  return (
    <li data-state={state.kind} data-session={sessionId}>
      <div className="waiting-words">
        {text !== '' && <p className="waiting-text">{text}</p>}
        <p className="waiting-facts">
          <time dateTime={time.toISOString()}>{timeWords}</time>
          <span>{lengthWords(waiting.lengthMs, words)}</span>
          <span>{waitingStateWords(waiting, nowMs, words)}</span>
        </p>
        {doubts.map((why) => (
          <p key={why} className="waiting-doubt">
            {words.doubts[why]}
          </p>
        ))}
        {failedIn === state.kind && <p role="alert">{words.failed}</p>}
      </div>
      <div className="waiting-tools">
        {text !== '' && (
          <>
            <button type="button" className="tool" onClick={attempt(give)}>
              <TextCursorInput aria-hidden /> {words.insert}
            </button>
            <button type="button" className="tool" onClick={attempt(() => copy(text))}>
              <Clipboard aria-hidden /> {words.copy}
            </button>
          </>
        )}
        {state.kind !== 'transcribed' && (
          <button type="button" className="tool" onClick={attempt(retry)}>
            <RotateCw aria-hidden /> {isDoubted ? words.retry : words.retryAll}
          </button>
        )}
        <button type="button" className="tool is-quiet" onClick={attempt(player.toggle)}>
          {player.isPlaying ? <Square aria-hidden /> : <Play aria-hidden />}
          <span>{player.isPlaying ? words.stopPlaying : words.play}</span>
        </button>
        <button type="button" className="tool is-quiet" onClick={attempt(download)}>
          <Download aria-hidden />
          <span>{words.download}</span>
        </button>
        <button type="button" className="tool is-quiet" onClick={() => setIsAsking(true)}>
          <Trash2 aria-hidden />
          <span>{words.remove}</span>
        </button>
      </div>
      {isAsking && (
        <ConfirmDialog
          title={words.removeTitle}
          warning={words.removeWarning}
          confirm={words.remove}
          cancel={words.cancel}
          onConfirm={remove}
          onClose={() => setIsAsking(false)}
        />
      )}
    </li>
  );
}
