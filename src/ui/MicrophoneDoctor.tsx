import { useState, useSyncExternalStore } from 'react';
import type { Dictation } from '../core/dictation.ts';
import { createMicrophoneDoctor, type MicrophoneAilment } from '../core/microphone-doctor.ts';
import { useWords } from './words.ts';

/** One line about a microphone that is not well, with one thing to do; nothing while all is well. */
export function MicrophoneDoctor({ dictation }: { readonly dictation: Dictation }) {
  const words = useWords();
  const [practice] = useState(() => createPractice(dictation));
  const ailment = useSyncExternalStore(practice.subscribe, practice.diagnosis);
  return (
    <p className="doctor" role="status" data-ailment={ailment ?? undefined}>
      {ailment && words.doctor[ailment]}
    </p>
  );
}

/** A doctor for one recording, who sees every frame that the snapshot shows. */
function createPractice(dictation: Dictation) {
  const doctor = createMicrophoneDoctor();
  let seenFrames = dictation.getSnapshot().session.judgedFrames;
  let diagnosis: MicrophoneAilment | null = null;

  const look = (): void => {
    const { session, notices } = dictation.getSnapshot();
    const { judgedFrames, phase } = session;
    if (judgedFrames === seenFrames || phase !== 'recording') return;
    seenFrames = judgedFrames;
    // What nobody judged is kept with the probability of certain speech.
    const found = doctor.examine({ ...session, isJudged: session.speechProbability < 1 });
    // A muted microphone has a notice of its own, which says more.
    const isMuted = notices.some(({ kind }) => kind === 'microphone-muted');
    diagnosis = isMuted ? null : found;
  };

  return {
    subscribe: (listener: () => void) =>
      dictation.subscribe(() => {
        look();
        listener();
      }),
    diagnosis: () => diagnosis,
  };
}
