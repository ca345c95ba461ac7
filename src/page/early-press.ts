import { HOLD_MS } from '../widget/use-talk-key.ts';

type EarlyPressPorts = {
  readonly field: HTMLElement;
  readonly toolbars: readonly HTMLElement[];
  /** As `KeyboardEvent.key` names it; empty for none. */
  readonly talkKey: string;
  readonly signal: AbortSignal;
  /** Called when it is to be seen that a press waits, or no longer does. */
  readonly draw: () => void;
};

/** A press that waits for somebody who can do what it asks. */
export type EarlyPress = {
  isWaiting(): boolean;
  /** The pointer is down on a toolbar: its click comes when it is let go. */
  isHalfDone(): boolean;
  forget(): void;
  /** Does what was asked, now that it can be done. */
  repeat(start: () => void): void;
};

type Waiting =
  | { readonly by: 'button' }
  /** The talk key: held still, or let go already, which makes it a tap. */
  | { readonly by: 'key'; readonly downAtMs: number; readonly isDown: boolean };

/** Listens for Diktera and the talk key before the script that knows them. */
export function createEarlyPress(ports: EarlyPressPorts): EarlyPress {
  const { field, toolbars, talkKey, signal, draw } = ports;
  let waiting: Waiting | null = null;
  let isHalfDone = false;

  const wait = (next: Waiting | null): void => {
    waiting = next;
    draw();
  };

  for (const toolbar of toolbars) {
    // A press must not take the caret out of the text.
    toolbar.addEventListener('mousedown', (event) => event.preventDefault(), { signal });
    toolbar.addEventListener('pointerdown', () => (isHalfDone = true), { signal });
    toolbar.addEventListener('click', () => waiting ?? wait({ by: 'button' }), { signal });
  }
  for (const type of ['pointerup', 'pointercancel']) {
    document.addEventListener(type, () => (isHalfDone = false), { signal });
  }

  field.addEventListener(
    'keydown',
    (event) => {
      const { key, repeat, altKey, ctrlKey, metaKey, shiftKey } = event;
      if (key === 'Escape') wait(null);
      if (key !== talkKey || altKey || ctrlKey || metaKey || shiftKey) return;
      event.preventDefault();
      if (!repeat && !waiting) wait({ by: 'key', downAtMs: performance.now(), isDown: true });
    },
    { signal },
  );
  document.addEventListener(
    'keyup',
    ({ key }) => {
      if (key !== talkKey || waiting?.by !== 'key' || !waiting.isDown) return;
      // Held to talk, and let go before anything was heard.
      const isHeld = performance.now() - waiting.downAtMs >= HOLD_MS;
      wait(isHeld ? null : { ...waiting, isDown: false });
    },
    { signal },
  );

  return {
    isWaiting: () => waiting !== null,
    isHalfDone: () => isHalfDone,
    forget() {
      waiting = null;
    },
    repeat(start) {
      // A key that is still down talks until it is let go: whoever knows of keys sees to that.
      if (waiting?.by === 'key' && waiting.isDown) {
        field.dispatchEvent(new KeyboardEvent('keydown', { key: talkKey, bubbles: true }));
      } else if (waiting) start();
    },
  };
}
