import { type MouseEvent, type PointerEvent, useEffect, useMemo } from 'react';
import { useLatest } from './hooks.ts';
import { HOLD_MS, isHeld } from './press.ts';

/** Tells of key presses, as a document does. */
export type KeySource = {
  addEventListener(
    type: 'keydown' | 'keyup',
    listener: (event: KeyboardEvent) => void,
    options: { readonly signal: AbortSignal; readonly capture?: boolean },
  ): void;
};

type KeySetup = {
  /** @default the document */
  readonly keys?: KeySource | undefined;
  /** As `KeyboardEvent.key` names it; null for none. */
  readonly pushToTalkKey: string | null;
  /** True for a key press that is meant for this field. */
  readonly isMine: (event: KeyboardEvent) => boolean;
  /** True for a key press in its text. */
  readonly isInText: (event: KeyboardEvent) => boolean;
  /** A microphone is being opened for it. */
  readonly isStarting: boolean;
  readonly isRecording: boolean;
  readonly start: () => void;
  readonly stop: () => void;
  readonly cancel: () => void;
};

/**
 * One key for talking: held it talks while it is down, tapped it starts and stops. While recording
 * it works wherever the focus is; Enter in the text ends and inserts, and Escape in the field throws
 * away.
 */
export function usePushToTalkKey(setup: KeySetup): void {
  const latest = useLatest(setup);
  const { keys } = setup;

  useEffect(() => {
    const source: KeySource = keys ?? document;
    const listening = new AbortController();
    const { signal } = listening;
    /** When the key that started the recording went down; null when it is up, or only stopped. */
    let downAtMs: number | null = null;
    /** Enter was pressed on something else than the text, or has ended a recording. */
    let isEnterUsed = false;

    const release = (up: Event): void => {
      if (downAtMs !== null && isHeld(downAtMs, up)) latest().stop();
      downAtMs = null;
    };

    const talk = (down: Event): void => {
      const { isStarting, isRecording, start, stop } = latest();
      // Also of a microphone that is being opened: the first press is taken back.
      if (isStarting || isRecording) stop();
      else {
        downAtMs = down.timeStamp;
        start();
      }
    };

    /** Held on, Enter would write line breaks once the text has the focus. */
    const dropHeld = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || event.defaultPrevented) return;
      if (!event.repeat) isEnterUsed = !latest().isInText(event);
      else if (isEnterUsed && latest().isInText(event)) event.preventDefault();
    };

    const press = (event: KeyboardEvent): void => {
      // Safari tells of the key that ends a composition after its end, with this code.
      if (event.defaultPrevented || event.isComposing || event.keyCode === 229) return;
      const { isStarting, isRecording, stop, cancel } = latest();
      // Whoever records is asked first: else another set-up of the page would begin beside it.
      if (event.currentTarget === window && !(isStarting || isRecording)) return;
      const asked = askedBy(event, latest(), downAtMs !== null);
      if (asked === null) return;
      event.preventDefault();
      isEnterUsed ||= asked === 'end';
      if (event.repeat || (asked === 'talk' && downAtMs !== null)) return;
      ({ talk: () => talk(event), end: stop, cancel })[asked]();
    };
    const lift = (event: KeyboardEvent): void => {
      if (event.key === latest().pushToTalkKey) release(event);
    };
    // Before anything in the page can take away what the key was pressed in.
    const early = { signal, capture: true };
    source.addEventListener('keydown', dropHeld, early);
    source.addEventListener('keydown', press, early);
    if (!keys) window.addEventListener('keydown', press, early);
    source.addEventListener('keyup', lift, early);
    // The key's release would not be seen any more, and the microphone would stay open.
    window.addEventListener('blur', release, { signal });
    return () => listening.abort();
  }, [latest, keys]);
}

/** The command in a key press; null for none. */
function askedBy(
  event: KeyboardEvent,
  { pushToTalkKey, isMine, isInText, isStarting, isRecording }: KeySetup,
  isDown: boolean,
): 'talk' | 'end' | 'cancel' | null {
  const isHere = isMine(event);
  if (event.key === 'Escape') return isHere && (isStarting || isRecording) ? 'cancel' : null;
  if (hasModifier(event)) return null;
  if (event.key === 'Enter' && pushToTalkKey !== 'Enter') {
    return isRecording && isInText(event) ? 'end' : null;
  }
  if (event.key !== pushToTalkKey) return null;
  return isHere || isStarting || isRecording || isDown ? 'talk' : null;
}

function hasModifier({ ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey || shiftKey;
}

/** A touch may become a swipe until then. A quick tap is over by then, and its click starts. */
const TOUCH_MS = 100;

/** A finger that goes further before that is on its way elsewhere. */
const SLOP_PX = 10;

/** A click with a mouse is often slow: what is shorter is one, and goes on recording. */
const MOUSE_HOLD_MS = 600;

/** Handlers for a button that a finger or a mouse can be held on. */
export type PushToTalkTouch = {
  onPointerDown(event: PointerEvent): void;
  onContextMenu(event: MouseEvent): void;
  /** True for the click at the end of a touch that has done its work already. */
  isUsedUp(click: MouseEvent): boolean;
};

type TouchSetup = {
  /** A touch may start a recording: no other field is spoken into, and no click is needed. */
  readonly mayStart: boolean;
  /** The button is off: a tap does nothing then, but a hold starts a recording. */
  readonly isOff: boolean;
  readonly isRecording: boolean;
  readonly start: () => void;
  readonly stop: () => void;
};

/** A finger, or the button of a mouse, that is down. */
type Finger = {
  readonly pointerId: number;
  readonly holdMs: number;
  readonly downAtMs: number;
  readonly x: number;
  readonly y: number;
  readonly timer: ReturnType<typeof setTimeout>;
  /** It has started a recording, or is on one to end it. */
  readonly does: 'nothing' | 'talk' | 'end';
};

/**
 * A finger, a pen or a mouse on Diktera: held it talks while it is down, wherever it slides
 * meanwhile. A finger's tap is left to its click, as it may become a swipe; a mouse records from the
 * press on.
 */
export function usePushToTalkTouch(setup: TouchSetup): PushToTalkTouch {
  const latest = useLatest(setup);
  const { letGo, ...touch } = useMemo(() => createTouch(latest), [latest]);
  useEffect(() => letGo, [letGo]);
  return touch;
}

function createTouch(latest: () => TouchSetup): PushToTalkTouch & { letGo(): void } {
  let finger: Finger | null = null;
  let listening = new AbortController();
  let isUsedUp = false;

  function letGo(): void {
    if (finger) clearTimeout(finger.timer);
    finger = null;
    listening.abort();
  }

  function talk(): void {
    const { mayStart, start } = latest();
    // Browsers let no audio run before a first press: then the click has to start it.
    const isTrusted = navigator.userActivation?.hasBeenActive !== false;
    if (finger?.does !== 'nothing' || !mayStart || !isTrusted) return;
    finger = { ...finger, does: 'talk' };
    start();
  }

  function release({ does, downAtMs, holdMs }: Finger, up: Event): void {
    const wasHeld = isHeld(downAtMs, up, holdMs);
    isUsedUp = does === 'talk' || (does === 'end' && wasHeld);
    letGo();
    // Also a recording from before: after a long press a telephone makes no click.
    if (wasHeld && does !== 'nothing') latest().stop();
  }

  function listen({ pointerId, x, y }: Finger): void {
    listening = new AbortController();
    const { signal } = listening;
    const on = (type: 'pointermove' | 'pointerup' | 'pointercancel', hear: HearFinger): void =>
      document.addEventListener(
        type,
        (event) => {
          if (finger && event.pointerId === pointerId) hear(finger, event);
        },
        { signal, capture: true },
      );
    // The touch stays with what it began on, so it is heard wherever the finger slides; here, since
    // the toolbar may go meanwhile.
    on('pointerup', release);
    // The system took the touch. The finger may still be down and the person speaking, so the
    // recording goes on as after a tap: it is seen, and a press ends it.
    on('pointercancel', letGo);
    on('pointermove', ({ does }, { clientX, clientY }) => {
      if (does === 'nothing' && Math.hypot(clientX - x, clientY - y) > SLOP_PX) letGo();
    });
  }

  return {
    letGo,
    onPointerDown({ pointerType, pointerId, clientX: x, clientY: y, timeStamp, button, ctrlKey }) {
      // Another finger beside it does nothing.
      if (finger) return;
      isUsedUp = false;
      const isMouse = pointerType === 'mouse';
      // Another button of a mouse, and Control with it on a Mac, opens a menu.
      if (isMouse && (button !== 0 || ctrlKey)) return;
      const { isRecording, isOff } = latest();
      const holdMs = isMouse ? MOUSE_HOLD_MS : HOLD_MS;
      const isAtOnce = isMouse && !isOff;
      finger = {
        ...{ pointerId, holdMs, x, y },
        downAtMs: timeStamp,
        timer: setTimeout(talk, isOff ? holdMs : TOUCH_MS),
        does: isRecording ? 'end' : 'nothing',
      };
      listen(finger);
      if (isAtOnce) talk();
    },
    onContextMenu(event) {
      if (finger) event.preventDefault();
    },
    // A click with no count is one of a keyboard or a screen reader.
    isUsedUp: ({ detail }) => detail > 0 && (isUsedUp || finger !== null),
  };
}

type HearFinger = (finger: Finger, event: globalThis.PointerEvent) => void;
