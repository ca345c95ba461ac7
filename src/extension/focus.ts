import type { DeliveryVerdict } from '../core/contracts/dictation.ts';
import { activeElementOf } from '../field/dom.ts';
import { canDictate } from '../field/text-surface.ts';
import { HOLD_MS } from '../widget/press.ts';
import type { KeySource } from '../widget/push-to-talk.ts';
import { createFirstMicrophone } from './first-microphone.ts';
import { ask } from './messages.ts';
import type { FrameSettings } from './settings.ts';
import type { FieldTools } from './tools.ts';

/** What is done for the fields of a frame from the first focus on. */
export type FieldFocus = ReturnType<typeof createFieldFocus>;

/**
 * Shows a microphone where the site has it, and fetches the tools when it is pressed. `keys` are
 * heard before the page.
 */
export function createFieldFocus(keys: KeySource) {
  /** The tools, once they have been wanted, and once they are there. */
  let fetching: Promise<FieldTools> | null = null;
  let tools: FieldTools | null = null;
  /** The field that had the focus last. */
  let last: HTMLElement | null = null;
  /** The key that has started a recording in a field that nothing was attached to. */
  let down: { readonly key: string; readonly atMs: number } | null = null;
  const microphone = createFirstMicrophone({
    onPress: (field, { choices }) => void start(field, choices),
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
    const { attach } = await fetchTools();
    attach(field, choices).start();
    microphone.hide();
  }

  /** Null where the extension is gone. */
  async function settings(): Promise<FrameSettings | null> {
    return ask<'frame-settings'>({ kind: 'frame-settings' }).catch(() => null);
  }

  function isActive(field: HTMLElement): boolean {
    const active = activeElementOf(field);
    return active !== null && field.contains(active);
  }

  return {
    /** A field has got the focus. */
    async focus(field: HTMLElement): Promise<void> {
      if (!canDictate(field)) return;
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
      if (event.type === 'keyup') {
        const wasHeld = down?.key === event.key && event.timeStamp - down.atMs >= HOLD_MS;
        if (down?.key === event.key) down = null;
        if (wasHeld) void (await fetchTools()).end(field);
        return;
      }
      if (tools?.has(field) || event.repeat || down !== null || !canDictate(field)) return;
      down = { key: event.key, atMs: event.timeStamp };
      const given = await settings();
      const isMeant = given !== null && given.mode !== 'never';
      if (!isMeant || given.choices.pushToTalkKey !== event.key) {
        down = null;
        return;
      }
      last = field;
      await start(field, given.choices);
    },

    /** Starts in a field, or ends what is recorded there; answers that it does. */
    toggle(field: HTMLElement): boolean {
      if (!canDictate(field)) return false;
      last = field;
      if (tools?.end(field)) return true;
      void settings().then((given) => given && start(field, given.choices));
      return true;
    },

    /** Puts a text into the field that had the focus last. */
    async insert(text: string): Promise<DeliveryVerdict> {
      if (!last?.isConnected || !canDictate(last)) return false;
      return (await fetchTools()).insert(last, text);
    },
  };
}
