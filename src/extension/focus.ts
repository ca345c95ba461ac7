import type { DeliveryVerdict } from '../core/contracts/dictation.ts';
import { activeElementOf } from '../field/dom.ts';
import { HOLD_MS } from '../widget/press.ts';
import type { KeySource } from '../widget/push-to-talk.ts';
import { takesDictation } from './edit-context.ts';
import { createFirstMicrophone } from './first-microphone.ts';
import { ask, type PanelReason } from './messages.ts';
import type { FrameSettings } from './settings.ts';
import type { FieldTools } from './tools.ts';

/** A frame this small shows nothing: it is there to catch keys. */
const SEEN_PX = 8;

/**
 * True in a frame that takes keys and shows no text: the page draws its text itself, as Google Docs
 * does, whose keys go to a frame that nobody sees.
 */
function isDrawnElsewhere(): boolean {
  if (window === window.top) return false;
  if (innerWidth < SEEN_PX || innerHeight < SEEN_PX) return true;
  // Null where the page around it is of another origin.
  const frame = window.frameElement;
  if (!frame) return false;
  const { right, bottom } = frame.getBoundingClientRect();
  const isOutside = right <= 0 || bottom <= 0;
  return isOutside || !frame.checkVisibility({ opacityProperty: true });
}

/** The dictation of one frame's fields, from the first focus on. */
export type FieldFocus = ReturnType<typeof createFieldFocus>;

/**
 * Shows a microphone at the focused field where the site's setting wants it, and loads the
 * dictation tools once it is pressed. `keys` come before the page's own listeners.
 */
export function createFieldFocus(keys: KeySource) {
  /** The tools, once they have been wanted, and once they are there. */
  let fetching: Promise<FieldTools> | null = null;
  let tools: FieldTools | null = null;
  /** The field that had the focus last. */
  let last: HTMLElement | null = null;
  /** The key that has started a recording in a field that nothing was attached to. */
  let down: { readonly key: string; readonly atMs: number } | null = null;
  /** Fulfilled when what the key has begun can be ended. */
  let beginning: Promise<void> = Promise.resolve();
  const microphone = createFirstMicrophone({
    onPress: (field, { choices }) => void start(field, choices),
    onHeld: (field) => void fetchTools().then((all) => all.end(field)),
  });

  function fetchTools(): Promise<FieldTools> {
    // By the address of this session: what a module imports by itself has the other one, which no
    // page may load.
    fetching ??= import(/* @vite-ignore */ chrome.runtime.getURL('field/tools.js')).then(
      ({ createFieldTools }: typeof import('./tools.ts')) => {
        tools = createFieldTools(keys, microphone.hide);
        return tools;
      },
    );
    fetching.catch((error) => {
      console.error('Diktera: the tools could not be loaded', error);
      fetching = null;
    });
    return fetching;
  }

  async function start(field: HTMLElement, choices: FrameSettings['choices']): Promise<void> {
    const tools = await fetchTools();
    tools.start(field, choices);
    microphone.hide();
  }

  /** Null where the extension is gone. */
  async function settings(): Promise<FrameSettings | null> {
    return ask<'frame-settings'>({ kind: 'frame-settings' }).catch(() => null);
  }

  async function keyUp(field: HTMLElement, { key, timeStamp }: KeyboardEvent): Promise<void> {
    if (down?.key !== key) return;
    const wasHeld = timeStamp - down.atMs >= HOLD_MS;
    down = null;
    if (!wasHeld) return;
    // It may have been let go before there was anything to end.
    await beginning;
    if (isDrawnElsewhere()) void ask({ kind: 'without-field', wish: 'end' });
    else (await fetchTools()).end(field);
  }

  async function begin(field: HTMLElement, { key }: KeyboardEvent): Promise<void> {
    const isDrawn = isDrawnElsewhere();
    const given = await settings();
    const isMeant = given !== null && given.mode !== 'never';
    if (!isMeant || given.choices.pushToTalkKey !== key) {
      down = null;
      return;
    }
    if (isDrawn) {
      await ask({ kind: 'without-field', wish: 'toggle' });
      return;
    }
    last = field;
    await start(field, given.choices);
  }

  function isActive(field: HTMLElement): boolean {
    const active = activeElementOf(field);
    return active !== null && field.contains(active);
  }

  return {
    /** A field has got the focus. */
    async focus(field: HTMLElement): Promise<void> {
      if (isDrawnElsewhere() || !takesDictation(field)) return;
      last = field;
      const given = await settings();
      if (given === null) return;
      if (given.mode === 'never') tools?.leave(field);
      if (given.mode !== 'always' || !isActive(field)) return;
      if (tools) tools.attach(field, given.choices);
      else microphone.show(field, given);
    },

    /** A key was pressed, or let go, in a field; once one is attached it hears keys by itself. */
    async key(field: HTMLElement, event: KeyboardEvent): Promise<void> {
      if (event.type === 'keyup') return keyUp(field, event);
      if (tools?.has(field) || event.repeat) return;
      // Pressed once more, it was let go where nobody has heard it.
      if (down !== null && down.key !== event.key) return;
      if (!(isDrawnElsewhere() || takesDictation(field))) return;
      down = { key: event.key, atMs: event.timeStamp };
      beginning = begin(field, event);
      await beginning;
    },

    /** Starts in a field, or ends what is recorded there: true, or why not. */
    toggle(field: HTMLElement): true | PanelReason {
      if (isDrawnElsewhere()) return 'drawn';
      if (!takesDictation(field)) return 'no-field';
      last = field;
      if (tools?.end(field)) return true;
      void settings().then((given) => given && start(field, given.choices));
      return true;
    },

    /** Records with a panel that offers the text for copying; false where the extension is gone. */
    async panel(why: PanelReason): Promise<boolean> {
      const given = await settings();
      if (given) (await fetchTools()).panel.start(why, given.choices);
      return given !== null;
    },

    /** Puts a text into the field that had the focus last: `active` where it had it before. */
    async insert(text: string, active: HTMLElement | null): Promise<DeliveryVerdict> {
      const field = last?.isConnected ? last : active;
      if (!field || isDrawnElsewhere() || !takesDictation(field)) return false;
      return (await fetchTools()).insert(field, text);
    },
  };
}
