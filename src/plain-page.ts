import { type AttachOptions, attachDictation } from './attach-dictation.tsx';
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

const script = document.querySelector(`script[${ENDPOINT_ATTRIBUTE}]`);
const named = script?.getAttribute(ENDPOINT_ATTRIBUTE);
pageDictation({
  transcriptionUrl: named
    ? new URL(named, document.baseURI).href
    : // In a form that no bundler takes for a file.
      new URL(ENDPOINT_BESIDE, new URL(import.meta.url)).href,
});

const seen = new WeakSet<Element>();

function attach(element: Element): void {
  if (seen.has(element) || !(element instanceof HTMLElement)) return;
  seen.add(element);
  attachDictation(element, optionsOf(element));
}

function optionsOf(element: HTMLElement): AttachOptions {
  const text = element.getAttribute(ATTRIBUTE);
  if (!text) return {};
  try {
    return JSON.parse(text) as AttachOptions;
  } catch (error) {
    console.error(`${ATTRIBUTE} is no JSON: Diktera goes on with its defaults`, element, error);
    return {};
  }
}

function attachWithin(root: Document | Element): void {
  if (root instanceof Element && root.matches(MARKED)) attach(root);
  for (const element of root.querySelectorAll(MARKED)) attach(element);
}

attachWithin(document);
// Elements that come later, and those that are marked later.
new MutationObserver((changes) => {
  for (const { target, addedNodes } of changes) {
    if (target instanceof Element && target.matches(MARKED)) attach(target);
    for (const node of addedNodes) if (node instanceof Element) attachWithin(node);
  }
}).observe(document, { subtree: true, childList: true, attributeFilter: [ATTRIBUTE] });
