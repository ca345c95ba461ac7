import { TriangleAlert, X } from 'lucide-react';
import type { Dictation } from '../core/contracts/dictation.ts';
import { useStrings } from './strings.ts';
import { isAlarm } from './use-silence-alarm.ts';
import { useSnapshot } from './use-snapshot.ts';

/** What is wrong and what to do about it, in plain words. */
export function Notices({ dictation }: { readonly dictation: Dictation }) {
  const strings = useStrings();
  const notices = useSnapshot(dictation, (snapshot) => snapshot.notices);
  return (
    <div translate="no" className="notices" role="alert">
      {notices.map(({ kind, error, durationMs }) => (
        <div
          key={kind}
          className="notice"
          data-notice={kind}
          data-is-alarm={isAlarm(kind)}
          data-code={error?.code}
        >
          <TriangleAlert aria-hidden />
          <p>
            <strong>
              {`${strings.notices[kind].title}${
                durationMs === undefined
                  ? ''
                  : ` (${strings.duration(Math.round(durationMs / 1_000))})`
              }.`}
            </strong>
            <span>{` ${strings.notices[kind].advice}`}</span>
          </p>
          <button
            type="button"
            className="tool is-quiet"
            aria-label={strings.dismiss}
            onClick={() => dictation.dismissNotice(kind)}
          >
            <X aria-hidden />
          </button>
        </div>
      ))}
    </div>
  );
}
