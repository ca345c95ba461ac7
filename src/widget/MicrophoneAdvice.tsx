import type { Dictation } from '../core/contracts/dictation.ts';
import { useStrings } from './strings.ts';
import { useSnapshot } from './use-snapshot.ts';

/**
 * One line about a microphone that is not well, with one thing to do; nothing while all is well.
 */
export function MicrophoneAdvice({ dictation }: { readonly dictation: Dictation }) {
  const strings = useStrings();
  const ailment = useSnapshot(dictation, ({ session, notices }) => {
    // A muted microphone has a notice of its own, which says more.
    const isMuted = notices.some(({ kind }) => kind === 'microphone-muted');
    return isMuted ? null : session.ailment;
  });
  return (
    <p className="doctor" role="status" data-ailment={ailment ?? undefined}>
      {ailment && strings.doctor[ailment]}
    </p>
  );
}
