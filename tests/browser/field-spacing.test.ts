import { describe, expect, onTestFinished, test } from 'vitest';
import { attachDictation } from '../../src/attach-dictation.tsx';
import type { EditableField } from '../../src/field/editable-field.ts';
import { insertHere } from '../../src/widget/insertions.ts';
import {
  fieldOf,
  KINDS,
  markCaret,
  mount,
  mountKind,
  mountTyped,
  select,
  textOf,
  type,
  undo,
} from '../helpers/editable-elements.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';

const SMART = { spacing: 'smart' } as const;

const STATUS = { text: 'AT: .\nCor: RR.', cursor: 4 };

/** As `Ett [två] tre`: what is selected between brackets, or a caret as `|`. */
async function mountSelected(kind: (typeof KINDS)[number], place: string, style = '') {
  const element = await mountTyped(kind, place.replace(/[[\]|]/g, ''), style);
  const start = place.search(/[[|]/);
  const end = place.includes(']') ? place.indexOf(']') - 1 : start;
  select(element, start, end);
  return element;
}

const PLACES = [
  ['|', 'Hej.', 'Hej.|'],
  ['Ett|', 'två', 'Ett två|'],
  ['Ett |tre', 'två', 'Ett två| tre'],
  ['Ett|tre', 'två', 'Ett två| tre'],
  ['Ett| tre', 'två', 'Ett två| tre'],
  ['|tre', 'två', 'två| tre'],
  ['Ett|, tre', 'två', 'Ett två|, tre'],
  ['Ett (|)', 'två', 'Ett (två|)'],
  ['alpha [beta] gamma', 'delta', 'alpha delta| gamma'],
  ['alpha [beta ]gamma', 'delta', 'alpha delta| gamma'],
  ['alpha[ beta] gamma', 'delta', 'alpha delta| gamma'],
  ['alpha[ beta ]gamma', 'delta', 'alpha delta| gamma'],
  ['[alpha ]gamma', 'delta', 'delta| gamma'],
] as const;

describe.each(KINDS)('blanks where they are needed, in %s', (kind) => {
  test.each(PLACES)('%j, with %j: %j', async (place, text, expected) => {
    const element = await mountSelected(kind, place);
    const before = textOf(element);
    const field = fieldOf(element);
    await field.insert(text, field.saveCursor(), SMART);
    expect(textOf(element)).toBe(expected.replace('|', ''));
    await undo();
    expect(textOf(element)).toBe(before);
    select(
      element,
      place.search(/[[|]/),
      place.search(/[[|]/) + (place.match(/\[(.*)\]/)?.[1]?.length ?? 0),
    );
    await field.insert(text, field.saveCursor(), SMART);
    await markCaret();
    expect(textOf(element)).toBe(expected);
  });

  test('from right to left', async () => {
    const element = await mountSelected(kind, 'שלום|עולם', 'direction: rtl');
    const field = fieldOf(element);
    await field.insert('יפה', field.saveCursor(), SMART);
    expect(textOf(element)).toBe('שלום יפה עולם');
  });

  test('late, with words typed on both sides meanwhile', async () => {
    const element = await mountSelected(kind, 'Ett |tre');
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    select(element, 0);
    await type('Noll ');
    await field.insert('två', cursor, SMART);
    expect(textOf(element)).toBe('Noll Ett två tre');
    await markCaret();
    expect(textOf(element)).toBe('Noll |Ett två tre');
  });

  test('of pieces: one between two, words typed stay behind, and all of it is taken back', async () => {
    const element = await mountSelected(kind, 'Ett |fem');
    const field = fieldOf(element);
    const trail = field.trail!(field.saveCursor()!);
    await trail.insert('två', SMART);
    await trail.insert('tre', SMART);
    await trail.insert(', fyra', SMART);
    expect(textOf(element)).toBe('Ett två tre, fyra fem');
    await markCaret();
    expect(textOf(element)).toBe('Ett två tre, fyra| fem');
    await trail.takeBack();
    expect(textOf(element)).toBe('Ett |fem');
  });

  test('of pieces, taken back, nothing is left of them', async () => {
    const element = await mountSelected(kind, 'Ett |fem');
    const field = fieldOf(element);
    const trail = field.trail!(field.saveCursor()!);
    for (const text of ['två', 'tre', 'fyra']) await trail.insert(text, SMART);
    await trail.takeBack();
    expect(textOf(element)).toBe('Ett fem');
    expect(trail.stands()).toBe(false);
  });
});

test('an address gets none', async () => {
  const element = mount('<input type="url">') as HTMLInputElement;
  element.focus();
  const field = fieldOf(element);
  await field.insert(' example.com', field.saveCursor(), SMART);
  await field.insert('/pricing', field.saveCursor(), SMART);
  expect(element.value).toBe('example.com/pricing');
});

test.each(KINDS)('an attached %s has them, if nothing else is chosen', async (kind) => {
  for (const [options, expected] of [
    [{}, 'Hej.'],
    [{ spacing: 'spec' }, ' Hej.'],
  ] as const) {
    const element = mountKind(kind);
    const dictation = createFakeDictation();
    const attachment = attachDictation(element, { ...options, dictation });
    onTestFinished(attachment);
    element.focus();
    attachment.start();
    await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
    expect(await dictation.deliver('Hej.')).toBe(true);
    expect(textOf(element)).toBe(expected);
    attachment();
  }
});

describe.each(KINDS)('a text from the list, into %s', (kind) => {
  test('goes to the end of a field that nobody has been in', async () => {
    const element = mountKind(kind);
    const field: EditableField = fieldOf(element);
    expect(await insertHere(field, 'Ett', SMART)).toBe(true);
    expect(await insertHere(field, 'två', SMART)).toBe(true);
    expect(textOf(element)).toBe('Ett två');
  });
});

test.each(['Skrivet\nförut.', ''])(
  'a text from the list goes behind %j, which no caret has been in',
  async (text) => {
    const element = mount(
      '<div contenteditable="plaintext-only" style="white-space: pre-wrap"></div>',
    );
    element.textContent = text;
    expect(await insertHere(fieldOf(element), 'Talat.', SMART)).toBe(true);
    expect(textOf(element)).toBe(`${text} Talat.`.trim());
  },
);

test.each(KINDS)(
  'of nothing said there is nothing to tell, whatever became of %s',
  async (kind) => {
    const element = await mountTyped(kind, 'Hej');
    const field = fieldOf(element);
    const cursor = field.saveCursor();
    element.toggleAttribute('readonly', true);
    element.setAttribute('contenteditable', 'false');
    expect(await field.insert(' \n', cursor)).toEqual({ kind: 'empty' });
    element.remove();
    expect(await field.insert('', cursor)).toEqual({ kind: 'empty' });
  },
);

describe.each(KINDS)('capitals and full stops fit their place, in %s', (kind) => {
  test('in the middle of a sentence', async () => {
    const element = await mountSelected(kind, 'Hon har |och hostar');
    const field = fieldOf(element);
    await field.insert('Feber.', field.saveCursor(), SMART);
    expect(textOf(element)).toBe('Hon har feber och hostar');
  });

  test('the pieces of a dictation keep the full stops between them', async () => {
    const element = await mountSelected(kind, 'Hon har |och hostar');
    const field = fieldOf(element);
    const trail = field.trail!(field.saveCursor()!);
    await trail.insert('Feber.', SMART);
    await trail.insert('Hon fryser.', SMART);
    expect(textOf(element)).toBe('Hon har feber. Hon fryser och hostar');
    await trail.takeBack();
    expect(textOf(element)).toBe('Hon har och hostar');
  });

  test('with one blank always, nothing else is changed', async () => {
    const element = await mountSelected(kind, 'Hon har|och hostar');
    const field = fieldOf(element);
    await field.insert('Feber.', field.saveCursor());
    expect(textOf(element)).toBe('Hon har Feber.och hostar');
  });
});

test('a telephone number has no full stop', async () => {
  const element = mount('<input type="tel">') as HTMLInputElement;
  element.focus();
  const field = fieldOf(element);
  await field.insert('070-123 45 67.', field.saveCursor(), SMART);
  expect(element.value).toBe('070-123 45 67');
});

describe.each(KINDS)('a snippet that wants the caret, in %s', (kind) => {
  test.each(['smart', 'spec'] as const)(
    '%s: the caret stands there, and all is to the letter',
    async (spacing) => {
      const field = fieldOf(await mountTyped(kind, 'Hon skrev'));
      const outcome = await field.insert('AT: .\nCor: RR.', field.saveCursor(true), {
        spacing,
        snippets: [STATUS],
      });
      expect(outcome.kind).toBe('inserted');
      await markCaret();
      expect(field.text().replace(/\s+/g, ' ').trim()).toBe('Hon skrev AT: |. Cor: RR.');
    },
  );

  test('of pieces each comes behind the one before, and the caret stays', async () => {
    const field = fieldOf(await mountTyped(kind, ''));
    const cursor = field.saveCursor(true);
    const trail = cursor && field.trail?.(cursor);
    await trail?.insert('AT: .', { ...SMART, snippets: [{ text: 'AT: .', cursor: 4 }] });
    await trail?.insert('Bra.', { ...SMART, snippets: [{ text: 'AT: .', cursor: 4 }] });
    await markCaret();
    expect(field.text().trim()).toBe('AT: |. Bra.');
  });
});
