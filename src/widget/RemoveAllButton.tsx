import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { removable, removalSummary } from './removal-summary.ts';
import { useStrings } from './strings.ts';
import { useSnapshot } from './use-snapshot.ts';

type RemoveAllButtonProps = {
  readonly dictation: Dictation;
  /** Told which recordings are being deleted, newest first. */
  readonly onRemove: (ids: readonly string[]) => void;
};

/** Deletes all recordings, and says first what that takes. Nothing while there are none. */
export function RemoveAllButton({ dictation, onRemove }: RemoveAllButtonProps) {
  const { recent: strings, waiting } = useStrings();
  const hasAny = useSnapshot(dictation, (snapshot) => removable(snapshot).length > 0);
  const [isAsking, setIsAsking] = useState(false);
  const [isFailed, setIsFailed] = useState(false);
  const remove = (): void => {
    setIsFailed(false);
    onRemove(removable(dictation.getSnapshot()).map(({ id }) => id));
    dictation.recordings.deleteAll().catch(() => setIsFailed(true));
  };
  return (
    <>
      {hasAny && (
        <button type="button" className="tool is-quiet" onClick={() => setIsAsking(true)}>
          <Trash2 aria-hidden />
          <span>{strings.removeAll}</span>
        </button>
      )}
      {isFailed && <p role="alert">{waiting.failed}</p>}
      {isAsking && (
        <ConfirmDialog
          title={strings.removeAllTitle}
          warning={strings.removeAllWarning(removalSummary(dictation.getSnapshot(), 'recordings'))}
          confirm={strings.removeAll}
          cancel={waiting.cancel}
          onConfirm={remove}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}
