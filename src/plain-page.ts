import { type Attachment, type AttachOptions, attachDictation } from './attach-dictation.tsx';
import { pageDictation } from './create-dictation.ts';

/**
 * Which elements can be dictated into; the attribute may hold options of `attachDictation`, as
 * JSON.
 */
const ATTRIBUTE = 'data-diktera';
const MARKED = `[${ATTRIBUTE}]`;

/** On the script's own element: the transcription endpoint. */
const ENDPOINT_ATTRIBUTE = 'data-diktera-url';

/** Beside `/lib/VERSION/diktera.js`, as our own server serves it. */
const ENDPOINT_BESIDE = '../../api/asr/vad';

/** An element that the page only moves is back by then. */
const GONE_AFTER_MS = 1_000;

const attached = new Map<Element, { readonly attachment: Attachment; options: AttachOptions }>();
/** Those that have left the document, for a moment perhaps. */
const leaving = new Set<Element>();

function attach(element: Element): void {
  if (attached.has(element) || !(element instanceof HTMLElement)) return;
  const options = optionsOf(element);
  attached.set(element, { attachment: attachDictation(element, options), options });
}

/** Takes over what the attribute says now; an element that has lost it is let go of. */
function renew(element: Element): void {
  const known = attached.get(element);
  if (!element.matches(MARKED)) {
    attached.delete(element);
    known?.attachment();
  } else if (known && element instanceof HTMLElement) {
    const options = optionsOf(element);
    const left = Object.keys(known.options).map((name) => [name, undefined]);
    known.attachment.setOptions({ ...Object.fromEntries(left), ...options });
    known.options = options;
  } else attach(element);
}

/** One that is put back later is attached anew. */
function detachGone(): void {
  for (const [element, { attachment }] of attached) {
    if (element.isConnected || leaving.has(element)) continue;
    leaving.add(element);
    setTimeout(() => {
      leaving.delete(element);
      if (element.isConnected) return;
      attached.delete(element);
      attachment();
    }, GONE_AFTER_MS);
  }
}

function optionsOf(element: HTMLElement): AttachOptions {
  const text = element.getAttribute(ATTRIBUTE);
  if (!text) return {};
  try {
    return Object(JSON.parse(text)) as AttachOptions;
  } catch (error) {
    console.error(`${ATTRIBUTE} is no JSON: Diktera goes on with its defaults`, element, error);
    return {};
  }
}

function attachWithin(root: Document | Element): void {
  if (root instanceof Element && root.matches(MARKED)) attach(root);
  for (const element of root.querySelectorAll(MARKED)) attach(element);
}

function begin(): void {
  const script = document.querySelector(`script[${ENDPOINT_ATTRIBUTE}]`);
  const named = script?.getAttribute(ENDPOINT_ATTRIBUTE);
  // In a form that no bundler takes for a file.
  const beside = new URL(ENDPOINT_BESIDE, new URL(import.meta.url)).href;
  pageDictation({ transcriptionUrl: named || beside });
  attachWithin(document);
  // Elements that come later, and those that are marked later.
  new MutationObserver((changes) => {
    if (changes.some(({ removedNodes }) => removedNodes.length > 0)) detachGone();
    for (const { type, target, addedNodes } of changes) {
      if (type === 'attributes' && target instanceof Element) renew(target);
      for (const node of addedNodes) if (node instanceof Element) attachWithin(node);
    }
  }).observe(document, { subtree: true, childList: true, attributeFilter: [ATTRIBUTE] });
}

// A framework that draws pages on a server may import this there too.
if (typeof document !== 'undefined') begin();
