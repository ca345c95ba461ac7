import type { FieldCommands } from '../widget/field-props.ts';
import { isHeld } from '../widget/hold.ts';
import { happenedWithin } from '../widget/own-elements.ts';
import type { EarlyRecording } from './early-recording.ts';

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
export type EarlyPress = ReturnType<typeof createEarlyPress>;

type Waiting =
  | { readonly by: 'button' }
  /** The talk key: held still, or let go already, which makes it a tap. */
  | { readonly by: 'key'; readonly downAtMs: number; readonly isDown: boolean };

/** A finger that is down on Diktera; `talk` once it has started a recording. */
type Finger = { readonly pointerId: number; readonly downAtMs: number; talk?: FieldCommands };

/** Listens for Diktera and the talk key before the script that knows them. */
export function createEarlyPress(ports: EarlyPressPorts) {
  const { field, toolbars, talkKey, signal, draw } = ports;
  let waiting: Waiting | null = null;
  let recording: EarlyRecording | null = null;
  /** What has become of it here. */
  let begun: 'nothing' | 'asked' | 'heard' | 'ended' = 'nothing';
  let isHalfDone = false;
  let finger: Finger | null = null;
  /** The click that comes is the end of a touch that has done its work. */
  let isUsedUp = false;

  const wait = (next: Waiting | null): void => {
    waiting = next;
    draw();
    begin();
  };
  const begin = (): void => {
    if (begun !== 'nothing' || !recording || !waiting) return;
    if (waiting.by === 'key' && waiting.isDown) return;
    begun = 'asked';
    void recording.begin().then((isHeard) => {
      if (begun !== 'asked' || !isHeard) return;
      begun = 'heard';
      draw();
    });
  };
  const end = (): void => {
    if (begun === 'nothing') return;
    begun = 'ended';
    recording?.end();
    draw();
  };
  /** A press that is over: the next one ends what the one before has begun. */
  const press = (next: Waiting): void => {
    if (begun === 'heard') end();
    else if (!waiting) wait(next);
  };

  for (const toolbar of toolbars) {
    // A press must not take the caret out of the text.
    toolbar.addEventListener('mousedown', (event) => event.preventDefault(), { signal });
    toolbar.addEventListener('click', () => isUsedUp || press({ by: 'button' }), { signal });
  }
  // Before the real tools hear of it, which are about to be seen: a press outside of theirs has them
  // go away.
  window.addEventListener(
    'pointerdown',
    (down) => {
      if (!happenedWithin(down, toolbars)) return;
      down.stopPropagation();
      isHalfDone = true;
      if (finger) return;
      isUsedUp = false;
      const { pointerId, pointerType, timeStamp } = down;
      if (pointerType !== 'mouse') finger = { pointerId, downAtMs: timeStamp };
    },
    { signal, capture: true },
  );
  for (const type of ['pointerup', 'pointercancel'] as const) {
    document.addEventListener(
      type,
      (up) => {
        if (finger && finger.pointerId !== up.pointerId) return;
        isHalfDone = false;
        const { talk, downAtMs = 0 } = finger ?? {};
        // As with the key: held to talk, and perhaps let go before anything was heard.
        const wasHeld = finger !== null && isHeld(downAtMs, up);
        isUsedUp = wasHeld || talk !== undefined;
        finger = null;
        // Taken by the system it goes on, as in `useTalkTouch`.
        if (!wasHeld || type === 'pointercancel') return;
        if (begun === 'heard') end();
        else void talk?.stop();
      },
      { signal },
    );
  }

  field.addEventListener(
    'keydown',
    (event) => {
      const { key, repeat, altKey, ctrlKey, metaKey, shiftKey, timeStamp } = event;
      if (key === 'Escape') begun === 'nothing' ? wait(null) : end();
      if (key !== talkKey || altKey || ctrlKey || metaKey || shiftKey) return;
      event.preventDefault();
      if (!repeat) press({ by: 'key', downAtMs: timeStamp, isDown: true });
    },
    { signal },
  );
  document.addEventListener(
    'keyup',
    (up) => {
      if (up.key !== talkKey || waiting?.by !== 'key' || !waiting.isDown) return;
      // Held to talk, and let go before anything was heard.
      wait(isHeld(waiting.downAtMs, up) ? null : { ...waiting, isDown: false });
    },
    { signal },
  );

  return {
    /** What is to be seen of it: it waits for an answer, or what it asked for records by now. */
    state: (): 'at-rest' | 'waiting' | 'recording' =>
      begun === 'heard' ? 'recording' : waiting ? 'waiting' : 'at-rest',
    /** The pointer is down on a toolbar: its click comes when it is let go. */
    isHalfDone: (): boolean => isHalfDone,
    /** Nobody wants it any more; what has been begun goes on, as everywhere. */
    forget() {
      if (begun !== 'nothing') return;
      waiting = null;
      if (!finger?.talk) finger = null;
    },
    /** What has been begun, if anything, is ended and kept. */
    end,
    /** Has what a press asks for begun as soon as the press is over. */
    beginWith(begins: EarlyRecording) {
      recording = begins;
      begin();
    },
    /** Does what was asked, now that it can be done, and once. */
    repeat(commands: FieldCommands) {
      // From here on the field begins them.
      if (begun === 'nothing') recording = null;
      if (finger && !recording) {
        if (!finger.talk) commands.start();
        finger.talk = commands;
      } else if (isHalfDone) return;
      // A key that is still down talks until it is let go: whoever knows of keys sees to that.
      else if (waiting?.by === 'key' && waiting.isDown) {
        field.dispatchEvent(new KeyboardEvent('keydown', { key: talkKey, bubbles: true }));
      } else if (waiting) commands.start();
      waiting = null;
      recording = null;
      begun = 'nothing';
    },
  };
}
