import { Info } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { useSnapshot } from '../widget/use-snapshot.ts';
import { usePageStrings } from './page-strings.ts';
import type { SettingsStore } from './settings.ts';

type KeepingNoticeProps = {
  readonly dictation: Dictation;
  readonly settings: SettingsStore;
  readonly keepRecordings: number;
};

/**
 * Says once, before the first recording, that recordings are kept, and whether the browser may clear
 * them. Who begins to speak without an answer keeps it in view, and is not told again.
 */
export function KeepingNotice({ dictation, settings, keepRecordings }: KeepingNoticeProps) {
  const { keeping: strings } = usePageStrings();
  const isRecording = useSnapshot(dictation, ({ session }) => session.isRecording);
  /** Whether the browser may clear them; null while that is not known, or it has been told. */
  const [mayBeCleared, setMayBeCleared] = useState<boolean | null>(null);
  const isShown = mayBeCleared !== null && keepRecordings > 0;

  useEffect(() => {
    // What was chosen is known from here on: the build draws the page without.
    if (settings.getSettings().isKeepingTold) return;
    let isOver = false;
    const tell = (isClearable: boolean): void => {
      if (!isOver) setMayBeCleared(isClearable);
    };
    dictation.recordings.storage().then(
      ({ isPersisted }) => tell(isPersisted === false),
      () => tell(false),
    );
    return () => {
      isOver = true;
    };
  }, [dictation, settings]);
  useEffect(() => {
    if (isShown && isRecording) settings.change({ isKeepingTold: true });
  }, [isShown, isRecording, settings]);

  if (!isShown) return null;
  const span = strings.span(keepRecordings);
  return (
    <aside className="keeping-notice" aria-label={strings.title}>
      <Info aria-hidden />
      <p>{mayBeCleared ? strings.noticeClearable(span) : strings.notice(span)}</p>
      <button
        type="button"
        className="tool is-outlined"
        onClick={() => {
          setMayBeCleared(null);
          settings.change({ isKeepingTold: true });
        }}
      >
        {strings.understood}
      </button>
    </aside>
  );
}
