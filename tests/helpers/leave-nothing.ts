import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { page } from 'vitest/browser';

// Browser files run one after the other in the same page, so that a browser loads what they import
// once. Each finds the page as the first one did, and fails when it leaves something behind.

const VIEWPORT = { width: 414, height: 896 } as const;

let before: ReadonlyMap<string, unknown>;

beforeAll(async () => {
  // A test before may have ended with the focus outside of the page.
  window.focus();
  await page.viewport(VIEWPORT.width, VIEWPORT.height);
  // Vitest's own page is English.
  document.documentElement.lang = 'sv';
  before = pageState();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

afterAll(() => {
  const after = pageState();
  const names = new Set([...before.keys(), ...after.keys()]);
  const left = [...names].filter((name) => !Object.is(before.get(name), after.get(name)));
  expect(left, 'what this file has left behind').toEqual([]);
});

/** The state that files could change for each other: elements, storage, and globals. */
function pageState(): ReadonlyMap<string, unknown> {
  const { body, documentElement, title } = document;
  return new Map<string, unknown>([
    ['html', drawn(documentElement)],
    ['body', drawn(body)],
    ['elements', [...body.children].map(({ outerHTML }) => outerHTML).join('\n')],
    ['style sheets', document.adoptedStyleSheets.length],
    ['title', title],
    ['localStorage', JSON.stringify(localStorage)],
    ...globals(),
  ]);
}

/** An element's own attributes; a removed style leaves an empty one. */
const drawn = ({ attributes }: Element): string =>
  [...attributes].map(({ name, value }) => (value === '' ? '' : `${name}="${value}"`)).join('');

/** Every global, and every property of what its instances share. */
function* globals(): Generator<[string, unknown]> {
  for (const [name, value] of ownProperties(globalThis)) {
    yield [name, value];
    if (typeof value !== 'function' || !value.prototype) continue;
    for (const [key, each] of ownProperties(value.prototype)) {
      yield [`${name}.prototype.${key}`, each];
    }
  }
}

/** The values of an object's own properties; the reader of one that is read by a function. */
function ownProperties(object: object): readonly (readonly [string, unknown])[] {
  return Object.entries(Object.getOwnPropertyDescriptors(object)).map(
    ([name, { value, get }]) => [name, get ?? value] as const,
  );
}
