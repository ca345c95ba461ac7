import { TriangleAlert, X } from 'lucide-react';
import type { Dictation } from '../core/dictation.ts';
import { STRINGS } from './strings.ts';
import { useSnapshot } from './use-snapshot.ts';

/** What is wrong and what to do about it, in plain words. */
export function Notices({ dictation }: { readonly dictation: Dictation }) {
  const notices = useSnapshot(dictation, (snapshot) => snapshot.notices);
  return (
    <div className="notices" role="alert">
      {notices.map(({ kind, error }) => (
        <div key={kind} className="notice" data-notice={kind} data-code={error?.code}>
          <TriangleAlert aria-hidden />
          <p>
            <strong>{STRINGS.notices[kind].title}.</strong> {STRINGS.notices[kind].advice}
          </p>
          <button
            type="button"
            className="tool is-quiet"
            aria-label={STRINGS.dismiss}
            onClick={() => dictation.dismissNotice(kind)}
          >
            <X aria-hidden />
          </button>
        </div>
      ))}
    </div>
  );
}
