import { useEffect, useSyncExternalStore } from 'react';
import type { MicrophoneList } from '../capture/microphone-list.ts';
import type { Dictation } from '../core/contracts/dictation.ts';

/**
 * Takes notices about microphones away when their cause is gone: permission has been given, a
 * microphone has been connected. The others are taken away by what raised them.
 */
export function useNoticeCauses(dictation: Dictation, microphones: MicrophoneList): void {
  const { devices, permission } = useSyncExternalStore(
    microphones.subscribe,
    microphones.getState,
    microphones.getState,
  );
  const isAllowed = permission === 'granted';
  const isConnected = devices.length > 0;

  useEffect(() => {
    for (const { kind } of dictation.getSnapshot().notices) {
      const isOver =
        (kind === 'microphone-denied' && isAllowed) ||
        (kind === 'microphone-missing' && isConnected);
      if (isOver) dictation.dismissNotice(kind);
    }
  }, [dictation, isAllowed, isConnected]);
}
