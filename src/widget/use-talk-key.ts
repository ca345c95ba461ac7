import { useEffect } from 'react';
import { isHeld } from './hold.ts';
import { useLatest } from './use-latest.ts';

type TalkKeySetup = {
  /** As `KeyboardEvent.key` names it; null for none. */
  readonly talkKey: string | null;
  /** Whether a key press is meant for this field. */
  readonly isMine: (event: KeyboardEvent) => boolean;
  readonly isRecording: boolean;
  readonly start: () => void;
  readonly stop: () => void;
};

/**
 * One key for talking: held it talks while it is down, tapped it starts and stops. While recording
 * it works wherever the focus is, and Escape in the field ends and keeps.
 */
export function useTalkKey(setup: TalkKeySetup): void {
  const latest = useLatest(setup);

  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    /** When the key that started the recording went down; null when it is up, or only stopped. */
    let downAtMs: number | null = null;

    const release = (up: Event): void => {
      if (downAtMs !== null && isHeld(downAtMs, up)) latest().stop();
      downAtMs = null;
    };

    const talk = (down: Event): void => {
      const { isRecording, start, stop } = latest();
      if (isRecording) stop();
      else {
        downAtMs = down.timeStamp;
        start();
      }
    };

    document.addEventListener(
      'keydown',
      (event) => {
        if (event.defaultPrevented || event.isComposing) return;
        const asked = askedBy(event, latest(), downAtMs !== null);
        if (asked === null) return;
        event.preventDefault();
        if (event.repeat || (asked === 'talk' && downAtMs !== null)) return;
        if (asked === 'end') latest().stop();
        else talk(event);
      },
      // Before anything in the page can take away what the key was pressed in.
      { signal, capture: true },
    );
    document.addEventListener(
      'keyup',
      (event) => {
        if (event.key === latest().talkKey) release(event);
      },
      { signal },
    );
    // The key's release would not be heard any more, and nobody wants to be listened to unawares.
    window.addEventListener('blur', release, { signal });
    return () => listening.abort();
  }, [latest]);
}

/** What a key press asks of this field; null for nothing. */
function askedBy(
  event: KeyboardEvent,
  { talkKey, isMine, isRecording }: TalkKeySetup,
  isDown: boolean,
): 'talk' | 'end' | null {
  const isHere = isMine(event);
  if (event.key === 'Escape') return isRecording && isHere ? 'end' : null;
  if (event.key !== talkKey || hasModifier(event)) return null;
  return isHere || isRecording || isDown ? 'talk' : null;
}

function hasModifier({ ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey || shiftKey;
}
