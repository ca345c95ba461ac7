import { useEffect, useSyncExternalStore } from 'react';
import { hasNames, type MicrophoneList } from '../capture/microphone-list.ts';
import type { Dictation } from '../core/contracts/dictation.ts';
import { useSnapshot } from '../widget/use-snapshot.ts';

type NoticeCausesProps = {
  readonly dictation: Dictation;
  readonly microphones: MicrophoneList;
};

/**
 * Takes notices about microphones away when their cause is gone: permission has been given, by the
 * browser's word or by the names that it tells then, or a microphone has been connected. The others
 * are taken away by what raised them. Draws nothing: what it follows changes as a recording begins,
 * when the page has enough to do.
 */
export function NoticeCauses({ dictation, microphones }: NoticeCausesProps): null {
  const { devices, permission } = useSyncExternalStore(
    microphones.subscribe,
    microphones.getState,
    microphones.getState,
  );
  const heardId = useSnapshot(dictation, ({ session }) => session.device?.deviceId ?? null);
  const isAllowed = permission === 'granted';
  const isNamed = hasNames({ devices });
  const isConnected = devices.length > 0;

  useEffect(() => {
    if (heardId !== null) microphones.microphoneHeard();
  }, [microphones, heardId]);

  useEffect(() => {
    for (const { kind } of dictation.getSnapshot().notices) {
      const isOver =
        (kind === 'microphone-denied' && (isAllowed || isNamed)) ||
        (kind === 'microphone-missing' && isConnected);
      if (isOver) dictation.dismissNotice(kind);
    }
  }, [dictation, isAllowed, isNamed, isConnected]);

  return null;
}
