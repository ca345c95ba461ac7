import { useState } from 'react';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { userEvent } from 'vitest/browser';
import { attachDictation } from '../../src/attach-dictation.tsx';
import type { EditableField } from '../../src/field/editable-field.ts';
import type { FieldKind } from '../../src/widget/DictationField.tsx';
import { DictationField } from '../../src/widget/DictationField.tsx';
import { button, mountField, startRecording, toolbar } from '../helpers/dictation-field.tsx';
import { mount, mountKind, textOf, type } from '../helpers/editable-elements.ts';
import { inChromium } from '../helpers/engine.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';
import { commit, compose } from '../helpers/input-method.ts';
import { render } from '../helpers/render.tsx';
import { tapKey } from '../helpers/tap.ts';

const FIELD_KINDS = ['editable', 'textarea', 'input'] as const;

/** A form whose page takes so much of the text. */
function mountForm(as: FieldKind, take: (text: string) => string) {
  const dictation = createFakeDictation();
  function Form() {
    const [value, setValue] = useState('');
    const keep = (text: string): void => setValue(take(text));
    return (
      <DictationField as={as} label="Text" dictation={dictation} value={value} onChange={keep} />
    );
  }
  const { host } = render(<Form />);
  const element = host.querySelector<HTMLElement>('.field-text')!;
  return { host, dictation, element };
}

async function record(field: Pick<ReturnType<typeof mountForm>, 'element' | 'dictation'>) {
  await userEvent.click(field.element);
  await tapKey('F9');
  await expect.poll(() => field.dictation.getSnapshot().session.phase).toBe('recording');
}

describe.each(FIELD_KINDS)('what the page makes of a text in our own field (%s)', (as) => {
  test('kept in full: it is delivered', async () => {
    const field = mountForm(as, (text) => text);
    await record(field);
    expect(await field.dictation.deliver('ett två tre')).toBe(true);
    expect(textOf(field.element)).toBe(' ett två tre');
  });

  test('cut after 20 signs: what is left is in the field, and the audio is not deleted for it', async () => {
    const field = mountForm(as, (text) => text.slice(0, 20));
    await record(field);
    expect(await field.dictation.deliver('ett två tre fyra fem sex')).toBe('altered');
    expect(textOf(field.element)).toBe(' ett två tre fyra fe');
  });

  test('digits only', async () => {
    const field = mountForm(as, (text) => text.replace(/\D/g, ''));
    await record(field);
    expect(await field.dictation.deliver('070 12 och 34')).toBe('altered');
    expect(textOf(field.element)).toBe('0701234');
  });

  test('not taken up: it stays in the queue as a text', async () => {
    const field = mountForm(as, () => '');
    await record(field);
    expect(await field.dictation.deliver('ord')).toBe(false);
    expect(textOf(field.element)).toBe('');
  });
});

test('an input of another page that keeps digits only', async () => {
  const element = mountKind('input') as HTMLInputElement;
  element.addEventListener('input', () => {
    element.value = element.value.replace(/\D/g, '');
  });
  const dictation = createFakeDictation();
  onTestFinished(attachDictation(element, { dictation }));
  await record({ element, dictation });
  expect(await dictation.deliver('7 eller 8')).toBe('altered');
  expect(element.value).toBe('78');
});

test('whoever goes on at once, while it is looked what the page does, is heard', async () => {
  const field = mountField();
  await startRecording(field);
  const first = field.dictation.deliver('ett');
  await expect.poll(field.text).toBe(' ett');
  await tapKey('F9');
  await expect.poll(() => field.dictation.started.length).toBe(2);
  expect(await first).toBe(true);
});

test('nor is a page that cuts it a moment later believed for that', async () => {
  const element = mountKind('textarea') as HTMLTextAreaElement;
  const cut = (): void => {
    element.value = element.value.slice(0, 5);
  };
  element.addEventListener('input', () => setTimeout(cut, 100));
  const dictation = createFakeDictation();
  onTestFinished(attachDictation(element, { dictation }));
  await record({ element, dictation });
  const delivered = dictation.deliver('ett två tre');
  await expect.poll(() => element.value).toBe('ett två tre');
  await tapKey('F9');
  await expect.poll(() => dictation.started.length).toBe(2);
  expect(await delivered).toBe('altered');
});

describe('a text that cannot go in now goes in by itself when it can', () => {
  async function recorded(props: Parameters<typeof mountField>[0] = {}) {
    const field = mountField({ defaultValue: 'ett tre', ...props });
    await userEvent.click(field.element);
    await userEvent.keyboard('{Home}{ArrowRight>3/}');
    await tapKey('F9');
    const { dictation } = field;
    await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
    const waits = () => dictation.getSnapshot().queue.items.length;
    return { ...field, waits };
  }

  test('hidden, then seen', async () => {
    const { element, dictation, text, waits } = await recorded();
    element.blur();
    element.style.display = 'none';
    expect(await dictation.deliver('två')).toBe(false);
    expect(waits()).toBe(1);
    expect([...dictation.heldPlaces], 'other tabs spare it').toEqual(['session']);
    element.style.display = '';
    await expect.poll(text).toBe('ett två tre');
    await expect.poll(waits).toBe(0);
    await expect.poll(() => dictation.heldPlaces.size).toBe(0);
  });

  test('and once more where the field still does not take it then', async () => {
    let taken: EditableField | null = null;
    const onField = (given: EditableField | null): void => {
      taken = given;
    };
    const { element, dictation, text, waits } = await recorded({ onField });
    element.blur();
    element.style.display = 'none';
    expect(await dictation.deliver('två')).toBe(false);
    const insert = vi.spyOn(taken!, 'insert').mockResolvedValueOnce({ kind: 'not-editable' });
    element.style.display = '';
    await expect.poll(() => insert.mock.calls.length).toBe(1);
    expect([text(), waits(), dictation.heldPlaces.size]).toEqual(['ett tre', 1, 1]);
    const seen = vi.spyOn(element, 'checkVisibility');
    element.style.display = 'none';
    const isMissed = () => seen.mock.results.some(({ value }) => value === false);
    await expect.poll(isMissed, { timeout: 4_000 }).toBe(true);
    element.style.display = '';
    await expect.poll(text, { timeout: 4_000 }).toBe('ett två tre');
  });

  test('also where another dictation, or none, is shown when it has begun', async () => {
    const dictation = createFakeDictation();
    const { start } = dictation;
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const slow = async (options = {}) => {
      const started = start(options);
      await begun;
      return started;
    };
    const field = mountField({ dictation: { ...dictation, start: slow } });
    await userEvent.click(field.element);
    await tapKey('F9');
    await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
    // Its worker is gone.
    dictation.setSession({ id: null, phase: 'idle', isRecording: false });
    begin();
    await expect.poll(() => dictation.getSnapshot().session.id).toBe(null);
    field.element.blur();
    field.element.style.display = 'none';
    expect(await dictation.deliver('två')).toBe(false);
    expect([...dictation.heldPlaces]).toEqual(['session']);
    field.element.style.display = '';
    await expect.poll(field.text).toContain('två');
  });

  test('hidden a moment ago, with the focus in it, then seen', async () => {
    const { element, dictation, text, waits } = await recorded();
    element.style.display = 'none';
    expect(await dictation.deliver('två')).toBe(false);
    element.style.display = '';
    await expect.poll(text).toBe('ett två tre');
    await expect.poll(waits).toBe(0);
  });

  test('behind a dialog, which is closed; what was typed meanwhile stays', async () => {
    const { element, dictation, text, waits } = await recorded();
    await userEvent.click(element);
    await userEvent.keyboard('{Home}noll ');
    const dialog = mount('<dialog><input></dialog>') as HTMLDialogElement;
    dialog.showModal();
    expect(await dictation.deliver('två')).toBe(false);
    expect(text()).toBe('noll ett tre');
    dialog.close();
    await expect.poll(text).toBe('noll ett två tre');
    await expect.poll(waits).toBe(0);
  });

  test('while a frame has the focus, then it comes back', async () => {
    const { element, dictation, text, waits } = await recorded();
    const frame = mount('<iframe srcdoc="<input>"></iframe>') as HTMLIFrameElement;
    await new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    const inner = frame.contentDocument!.querySelector('input')!;
    inner.focus();
    expect(await dictation.deliver('två')).toBe(false);
    await type('k');
    expect([text(), inner.value, waits()]).toEqual(['ett tre', 'k', 1]);
    await userEvent.click(element);
    await expect.poll(text).toBe('ett två tre');
    await expect.poll(waits).toBe(0);
  });

  test('read-only for a while', async () => {
    const { dictation, text, set, waits } = await recorded();
    set({ readOnly: true });
    expect(await dictation.deliver('två')).toBe(false);
    set({ readOnly: false });
    await expect.poll(text).toBe('ett två tre');
    await expect.poll(waits).toBe(0);
  });

  test('an input method that composes on and on: its word is left alone', async () => {
    const { element, dictation, text, waits } = await recorded();
    await userEvent.click(element);
    await userEvent.keyboard('{End}');
    await compose('ha');
    expect(await dictation.deliver('två')).toBe(false);
    expect(text()).toBe('ett treha');
    await commit('hav');
    await expect.poll(text).toBe('ett två trehav');
    await expect.poll(waits).toBe(0);
  });

  test('but not if it was inserted by hand, or thrown away', async () => {
    const { element, dictation, text } = await recorded();
    element.blur();
    element.style.display = 'none';
    expect(await dictation.deliver('två')).toBe(false);
    dictation.setQueue([]);
    element.style.display = '';
    await userEvent.click(element);
    await userEvent.keyboard('!');
    await expect.poll(() => text()).toContain('!');
    expect(text()).not.toContain('två');
    expect(dictation.calls).not.toContain('takeText');
  });

  test('nor before all of it is text, nor in pieces', async () => {
    const { element, dictation, text } = await recorded();
    element.blur();
    element.style.display = 'none';
    expect(await dictation.deliver('två')).toBe(false);
    const [item] = dictation.getSnapshot().queue.items;
    dictation.setQueue([
      item!,
      { ...item!, id: 'b', number: 1, state: { kind: 'pending', isSending: true } },
    ]);
    element.style.display = '';
    element.focus();
    const looks = vi.spyOn(element, 'checkVisibility');
    await expect.poll(() => looks.mock.calls.length, { timeout: 4_000 }).toBeGreaterThan(2);
    expect(text()).toBe('ett tre');
    dictation.setQueue([item!]);
    await expect.poll(text).toBe('ett två tre');
  });

  test('one that has gone with its element is not tried again', async () => {
    const { element, dictation, draw } = await recorded();
    element.style.display = 'none';
    expect(await dictation.deliver('två')).toBe(false);
    draw(null);
    dictation.setSession({ phase: 'idle' });
    expect(dictation.calls).not.toContain('takeText');
    await expect.poll(() => dictation.heldPlaces.size).toBe(0);
  });
});

inChromium(
  'a press of Diktera has an input method take its word: the text is not kept waiting by it (Firefox, WebKitGTK: a test has no input method that the focus ends)',
  async () => {
    const field = mountField();
    await userEvent.click(field.element);
    await compose('hej');
    await expect.poll(toolbar).not.toBeNull();
    await userEvent.click(button('Diktera', toolbar()!));
    await expect.poll(() => field.dictation.getSnapshot().session.phase).toBe('recording');
    await compose('du');
    await userEvent.click(button('Klar', toolbar()!));
    await expect.poll(() => field.dictation.calls).toContain('stop');
    expect(await field.dictation.deliver('där')).toBe(true);
    expect(field.text()).toBe('hej därdu');
  },
);

test('a text that comes late, while the next dictation goes on, leaves that one its way back', async () => {
  const field = mountField({ live: true, insert: 'at-pause' });
  const { dictation, text } = field;
  const { signal } = new AbortController();
  await startRecording(field);
  await tapKey('F9');
  await expect.poll(() => dictation.getSnapshot().session.phase).toBe('transcribing');
  await tapKey('F9');
  await expect.poll(() => dictation.started.length).toBe(2);
  const [former, next] = dictation.started;
  const late = { text: 'sent', failedChunks: 0, chunksToReview: 0 };
  expect(await former?.deliver?.(late, signal)).toBe(true);
  expect(await next?.deliverPiece?.('nu', signal, 0)).toBe(true);
  await tapKey('F9');
  await dictation.deliver('då');
  await expect.poll(text).toBe(' sent nu då');
  await userEvent.click(button('Ångra dikteringen'));
  await expect.poll(text).toBe(' sent');
});

test('what is struck late goes out of the field while the next dictation goes on', async () => {
  const field = mountField({ live: true, insert: 'at-pause' });
  const { dictation, text } = field;
  const { signal } = new AbortController();
  await startRecording(field);
  const piece = dictation.started[0]?.deliverPiece;
  expect(await piece?.('fel', signal, 0)).toBe(true);
  await tapKey('F9');
  await expect.poll(() => dictation.getSnapshot().session.phase).toBe('transcribing');
  await tapKey('F9');
  await expect.poll(() => dictation.started.length).toBe(2);
  expect(await dictation.started[1]?.deliverPiece?.('nu', signal, 0)).toBe(true);
  expect(await piece?.('', signal, 1)).toBe(true);
  expect(text().trim()).toBe('nu');
});
