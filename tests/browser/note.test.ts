import { expect, onTestFinished, test, vi } from 'vitest';
import { createEditableField } from '../../src/field/create-editable-field.ts';
import { EARLIER_NOTES_KEY } from '../../src/page/draft.ts';
import { createNote } from '../../src/page/note.tsx';

// The notes that were put away for the next one, with the real storage.

const HOUR_MS = 3_600_000;

function open(others: readonly object[]) {
  localStorage.setItem(EARLIER_NOTES_KEY, JSON.stringify(others));
  const copying = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  const element = document.createElement('div');
  element.contentEditable = 'true';
  document.body.append(element);
  const field = createEditableField(element);
  onTestFinished(() => {
    copying.mockRestore();
    field.dispose();
    element.remove();
    localStorage.removeItem(EARLIER_NOTES_KEY);
  });
  const note = createNote({ current: field }, () => 24);
  const putAway = async (text: string) => {
    element.textContent = text;
    await note.begin();
  };
  const stored = (): string[] =>
    JSON.parse(localStorage.getItem(EARLIER_NOTES_KEY) ?? '[]').map(
      ({ text }: { readonly text: string }) => text,
    );
  const earlier = (): string[] => note.getState().earlier.map(({ text }) => text);
  return { note, putAway, stored, earlier, element, copying };
}

test('earlier notes of another account stay for their time, and are shown to nobody else', async () => {
  const savedAtMs = Date.now() - HOUR_MS;
  const { note, putAway, stored, earlier } = open([
    ...Array.from({ length: 5 }, (_, at) => ({ text: `hers ${at}`, savedAtMs, account: 'anna' })),
    { text: 'too old', savedAtMs: Date.now() - 25 * HOUR_MS, account: 'anna' },
  ]);
  const hers = ['hers 0', 'hers 1', 'hers 2', 'hers 3', 'hers 4'];
  await putAway('one');
  await putAway('two');
  expect(earlier()).toEqual(['two', 'one']);
  expect(stored()).toEqual(['two', 'one', ...hers]);
  const [, one] = note.getState().earlier;
  if (one) note.takeBack(one);
  expect(stored()).toEqual(['two', ...hers]);
  for (let more = 0; more < 6; more += 1) await putAway(`more ${more}`);
  expect(earlier()).toHaveLength(5);
  expect(stored()).toEqual([...earlier(), ...hers]);
  const own = earlier();
  note.forgetEarlier();
  expect(earlier()).toEqual([]);
  expect(stored()).toEqual(hers);
  // One press too many takes nothing for good.
  expect(note.getState().told?.what).toBe('forgotten');
  note.getState().told?.undo?.();
  expect([earlier(), note.getState().told]).toEqual([own, null]);
  expect(stored()).toEqual([...own, ...hers]);
});

test('a text that comes while the note is being copied is put away with it', async () => {
  const { note, earlier, element, copying } = open([]);
  element.textContent = 'Förut.';
  // As a browser that asks the person first.
  const asked = new Promise<void>((resolve) => setTimeout(resolve)).then(() => {
    element.textContent = 'Förut. Sent.';
  });
  copying.mockReturnValue(asked);
  // Pressed twice, it is still one note.
  await Promise.all([note.begin(), note.begin()]);
  expect([element.textContent, earlier()]).toEqual(['', ['Förut. Sent.']]);
  note.getState().told?.undo?.();
  expect(element.textContent).toBe('Förut. Sent.');
});
