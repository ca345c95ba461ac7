import type { FieldFocus } from './focus.ts';
import type { FrameCommand, FrameGlobals } from './messages.ts';

/*
 * In every frame of every page: a few listeners, and nothing else until a field has the focus or a
 * key is pressed in one. It is there before the page's own scripts, so that nothing of the page
 * hears a key or a focus first.
 */

const KEY_TYPES = ['keydown', 'keyup'] as const;

/** Whoever wants to hear of keys; the page may let nothing through that comes later. */
const keyListeners = new Map<(event: KeyboardEvent) => void, (typeof KEY_TYPES)[number]>();

let help: Promise<FieldFocus> | null = null;

/** Fields, without what is secret: passwords, cards, codes. */
const TEXT_INPUT = /^(text|search|tel|url|email|number)$/;
const SECRET = /\b(cc-\w|current-password|new-password|one-time-code)/i;
const SECRET_NAME =
  /card.?(num|no(?![a-z]))|cc.?num|cvv|cvc|iban|pass(w|code)|(?<![a-z])(otp|pin|pwd)(?![a-z])/i;

/** The element that could be dictated into, of one that has the focus; null for none. */
function fieldOf(target: EventTarget | null | undefined): HTMLElement | null {
  if (!(target instanceof HTMLElement)) return null;
  // It takes keys, for a text that its page draws.
  if ('editContext' in target && target.editContext) return target;
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement) {
    const isText = target instanceof HTMLTextAreaElement || TEXT_INPUT.test(target.type);
    const isSecret =
      SECRET.test(target.autocomplete) || SECRET_NAME.test(`${target.name} ${target.id}`);
    return isText && !isSecret ? target : null;
  }
  let host: HTMLElement | null = target.isContentEditable ? target : null;
  // The outermost: an element within is a paragraph of it. Beside all of the document nothing can stand.
  while (host !== document.body && host?.parentElement?.isContentEditable)
    host = host.parentElement;
  return host === document.documentElement ? document.body : host;
}

/** The element that has the focus, in open shadow trees too. */
function focused(): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}

function load(): Promise<FieldFocus> {
  help ??= import(/* @vite-ignore */ chrome.runtime.getURL('field/focus.js')).then(
    ({ createFieldFocus }: typeof import('./focus.ts')) =>
      createFieldFocus({
        addEventListener(type, listener, { signal }) {
          keyListeners.set(listener, type);
          signal.addEventListener('abort', () => keyListeners.delete(listener), { once: true });
        },
      }),
  );
  return help;
}

/** A script of an extension that is gone does nothing any more. */
const listening = new AbortController();
/** A second one in the same frame has nothing to do. */
const frame = globalThis as FrameGlobals;
const options = { capture: true, passive: true, signal: listening.signal };

function isGone(): boolean {
  if (chrome.runtime?.id !== undefined) return false;
  listening.abort();
  return true;
}

function onFocus(event: FocusEvent): void {
  // In design mode it is the document that has the focus, or its window.
  const isDesigned = document.designMode === 'on';
  const field = fieldOf(isDesigned ? document.body : event.composedPath()[0]);
  if (!event.isTrusted || !field || isGone()) return;
  // A text is inserted where the person was last, and not in a frame that only calls for the focus.
  if (document.hasFocus()) frame.dikteraFocusedAtMs = Date.now();
  void load().then((each) => each.focus(field));
}

function onWindowFocus(event: FocusEvent): void {
  if (document.designMode === 'on' && event.target === window) onFocus(event);
}

function onKey(event: KeyboardEvent): void {
  // A page would press it itself, and read what is said in its field.
  if (!event.isTrusted) return;
  for (const [listener, wanted] of [...keyListeners]) if (wanted === event.type) listener(event);
  if (help === null || !/^F\d+$/.test(event.key) || event.defaultPrevented) return;
  const field = fieldOf(event.composedPath()[0]);
  if (field && !isGone()) void help.then((each) => each.key(field, event));
}

/** Hears what is heard already once. */
function hear(): void {
  addEventListener('focusin', onFocus, options);
  addEventListener('focus', onWindowFocus, options);
  for (const type of KEY_TYPES)
    addEventListener(type, onKey, { capture: true, signal: listening.signal });
}

function listen(): void {
  hear();
  // An editor that writes its frame's document anew (`document.open`) takes all listeners away.
  new MutationObserver(hear).observe(document, { childList: true });

  chrome.runtime.onMessage.addListener((message, sender, answer) => {
    if (sender.id !== chrome.runtime.id) return;
    const command = message as FrameCommand;
    if (command.kind === 'where' && window === window.top) {
      answer(location.host);
      return;
    }
    if (command.kind === 'toggle') {
      const field = document.hasFocus() ? fieldOf(focused()) : null;
      if (!field) return;
      void load().then((each) => answer(each.toggle(field)));
      return true;
    }
    if (command.kind === 'panel') {
      void load().then(async (each) => answer(await each.panel(command.why)));
      return true;
    }
    if (command.kind === 'insert') {
      const { text } = command;
      // The popup has the focus now: the page keeps in mind what had it before.
      const field = fieldOf(focused());
      void load().then(async (each) => answer(await each.insert(text, field)));
      return true;
    }
  });

  // It may have come after the focus: by a press of the button, or when all sites were allowed.
  const field = fieldOf(focused());
  frame.dikteraFocusedAtMs = field ? 1 : 0;
  if (field && document.hasFocus()) void load().then((each) => each.focus(field));
}

if (frame.dikteraListening === undefined || frame.dikteraListening.signal.aborted) {
  frame.dikteraListening = listening;
  listen();
}
