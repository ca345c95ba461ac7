import { Clipboard, Download, Pause, Play, RotateCw, TextCursorInput, Trash2 } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { DeliveryVerdict, Dictation } from '../core/contracts/dictation.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { SeekBar } from './SeekBar.tsx';
import { saveAudio, sortableTime } from './save-file.ts';
import { useStrings } from './strings.ts';
import { useAudioPlayer } from './use-audio-player.ts';
import type { WaitingDictation, WaitingState } from './waiting-dictations.ts';
import { lengthText, waitingStateText } from './waiting-state-text.ts';

type WaitingRowProps = {
  readonly waiting: WaitingDictation;
  readonly dictation: Dictation;
  readonly nowMs: number;
  /** Deleted, it can be had back for a while. */
  readonly hasBin: boolean;
  /** Told that it is about to be deleted. */
  readonly onRemove: () => void;
  /** Puts a text at the cursor, and says what became of it. */
  readonly insert: (text: string, withdrawn?: AbortSignal) => Promise<DeliveryVerdict>;
  readonly copy: (text: string) => Promise<boolean>;
};

/** One waiting dictation: what it is, where it stands, and all that can be done with it. */
export function WaitingRow(props: WaitingRowProps) {
  const { waiting, dictation, nowMs, hasBin, onRemove, insert, copy } = props;
  const { waiting: strings, pause } = useStrings();
  const { sessionId, startedAtMs, text, state, items, doubts, kept } = waiting;
  /** The text has been inserted, if there was one. */
  const isDoubted = state.kind === 'doubted';
  const [isAsking, setIsAsking] = useState(false);
  /** Where it stood when something failed: what was said of that is over when it has moved on. */
  const [failedIn, setFailedIn] = useState<WaitingState['kind'] | null>(null);
  const time = new Date(startedAtMs);
  const timeText = strings.time(time);
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
    if (file) saveAudio(file, strings.fileName(sortableTime(time)));
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
    onRemove();
    for (const { id } of items) dictation.discard(id);
    if (kept) dictation.discardKept(sessionId);
  };

  return (
    <li data-state={state.kind} data-session={sessionId}>
      <div className="waiting-content">
        {text !== '' && <p className="waiting-text">{text}</p>}
        <p className="waiting-facts">
          <time dateTime={time.toISOString()}>{timeText}</time>
          <span>{lengthText(waiting.lengthMs, strings)}</span>
          <span>{waitingStateText(waiting, nowMs, strings)}</span>
        </p>
        {doubts.map((why) => (
          <p key={why} className="waiting-doubt">
            {strings.doubts[why]}
          </p>
        ))}
        {failedIn === state.kind && <p role="alert">{strings.failed}</p>}
      </div>
      <SeekBar player={player} lengthMs={waiting.lengthMs} of={timeText} />
      <div className="waiting-tools">
        {waiting.isInsertable && (
          <button type="button" className="tool" onClick={attempt(give)}>
            <TextCursorInput aria-hidden />
            <span>{strings.insert}</span>
          </button>
        )}
        {text !== '' && (
          <button type="button" className="tool" onClick={attempt(() => copy(text))}>
            <Clipboard aria-hidden />
            <span>{strings.copy}</span>
          </button>
        )}
        {state.kind !== 'transcribed' && (
          <button type="button" className="tool" onClick={attempt(retry)}>
            <RotateCw aria-hidden />
            <span>{isDoubted ? strings.retry : strings.retryAll}</span>
          </button>
        )}
        <button type="button" className="tool is-quiet" onClick={attempt(player.toggle)}>
          {player.isPlaying ? <Pause aria-hidden /> : <Play aria-hidden />}
          <span>{player.isPlaying ? pause : strings.play}</span>
        </button>
        <button type="button" className="tool is-quiet" onClick={attempt(download)}>
          <Download aria-hidden />
          <span>{strings.download}</span>
        </button>
        <button type="button" className="tool is-quiet" onClick={() => setIsAsking(true)}>
          <Trash2 aria-hidden />
          <span>{strings.remove}</span>
        </button>
      </div>
      {isAsking && (
        <ConfirmDialog
          title={strings.removeTitle}
          warning={hasBin ? strings.binWarning : strings.removeWarning}
          confirm={strings.remove}
          cancel={strings.cancel}
          onConfirm={remove}
          onClose={() => setIsAsking(false)}
        />
      )}
    </li>
  );
}
