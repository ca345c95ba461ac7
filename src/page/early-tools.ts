import { caretRect } from '../field/caret-rect.ts';
import { placeAtCaret, showOnTop } from '../widget/on-top.ts';
import type { FieldCommands } from '../widget/options.ts';
import { happenedWithin, isHeld } from '../widget/press.ts';
import { opensNoKeyboard, type Settings } from './settings.ts';

/** Diktera before its own script: drawn by the build, it takes a press and keeps it. */
export type EarlyTools = Pick<EarlyPress, 'beginWith' | 'state'> & {
  /**
   * The real tools are about to be drawn. A press that waits is made with the field's commands, if
   * the person is still in it. These are gone when the real ones can be seen.
   */
  retire(commands: FieldCommands): void;
  /** The real ones will never come: that is said. */
  giveUp(): void;
};

/** Null where the build drew nothing. */
export function createEarlyTools({
  interfaceLanguage,
  pushToTalkKey,
}: Pick<Settings, 'interfaceLanguage' | 'pushToTalkKey'>): EarlyTools | null {
  const field = document.querySelector<HTMLElement>('.field-text');
  const drawn = document.querySelector<HTMLTemplateElement>(`#early-${interfaceLanguage}`);
  const copies = drawn ? [...document.importNode(drawn.content, true).children] : [];
  const [atRest, waiting, recording, missing] = copies.filter(
    (each) => each instanceof HTMLElement,
  );
  if (!(field && atRest && waiting && recording && missing)) return null;
  const looks = { 'at-rest': atRest, waiting, recording };
  const toolbars = Object.values(looks);
  const ending = new AbortController();
  const { signal } = ending;
  const sheet = field.parentElement ?? field;
  /** The page's one microphone, which stays: it only shows what has become of a press on it. */
  const foot = document.querySelector<HTMLElement>('.note-foot');
  /** Set when the real tools are about to be drawn. */
  let commands: FieldCommands | null = null;

  const hasFocus = (): boolean => document.activeElement === field;
  const isQuiet = (): boolean => field.dataset.isQuiet !== undefined;
  const draw = (): void => {
    const shown = looks[press.state()];
    if (foot) foot.dataset.early = press.state();
    for (const toolbar of toolbars) if (toolbar !== shown) toolbar.remove();
    // A recording must be seen, wherever the focus is.
    if ((hasFocus() && !isQuiet()) || (shown !== atRest && !foot)) {
      if (!shown.isConnected) document.body.append(shown);
      showOnTop(shown);
      placeAtCaret(shown, caretRect(field));
    } else shown.remove();
  };
  const press = createEarlyPress({ field, toolbars, pushToTalkKey, signal, draw });

  const settle = (): void => {
    if (commands === null) return;
    press.repeat(commands);
    // A press that is half done needs the button that it began on.
    if (press.isHalfDone()) return;
    if (!hasFocus() || isQuiet() || sheet.querySelector('.toolbar:not([style*="hidden"])')) end();
  };
  const watch = new MutationObserver(settle);

  function end(): void {
    ending.abort();
    watch.disconnect();
    if (foot) delete foot.dataset.early;
    for (const toolbar of toolbars) toolbar.remove();
  }

  const changed = (): void => {
    if (!hasFocus()) press.forget();
    // The real tools show the press by then.
    if (commands === null) draw();
    else settle();
  };
  field.addEventListener(
    'pointerdown',
    () => {
      delete field.dataset.isQuiet;
      changed();
    },
    { signal },
  );
  foot?.querySelector('.microphone')?.addEventListener(
    'click',
    () => {
      // The real one hears it from then on.
      if (commands !== null) return;
      if (opensNoKeyboard()) field.focus({ preventScroll: true });
      press.pressInSight();
    },
    { signal },
  );
  // A focus that leaves has left when the event is over.
  for (const type of ['focusin', 'focusout']) {
    field.addEventListener(type, () => queueMicrotask(changed), { signal });
  }
  for (const type of ['selectionchange', 'scroll']) {
    document.addEventListener(type, changed, { signal, capture: true, passive: true });
  }
  for (const type of ['resize', 'scroll']) {
    window.visualViewport?.addEventListener(type, changed, { signal });
  }
  // After the click that belongs to it.
  for (const type of ['pointerup', 'pointercancel']) {
    document.addEventListener(type, () => setTimeout(settle), { signal });
  }
  draw();

  return {
    beginWith: press.beginWith,
    state: press.state,
    retire(real) {
      commands = real;
      watch.observe(sheet, { childList: true, subtree: true, attributeFilter: ['style'] });
      settle();
    },
    giveUp() {
      // A recording must not go on unseen.
      press.end();
      end();
      document.querySelector('.notices')?.append(missing);
    },
  };
}

/** A recording that is begun before there is a field that can take its text. */
export type EarlyRecording = {
  /** Begins it, once. Never rejects: false if nothing can be heard, which the field will tell. */
  begin(): Promise<{ readonly ok: boolean }>;
  /** Ends and keeps what has been begun. */
  end(): void;
  /** Throws it away; the page offers to have it back. */
  cancel(): void;
};

type EarlyPressPorts = {
  readonly field: HTMLElement;
  readonly toolbars: readonly HTMLElement[];
  /** As `KeyboardEvent.key` names it; empty for none. */
  readonly pushToTalkKey: string;
  readonly signal: AbortSignal;
  /** Called when it is to be seen that a press waits, or no longer does. */
  readonly draw: () => void;
};

/** A press that waits for the page's script. */
type EarlyPress = ReturnType<typeof createEarlyPress>;

type Waiting =
  /** `isInSight`: it stays so wherever the focus goes. */
  | { readonly by: 'button'; readonly isInSight?: true }
  /** The push-to-talk key: held still, or let go already, which makes it a tap. */
  | { readonly by: 'key'; readonly downAtMs: number; readonly isDown: boolean };

/** A finger that is down on Diktera; `talk` once it has started a recording. */
type Finger = { readonly pointerId: number; readonly downAtMs: number; talk?: FieldCommands };

/** Listens for Diktera and the push-to-talk key before the script that knows them. */
export function createEarlyPress(ports: EarlyPressPorts) {
  const { field, toolbars, pushToTalkKey, signal, draw } = ports;
  let waiting: Waiting | null = null;
  let recording: EarlyRecording | null = null;
  /** State of the early recording. */
  let begun: 'nothing' | 'asked' | 'heard' | 'ended' | 'thrown' = 'nothing';
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
    void recording.begin().then(({ ok: isHeard }) => {
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
  const throwAway = (): void => {
    if (begun === 'asked' || begun === 'heard') {
      begun = 'thrown';
      recording?.cancel();
    }
    if (begun !== 'ended') wait(null);
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
        // Taken by the system it goes on, as in `usePushToTalkTouch`.
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
      if (key === 'Escape') throwAway();
      if (key !== pushToTalkKey || altKey || ctrlKey || metaKey || shiftKey) return;
      event.preventDefault();
      if (!repeat) press({ by: 'key', downAtMs: timeStamp, isDown: true });
    },
    { signal },
  );
  document.addEventListener(
    'keyup',
    (up) => {
      if (up.key !== pushToTalkKey || waiting?.by !== 'key' || !waiting.isDown) return;
      // Held to talk, and let go before anything was heard.
      wait(isHeld(waiting.downAtMs, up) ? null : { ...waiting, isDown: false });
    },
    { signal },
  );

  return {
    /** The look: a press waits for its answer, or its recording goes on. */
    state: (): 'at-rest' | 'waiting' | 'recording' =>
      begun === 'heard' ? 'recording' : waiting ? 'waiting' : 'at-rest',
    /** A press on a button that stays in sight, wherever the focus is. */
    pressInSight: () => press({ by: 'button', isInSight: true }),
    /** The pointer is down on a toolbar: its click comes when it is let go. */
    isHalfDone: (): boolean => isHalfDone,
    /** Forgets a waiting press; a recording that has begun goes on, as everywhere. */
    forget() {
      if (begun !== 'nothing' || (waiting?.by === 'button' && waiting.isInSight)) return;
      waiting = null;
      if (!finger?.talk) finger = null;
    },
    /** Ends and keeps a recording that has begun. */
    end,
    /** Gives the means to begin a recording, used as soon as a press is over. */
    beginWith(begins: EarlyRecording) {
      recording = begins;
      begin();
    },
    /** Does what the press asked for, once. */
    repeat(commands: FieldCommands) {
      if (begun === 'thrown') {
        // Had back, it has its place in the field.
        commands.start();
        begun = 'nothing';
      }
      // From here on the field begins them.
      if (begun === 'nothing') recording = null;
      if (finger && !recording) {
        if (!finger.talk) commands.start();
        finger.talk = commands;
      } else if (isHalfDone) return;
      // A key that is still down talks until it is let go, which the real tools see to.
      else if (waiting?.by === 'key' && waiting.isDown) {
        field.dispatchEvent(new KeyboardEvent('keydown', { key: pushToTalkKey, bubbles: true }));
      } else if (waiting) commands.start();
      waiting = null;
      recording = null;
      begun = 'nothing';
    },
  };
}
