import { describe, expect, onTestFinished, test } from 'vitest';
import { createEditableField } from '../../src/field/create-editable-field.ts';
import type { EditableField } from '../../src/field/editable-field.ts';
import {
  isControl,
  KINDS,
  type Kind,
  mountKind,
  mountTyped,
  press,
  select,
  textOf,
  type,
  undo,
} from '../helpers/editable-elements.ts';

/** The page's turn lasts until the test has done all it wants to. */
const LONG_MS = 60_000;

/** The element as a field, with the time that the product gives a page unless told otherwise. */
function fieldOf(element: HTMLElement, turnMs?: number): EditableField {
  const field = createEditableField(element, turnMs === undefined ? {} : { turnMs });
  onTestFinished(() => field.dispose());
  return field;
}

/** Sets the text as a page does, by script. */
function write(element: HTMLElement, text: string): void {
  if (isControl(element)) element.value = text;
  else element.textContent = text;
}

/** When a page gets to changing what it was told of. */
const MOMENTS: readonly [string, (change: () => void) => void][] = [
  ['at once', (change) => change()],
  ['in a microtask', (change) => queueMicrotask(change)],
  ['in the next frame', (change) => void requestAnimationFrame(change)],
  ['after two frames', (change) => void requestAnimationFrame(() => requestAnimationFrame(change))],
  ['after 50 ms', (change) => void setTimeout(change, 50)],
  ['after 300 ms', (change) => void setTimeout(change, 300)],
];

/** A page that changes a text whenever it hears of a new one. */
function pageThat(
  change: (text: string) => string,
  element: HTMLElement,
  when: (change: () => void) => void,
): void {
  element.addEventListener('input', () =>
    when(() => {
      const now = textOf(element);
      if (change(now) !== now) write(element, change(now));
    }),
  );
}

/**
 * Does the same with an element for each moment, all at once: what one page does is nothing to the
 * others.
 */
function atEachMoment<T>(
  kind: Kind,
  text: string,
  run: (element: HTMLElement, when: (change: () => void) => void) => Promise<T>,
): Promise<readonly (readonly [string, T])[]> {
  return Promise.all(
    MOMENTS.map(async ([name, when]) => {
      const element = mountKind(kind);
      write(element, text);
      element.focus();
      if (text !== '') select(element, text.length);
      return [name, await run(element, when)] as const;
    }),
  );
}

const always = <T>(expected: T) => MOMENTS.map(([name]) => [name, expected]);

describe.each(KINDS)('a page that changes what was put into %s, sooner or later', (kind) => {
  test('cuts it', async () => {
    const seen = await atEachMoment(kind, 'ett', async (element, when) => {
      pageThat((text) => text.slice(0, 11), element, when);
      const field = fieldOf(element);
      const outcome = await field.insert('två tre fyra', field.saveCursor());
      return { outcome, text: field.text() };
    });
    const outcome = { kind: 'altered', text: ' två tre fyra' };
    expect(seen).toEqual(always({ outcome, text: 'ett två tre' }));
  });

  test('puts other words there', async () => {
    const seen = await atEachMoment(kind, 'ett', async (element, when) => {
      pageThat((text) => text.replace('två', '***'), element, when);
      const field = fieldOf(element);
      return (await field.insert('två tre', field.saveCursor())).kind;
    });
    expect(seen).toEqual(always('altered'));
  });

  test('takes it back: it is as it was, and the cursor can be used again', async () => {
    let isClosed = true;
    const fields: (() => Promise<void>)[] = [];
    const seen = await atEachMoment(kind, 'ett', async (element, when) => {
      pageThat((text) => (isClosed ? 'ett' : text), element, when);
      const field = fieldOf(element);
      const cursor = field.saveCursor();
      fields.push(async () => {
        expect(await field.insert('två', cursor)).toEqual({ kind: 'inserted', text: ' två' });
        expect(field.text()).toBe('ett två');
      });
      return { outcome: await field.insert('två', cursor), text: field.text() };
    });
    expect(seen).toEqual(always({ outcome: { kind: 'refused' }, text: 'ett' }));
    isClosed = false;
    await Promise.all(fields.map((again) => again()));
  });
});

describe.each(KINDS)('a page that changes what was put into %s', (kind) => {
  test('keeps digits only', async () => {
    const element = await mountTyped(kind, '12');
    pageThat(
      (text) => text.replace(/\D/g, ''),
      element,
      (change) => change(),
    );
    const field = fieldOf(element);
    expect((await field.insert('3,5 och 4', field.saveCursor())).kind).toBe('altered');
    expect(field.text()).toBe('12354');
  });

  test('cuts at the end what was put in at the start', async () => {
    const element = await mountTyped(kind, 'slutet');
    pageThat(
      (text) => text.slice(0, 6),
      element,
      (change) => change(),
    );
    select(element, 0);
    const field = fieldOf(element);
    expect((await field.insert('början är lång', field.saveCursor())).kind).toBe('altered');
    expect(field.text()).toBe(' börja');
  });

  test('takes the words away, though the same stand before them', async () => {
    const element = await mountTyped(kind, 'hej hej');
    pageThat(
      (text) => text.slice(0, 11),
      element,
      (change) => void setTimeout(change, 20),
    );
    const field = fieldOf(element);
    expect((await field.insert('hej hej', field.saveCursor())).kind).toBe('altered');
    expect(field.text()).toBe('hej hej hej');
  });

  test('makes capitals of all of it: texts follow one another, each once', async () => {
    const element = await mountTyped(kind, 'ett');
    pageThat(
      (text) => text.toUpperCase(),
      element,
      (change) => change(),
    );
    const field = fieldOf(element);
    for (const word of ['två', 'straße'])
      expect((await field.insert(word, field.saveCursor())).kind).toBe('inserted');
    expect(field.text()).toBe('ETT TVÅ STRASSE');
  });

  test('leaves the caret where the user can go on', async () => {
    const element = await mountTyped(kind, 'ett');
    pageThat(
      (text) => text.slice(0, 7),
      element,
      (change) => change(),
    );
    const field = fieldOf(element);
    await field.insert('två tre fyra fem sex', field.saveCursor());
    expect(document.activeElement).toBe(element);
    await press('{End}{Backspace}');
    expect(field.text()).toBe('ett tv');
  });
});

describe.each(KINDS)('a page that does no harm to what was put into %s', (kind) => {
  const harmless: readonly [string, (text: string) => string][] = [
    ['adds something behind it', (text) => (text.endsWith('.') ? text : `${text}.`)],
    ['adds something before it', (text) => (text.startsWith('> ') ? text : `> ${text}`)],
    ['trims it', (text) => text.trim()],
    ['makes capitals of it', (text) => text.toUpperCase()],
    ['has no-break spaces', (text) => text.replaceAll(' ', '\u00a0')],
    [
      'puts a character of no width beside it',
      (text) => (/\u200b/.test(text) ? text : `\u200b${text}`),
    ],
  ];
  test.each(harmless)('%s', async (_what, change) => {
    const seen = await atEachMoment(kind, '', async (element, when) => {
      pageThat(change, element, when);
      const field = fieldOf(element);
      return (await field.insert('två tre', field.saveCursor())).kind;
    });
    expect(seen).toEqual(always('inserted'));
  });

  test('takes it back at first, and has it drawn a moment later', async () => {
    const element = await mountTyped(kind, 'ett');
    element.addEventListener(
      'input',
      () => {
        const wanted = textOf(element);
        write(element, 'ett');
        setTimeout(() => write(element, wanted), 30);
      },
      { once: true },
    );
    const field = fieldOf(element);
    expect(await field.insert('två', field.saveCursor())).toEqual({
      kind: 'inserted',
      text: ' två',
    });
    expect(field.text()).toBe('ett två');
  });
});

describe.each(KINDS)('what the user does meanwhile in %s is no change of the page', (kind) => {
  async function during(element: HTMLElement, text: string, act: () => Promise<unknown>) {
    const field = fieldOf(element, LONG_MS);
    const withdrawing = new AbortController();
    const withdrawn = withdrawing.signal;
    const pending = field.insert(text, field.saveCursor(), { withdrawn });
    await expect.poll(() => field.text()).toContain(text);
    await act();
    withdrawing.abort();
    return { field, outcome: await pending };
  }

  test.each([
    ['typing right behind it', () => type('!'), 'ett två! tre'],
    ['typing elsewhere', () => press('{Home}x{End}y'), 'xett två trey'],
    ['typing within it', () => press('{ArrowLeft}{ArrowLeft}e'), 'ett tevå tre'],
    ['typing right before it', () => press('{Home}{ArrowRight>3/}y'), 'etty två tre'],
    ['deleting some of it', () => press('{Backspace}'), 'ett tv tre'],
    ['deleting all', () => press('{Control>}a{/Control}{Delete}'), ''],
    ['taking it back', () => undo(), 'ett tre'],
  ])('%s', async (_what, act, after) => {
    const element = await mountTyped(kind, 'ett tre');
    select(element, 3);
    const { field, outcome } = await during(element, 'två', act);
    expect(outcome).toEqual({ kind: 'inserted', text: ' två' });
    expect(field.text()).toBe(after);
  });

  test('and a cut of the page is seen all the same', async () => {
    const element = await mountTyped(kind, 'ett tre');
    select(element, 3);
    const { outcome } = await during(element, 'två och mer', async () => {
      await press('{Home}xy');
      write(element, textOf(element).slice(0, 9));
      await press('z');
    });
    expect(outcome.kind).toBe('altered');
  });

  test('a page that keeps so many letters cuts it when the user types before it', async () => {
    const element = await mountTyped(kind, 'a');
    pageThat(
      (text) => text.slice(0, 8),
      element,
      (change) => change(),
    );
    const { outcome } = await during(element, 'två tr', () => press('{Home}x'));
    expect(outcome.kind).toBe('altered');
  });

  test('nor what the page does in answer to Enter: a message is sent', async () => {
    const element = await mountTyped(kind, '');
    element.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      setTimeout(() => write(element, ''), 100);
    });
    const { outcome } = await during(element, 'hej', async () => {
      await press('{Enter}');
      await expect.poll(() => textOf(element)).toBe('');
    });
    expect(outcome.kind).toBe('inserted');
  });
});

describe.each<Kind>(['plaintext-only', 'rich'])('an observer in %s', (kind) => {
  test('that cuts', async () => {
    const element = await mountTyped(kind, 'ett');
    const observer = new MutationObserver(() => {
      const now = textOf(element);
      if (now.length > 8) write(element, now.slice(0, 8));
    });
    observer.observe(element, { childList: true, characterData: true, subtree: true });
    onTestFinished(() => observer.disconnect());
    const field = fieldOf(element);
    expect((await field.insert('två tre fyra', field.saveCursor())).kind).toBe('altered');
  });

  test('that draws the words otherwise, each in an element of its own', async () => {
    const element = await mountTyped(kind, 'ett');
    const observer = new MutationObserver(() => {
      observer.disconnect();
      element.innerHTML = textOf(element).replace(/\S+/g, '<b>$&</b>');
    });
    observer.observe(element, { childList: true, characterData: true, subtree: true });
    const field = fieldOf(element);
    expect((await field.insert('två tre', field.saveCursor())).kind).toBe('inserted');
    expect(element.querySelectorAll('b')).toHaveLength(3);
  });

  test('and the line that holds the last one open is none', async () => {
    const element = await mountTyped(kind, 'ett');
    element.addEventListener(
      'input',
      () => setTimeout(() => element.append(document.createElement('br'))),
      {
        once: true,
      },
    );
    const field = fieldOf(element);
    expect((await field.insert('två\ntre', field.saveCursor())).kind).toBe('inserted');
  });
});

test('lines: all the text of several is looked for', async () => {
  const element = await mountTyped('textarea', '');
  pageThat(
    (text) => text.replaceAll('\n', ''),
    element,
    (change) => void setTimeout(change, 20),
  );
  const field = fieldOf(element);
  expect((await field.insert('ett\ntvå', field.saveCursor())).kind).toBe('altered');
});

test('a field that is disposed of answers at once, by what stands there then', async () => {
  const element = await mountTyped('textarea', '');
  const field = fieldOf(element, 60_000);
  const pending = field.insert('hej', field.saveCursor());
  await expect.poll(() => field.text()).toBe(' hej');
  field.dispose();
  expect((await pending).kind).toBe('inserted');
});

test('a text that is about to be offered elsewhere is judged at once', async () => {
  const element = await mountTyped('textarea', '');
  const field = fieldOf(element, 60_000);
  const withdrawing = new AbortController();
  const { signal: withdrawn } = withdrawing;
  const pending = field.insert('hej', field.saveCursor(), { withdrawn });
  await expect.poll(() => field.text()).toBe(' hej');
  withdrawing.abort();
  expect((await pending).kind).toBe('inserted');
});
