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
 * Says once, before the first recording, that recordings are kept. Who begins to speak without an
 * answer keeps it in view, and is not told again.
 */
export function KeepingNotice({ dictation, settings, keepRecordings }: KeepingNoticeProps) {
  const { keeping: strings } = usePageStrings();
  const isRecording = useSnapshot(dictation, ({ session }) => session.isRecording);
  // Drawn when the page has come to life, so that what was chosen is known.
  const [isUntold, setIsUntold] = useState(() => !settings.getSettings().isKeepingTold);
  const isShown = isUntold && keepRecordings > 0;

  useEffect(() => {
    if (isShown && isRecording) settings.change({ isKeepingTold: true });
  }, [isShown, isRecording, settings]);

  if (!isShown) return null;
  return (
    <aside className="keeping-notice" aria-label={strings.title}>
      <Info aria-hidden />
      <p>{strings.notice(strings.span(keepRecordings))}</p>
      <button
        type="button"
        className="tool is-outlined"
        onClick={() => {
          setIsUntold(false);
          settings.change({ isKeepingTold: true });
        }}
      >
        {strings.understood}
      </button>
    </aside>
  );
}
