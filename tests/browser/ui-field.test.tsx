import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { EditableField } from '../../src/field/editable-field.ts';
import { DictationField } from '../../src/widget/DictationField.tsx';
import {
  button,
  dictateButton,
  mountField,
  seenToolbar,
  startRecording,
  toolbar,
} from '../helpers/dictation-field.tsx';
import { exceptWebKit } from '../helpers/engine.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';
import { pasteEvent } from '../helpers/paste-event.ts';
import { render } from '../helpers/render.tsx';
import { tapKey } from '../helpers/tap.ts';

afterEach(() => vi.restoreAllMocks());

const dictate = dictateButton;
const copy = () => button('Kopiera', toolbar()!);

describe('Diktera', () => {
  test('ends what it began, red, as Klar does everywhere; grey in a pause; spins at the end', async () => {
    const field = mountField();
    await startRecording(field);
    const inBar = () => button('Klar', field.host.querySelector('.recording-bar')!);
    const looks = () =>
      [dictate(), inBar()].map((each) => {
        const { backgroundColor, color } = getComputedStyle(each);
        return [each.textContent, backgroundColor, color].join(' ');
      });
    const red = 'Klar rgb(179, 38, 30) rgb(255, 255, 255)';
    await expect.poll(looks).toEqual([red, red]);
    await userEvent.click(button('Pausa', field.host));
    const grey = 'Klar rgb(90, 98, 106) rgb(255, 255, 255)';
    await expect.poll(looks).toEqual([grey, grey]);
    await userEvent.click(dictate());
    await expect.poll(() => dictate().querySelector('.spinner')).not.toBeNull();
    expect(dictate()).toMatchObject({
      textContent: 'Diktera',
      ariaDisabled: 'true',
      ariaBusy: 'true',
    });
    expect(await field.dictation.deliver('hej')).toBe(true);
    expect(field.text()).toBe(' hej');
    await expect.poll(() => dictate().querySelector('.spinner')).toBeNull();
  });

  test('answers a press before anything else that the press brings is made', async () => {
    const field = mountField();
    await userEvent.click(field.element);
    await seenToolbar();
    const bars: number[] = [];
    const watch = new MutationObserver(() => {
      bars.push(document.querySelectorAll('.recording-bar').length);
    });
    watch.observe(dictate(), { attributes: true });
    dictate().click();
    await expect.poll(() => document.querySelectorAll('.recording-bar').length).toBe(1);
    watch.disconnect();
    expect(bars[0]).toBe(0);
  });

  test("sends the dictation element's own options", async () => {
    const field = mountField({ language: 'sv' });
    await startRecording(field);
    expect(field.dictation.started[0]).toMatchObject({
      removePii: false,
      fixSpelling: true,
      fast: true,
      language: 'sv',
    });
  });

  test('refused, it is as before, and the cursor is let go', async () => {
    const field = mountField({ dictation: createFakeDictation({ isRefused: true }) });
    await userEvent.click(field.element);
    await seenToolbar();
    await userEvent.click(dictate());
    await expect.poll(() => field.dictation.started).toHaveLength(1);
    await expect.poll(() => dictate().textContent).toBe('Diktera');
  });
});

exceptWebKit(
  'Enter held on Diktera is one press (WebKitGTK: driven, it tells of no repeat)',
  async () => {
    const field = mountField();
    await userEvent.click(field.element);
    await seenToolbar();
    dictate().focus();
    await userEvent.keyboard('{Enter>9}{/Enter}');
    await expect.poll(() => field.dictation.getSnapshot().session.phase).toBe('recording');
    const calls = () => field.dictation.calls.filter((call) => call !== 'prepare');
    expect(calls()).toEqual(['start']);
    // Nor is what it pauses gone on with.
    button('Pausa', field.host).focus();
    await userEvent.keyboard('{Enter>5}{/Enter}');
    expect(calls()).toEqual(['start', 'pause']);
  },
);

describe('insertion', () => {
  test('at the saved cursor, whatever is typed meanwhile; an empty text changes nothing', async () => {
    const field = mountField({ defaultValue: 'ett två' });
    await userEvent.click(field.element);
    await userEvent.keyboard('{Home}{ArrowRight}{ArrowRight}{ArrowRight}');
    await startRecordingByKey(field);
    await userEvent.keyboard('{Home}noll {End} tre');
    expect(await field.dictation.deliver('och')).toBe(true);
    expect(field.text()).toBe('noll ett och två tre');
    await startRecordingByKey(field);
    expect(await field.dictation.deliver('  ')).toBe(true);
    expect(field.text()).toBe('noll ett och två tre');
  });

  test('what was selected is replaced only while it is as it was', async () => {
    const field = mountField({ defaultValue: 'bort' });
    await userEvent.click(field.element);
    await userEvent.keyboard('{Control>}a{/Control}');
    await startRecordingByKey(field);
    await field.dictation.deliver('hit');
    expect(field.text()).toBe(' hit');
    await userEvent.keyboard('{Control>}z{/Control}');
    expect(field.text()).toBe('bort');
  });

  test("with spacing 'smart' there is a space only where one is needed", async () => {
    const field = mountField({ spacing: 'smart' });
    await startRecording(field);
    await field.dictation.deliver('Hej.');
    expect(field.text()).toBe('Hej.');
    await startRecording(field);
    await field.dictation.deliver('Du.');
    expect(field.text()).toBe('Hej. Du.');
  });

  test.each(['editable', 'textarea', 'input'] as const)('into %s, one undo step', async (as) => {
    const onChange = vi.fn();
    const field = mountField({ as, defaultValue: 'a', onChange });
    await userEvent.click(field.element);
    await userEvent.keyboard('{End}');
    await startRecordingByKey(field);
    await field.dictation.deliver('b c');
    expect(field.text()).toBe('a b c');
    expect(onChange).toHaveBeenLastCalledWith('a b c');
    await userEvent.keyboard('{Control>}z{/Control}');
    expect(field.text()).toBe('a');
  });

  test('a field taken away meanwhile: the recording ends, and its text is not called delivered', async () => {
    const field = mountField();
    await startRecording(field);
    field.draw(null);
    expect(field.dictation.calls.at(-1)).toBe('stop');
    expect(await field.dictation.deliver('kvar')).toBe(false);
  });
});

async function startRecordingByKey({ dictation }: ReturnType<typeof mountField>): Promise<void> {
  await tapKey('F9');
  await expect.poll(() => dictation.getSnapshot().session.phase).toBe('recording');
}

describe('Kopiera', () => {
  async function focusedField() {
    const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
    const field = mountField({ defaultValue: 'att ta med' });
    await userEvent.click(field.element);
    await seenToolbar();
    return { write, field };
  }

  test('copies all, shows a check, is disabled for 2,000 ms, and says so', async () => {
    const { write, field } = await focusedField();
    const icon = copy().innerHTML;
    // Asked of the page itself: what a test sees of it comes later, the more so on a busy machine.
    const changedMs: number[] = [];
    const watch = new MutationObserver(() => changedMs.push(performance.now()));
    onTestFinished(() => watch.disconnect());
    watch.observe(copy(), { attributeFilter: ['disabled'] });
    await userEvent.click(copy());
    await expect.poll(() => copy().disabled).toBe(true);
    expect(write).toHaveBeenCalledWith('att ta med');
    expect(copy().querySelector('.lucide-check')).not.toBeNull();
    expect(copy().textContent).toBe('Kopiera');
    expect(toolbar()!.querySelector('[role="status"]')!.textContent).toBe('Kopierat');
    const { left, top } = copy().getBoundingClientRect();
    const bar = toolbar()!.getBoundingClientRect();
    const position = { x: left - bar.left + 10, y: top - bar.top + 10 };
    await userEvent.click(toolbar()!, { position });
    expect(write).toHaveBeenCalledTimes(1);
    expect(document.activeElement).toBe(field.element);
    expect(toolbar()).not.toBeNull();
    await expect.poll(() => copy().disabled, { timeout: 4_000 }).toBe(false);
    const [disabledMs = 0, enabledMs = 0] = changedMs;
    expect(enabledMs - disabledMs).toBeGreaterThan(1_990);
    expect(copy().innerHTML).toBe(icon);
    expect(document.activeElement).toBe(field.element);
  });

  test('from the keyboard the toolbar keeps the focus for it, and gives it back', async () => {
    const { write, field } = await focusedField();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await userEvent.keyboard('{Tab}{ArrowRight}{Enter}');
    await expect.poll(() => copy().disabled).toBe(true);
    // Drawn twice: by then a browser has taken the focus from what is disabled.
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    expect(document.activeElement).toBe(toolbar());
    await userEvent.keyboard('{Enter} ');
    expect(write).toHaveBeenCalledTimes(1);
    expect(field.dictation.started).toHaveLength(0);
    vi.advanceTimersByTime(2_000);
    await expect.poll(() => document.activeElement).toBe(copy());
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => document.activeElement).toBe(toolbar());
    await userEvent.keyboard('{ArrowRight}');
    expect(document.activeElement).toBe(dictate());
    vi.advanceTimersByTime(2_000);
    await expect.poll(() => copy().disabled).toBe(false);
    expect(document.activeElement).toBe(dictate());
  });

  test('nor is it lost where the browser takes it at once from what is disabled', async () => {
    await focusedField();
    const pressed = copy();
    vi.spyOn(pressed, 'setAttribute').mockImplementation((name, value) => {
      Element.prototype.setAttribute.call(pressed, name, value);
      if (name === 'disabled') pressed.blur();
    });
    await userEvent.keyboard('{Tab}{ArrowRight}{Enter}');
    await expect.poll(() => copy().disabled).toBe(true);
    await expect.poll(() => document.activeElement).toBe(toolbar());
    await expect.poll(() => document.activeElement, { timeout: 4_000 }).toBe(copy());
  });
});

describe('tooltips', () => {
  const told = () => document.querySelector('.tooltip')?.textContent;
  /** Lets time pass, and what came of it be drawn. */
  const pass = async (ms: number) => {
    vi.advanceTimersByTime(ms);
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  };
  /** Let go of both buttons, and the pointer far from them. */
  const leave = () =>
    userEvent.hover(document.querySelector('.field-text')!, { position: { x: 9, y: 9 } });

  beforeEach(async () => {
    mountField();
    await userEvent.click(document.querySelector('.field-text')!);
    await seenToolbar();
    // Of a tooltip in the test before: one that follows it within this time comes at once.
    await new Promise((resolve) => setTimeout(resolve, 300));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    // The time after a tooltip ends with it.
    vi.runOnlyPendingTimers();
    vi.useRealTimers();
  });

  test('come after 700 ms', async () => {
    await userEvent.hover(dictate());
    await pass(699);
    expect(told()).toBeUndefined();
    await pass(1);
    expect(told()).toBe('Diktera (F9)');
    await leave();
    await pass(0);
    expect(told()).toBeUndefined();
  });

  test('come at once within 300 ms of the one before, and after 700 ms again later', async () => {
    await userEvent.hover(dictate());
    await pass(700);
    await leave();
    await pass(299);
    await userEvent.hover(copy());
    await pass(1);
    expect(told()).toBe('Kopiera');
    await leave();
    await pass(301);
    await userEvent.hover(dictate());
    await pass(699);
    expect(told()).toBeUndefined();
    await pass(1);
    expect(told()).toBe('Diktera (F9)');
  });
});

describe('paste and newlines', () => {
  test('plain text only, and three newlines become two', async () => {
    const field = mountField();
    await userEvent.click(field.element);
    field.element.dispatchEvent(
      pasteEvent({ 'text/plain': 'ett\n\n\n\ntvå', 'text/html': '<b>ett</b>' }),
    );
    expect(field.text()).toBe('ett\n\ntvå');
    expect(field.element.querySelector('b')).toBeNull();
    await userEvent.keyboard('{Enter}{Enter}{Enter}tre');
    expect(field.text()).toBe('ett\n\ntvå\n\ntre');
    await userEvent.keyboard('{Control>}z{/Control}');
    expect(field.text().startsWith('ett\n\ntvå')).toBe(true);
  });
});

describe("React's props", () => {
  test.each(['editable', 'textarea', 'input'] as const)('%s, controlled', async (as) => {
    const dictation = createFakeDictation();
    function Shouting() {
      const [value, setValue] = useState('a');
      return (
        <DictationField
          as={as}
          label="Text"
          dictation={dictation}
          value={value}
          onChange={(text) => setValue(text.toUpperCase())}
        />
      );
    }
    const { host } = render(<Shouting />);
    const element = host.querySelector<HTMLElement>('.field-text')!;
    const text = () => ('value' in element ? element.value : element.innerText);
    expect(text()).toBe('a');
    await userEvent.click(element);
    await userEvent.keyboard('{End}b');
    await expect.poll(text).toBe('AB');
    await userEvent.keyboard('c');
    await expect.poll(text).toBe('ABC');
  });

  test('a parent that does not take a change up takes it back', async () => {
    const field = mountField({ value: 'fast' });
    await userEvent.click(field.element);
    await userEvent.keyboard('x');
    await expect.poll(field.text).toBe('fast');
    field.set({ value: 'ny\ntext\n' });
    expect(field.text()).toBe('ny\ntext\n');
  });

  test.each(['editable', 'textarea', 'input'] as const)('%s in a form', async (as) => {
    const dictation = createFakeDictation();
    const { host } = render(
      <form>
        <DictationField
          as={as}
          label="Text"
          name="note"
          defaultValue="först"
          dictation={dictation}
        />
      </form>,
    );
    const form = host.querySelector('form')!;
    const sent = () => new FormData(form).get('note');
    expect(sent()).toBe('först');
    await userEvent.click(host.querySelector('.field-text')!);
    await userEvent.keyboard('{End}!');
    expect(sent()).toBe('först!');
    form.reset();
    await expect.poll(sent).toBe('först');
  });

  test.each(['editable', 'textarea', 'input'] as const)(
    '%s, disabled and read-only',
    async (as) => {
      const field = mountField({ as, name: 'note', defaultValue: 'text', disabled: true });
      field.element.click();
      expect(toolbar()).toBeNull();
      field.set({ disabled: false, readOnly: true });
      field.element.focus();
      await seenToolbar();
      expect(toolbar()!.textContent).toContain('Kopiera');
      expect(toolbar()!.textContent).not.toContain('Diktera');
      await userEvent.keyboard('x{F9}');
      expect(field.text()).toBe('text');
      expect(field.dictation.started).toHaveLength(0);
      field.set({ readOnly: false });
      await userEvent.click(field.element);
      await userEvent.keyboard('{End}x');
      expect(field.text()).toBe('textx');
    },
  );

  test.each(['editable', 'textarea', 'input'] as const)(
    '%s: a placeholder while it is empty, and a text at first that is not set anew',
    async (as) => {
      const field = mountField({ as, placeholder: 'Skriv här' });
      const shown = () => {
        if (as === 'editable') {
          const { content } = getComputedStyle(field.element, '::before');
          // Firefox tells where it is from and not what it is.
          return content.replace(
            /^attr\((.*)\)$/,
            (_, name) => field.element.getAttribute(name) ?? '',
          );
        }
        const isShown = field.element.matches(':placeholder-shown');
        return isShown ? field.element.getAttribute('placeholder') : '';
      };
      expect(shown()).toContain('Skriv här');
      await userEvent.click(field.element);
      await userEvent.keyboard('a');
      expect(shown()).not.toContain('Skriv här');
      field.set({ defaultValue: 'annat' });
      expect(field.text()).toBe('a');
    },
  );

  test('ref gives the element, onField the field', async () => {
    const seen: (HTMLElement | null)[] = [];
    const fields: (EditableField | null)[] = [];
    const field = mountField({
      ref: (element) => void seen.push(element),
      onField: (given) => fields.push(given),
    });
    expect(seen.at(-1)).toBe(field.element);
    await expect.poll(() => fields.at(-1)?.element).toBe(field.element);
  });
});

test('several fields share one dictation: only the one that started shows it', async () => {
  const dictation = createFakeDictation();
  const one = mountField({ dictation });
  const two = mountField({ dictation });
  await startRecording(one);
  await expect.poll(() => one.host.querySelector('.recording-bar')).not.toBeNull();
  expect(two.host.querySelector('.recording-bar')).toBeNull();
  await userEvent.click(two.element);
  await expect.poll(() => two.host.querySelector('[role="toolbar"]')).not.toBeNull();
  const other = button('Diktera', two.host);
  expect(other).toMatchObject({ textContent: 'Diktera', ariaDisabled: 'true' });
  other.click();
  expect(dictation.calls.filter((call) => call === 'start')).toHaveLength(1);
  await dictation.deliver('hit');
  expect([one.text(), two.text()]).toEqual([' hit', '']);
});

test.each([
  ['the first', 0],
  ['the second', 1],
])(
  'the key ends what is spoken into %s of two fields, pressed in the other',
  async (_which, at) => {
    const dictation = createFakeDictation();
    const fields = [mountField({ dictation }), mountField({ dictation })];
    await startRecording(fields[at]!);
    await userEvent.click(fields[1 - at]!.element);
    await userEvent.keyboard('{F9}');
    await expect.poll(() => dictation.calls).toContain('stop');
    await dictation.deliver('hit');
    expect(fields[at]!.text()).toBe(' hit');
  },
);

describe('one key', () => {
  test('a tap starts, and a tap or Enter in the text ends and inserts', async () => {
    const field = mountField();
    await userEvent.click(field.element);
    await startRecordingByKey(field);
    await userEvent.keyboard('{F9}');
    expect(field.dictation.calls.at(-1)).toBe('stop');
    await field.dictation.deliver('ett');
    await startRecordingByKey(field);
    await userEvent.keyboard('{Shift>}{Enter}{/Shift}');
    expect(field.dictation.calls.at(-1)).toBe('start');
    await userEvent.keyboard('{Enter}');
    expect(field.dictation.calls.at(-1)).toBe('stop');
    await field.dictation.deliver('två');
    expect(field.text().replaceAll('\n', '')).toBe(' ett två');
    // At rest it is a new line, as ever.
    await userEvent.keyboard('{Enter}tre');
    expect(field.text()).toMatch(/två\n+tre/);
  });

  test.each(['Enter', 'Escape'])(
    '%s that ends a composition is the input method’s, also where it is told after that end',
    async (key) => {
      const field = mountField();
      await startRecording(field);
      const before = field.dictation.calls.length;
      // As Safari does; every browser gives what an input method has taken this code.
      const taken = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
      Object.defineProperty(taken, 'keyCode', { value: 229 });
      field.element.dispatchEvent(taken);
      expect(taken.defaultPrevented).toBe(false);
      expect(field.dictation.calls.slice(before)).toEqual([]);
    },
  );

  test.each(['text', 'toolbar'])(
    'Escape in the %s throws away, and what was said can be had back',
    async (where) => {
      const field = mountField();
      await startRecording(field);
      if (where === 'toolbar') dictate().focus();
      await userEvent.keyboard('{Escape}');
      expect(field.dictation.calls.at(-1)).toBe('cancel');
      expect(document.activeElement).toBe(field.element);
      const bar = () => field.host.querySelector('[data-phase="cancelled"]');
      await expect.poll(() => bar()?.textContent).toBe('Inspelningen är slängd.Ångra');
      await userEvent.click(button('Ångra', field.host));
      expect(field.dictation.calls.at(-1)).toBe('undoCancel');
      await expect.poll(bar).toBeNull();
      await field.dictation.deliver('kvar');
      expect(field.text()).toBe(' kvar');
    },
  );

  test('pieces that stood in the text go with what is thrown away, and come back with it', async () => {
    const field = mountField({
      defaultValue: 'Förut.',
      live: true,
      insert: 'at-pause',
    });
    await userEvent.click(field.element);
    await userEvent.keyboard('{Control>}{End}{/Control}');
    await startRecordingByKey(field);
    const piece = field.dictation.started[0]?.deliverPiece;
    expect(await piece?.('Ett.', new AbortController().signal, 0)).toBe(true);
    expect(await piece?.('Två.', new AbortController().signal, 0)).toBe(true);
    expect(field.text()).toBe('Förut. Ett. Två.');
    await userEvent.keyboard('{Escape}');
    await expect.poll(field.text).toBe('Förut.');
    await userEvent.click(button('Ångra', field.host));
    await field.dictation.deliver('Tre.');
    expect(field.text()).toBe('Förut. Ett. Två. Tre.');
  });

  /** Two pieces stand in the text, and are thrown away. */
  async function throwPiecesAway() {
    const field = mountField({ defaultValue: 'Förut.', live: true, insert: 'at-pause' });
    await userEvent.click(field.element);
    await userEvent.keyboard('{Control>}{End}{/Control}');
    await startRecordingByKey(field);
    const piece = field.dictation.started[0]?.deliverPiece;
    for (const text of ['Ett.', 'Två.']) {
      expect(await piece?.(text, new AbortController().signal, 0)).toBe(true);
    }
    await userEvent.keyboard('{Escape}');
    await expect.poll(field.text).toBe('Förut.');
    return field;
  }
  const undo = () => userEvent.keyboard('{Control>}z{/Control}');

  test('pieces that the user’s own undo has brought back do not come twice', async () => {
    const field = await throwPiecesAway();
    await undo();
    await expect.poll(field.text).toBe('Förut. Ett. Två.');
    await userEvent.click(button('Ångra', field.host));
    expect(await field.dictation.deliver('Tre.')).toBe(true);
    expect(field.text()).toBe('Förut. Ett. Två. Tre.');
    expect(field.dictation.getSnapshot().queue.items).toHaveLength(0);
  });

  test('nor where that comes between the press and the text', async () => {
    const field = await throwPiecesAway();
    await userEvent.click(button('Ångra', field.host));
    await undo();
    await expect.poll(field.text).toBe('Förut. Ett. Två.');
    expect(await field.dictation.deliver('Tre.')).toBe(true);
    expect(field.text()).toBe('Förut. Ett. Två. Tre.');
    expect(field.dictation.getSnapshot().queue.items).toHaveLength(0);
  });

  test('undone at once, what was had back is out again, and waits for nobody', async () => {
    const field = await throwPiecesAway();
    await userEvent.click(button('Ångra', field.host));
    const delivered = field.dictation.deliver('Tre.');
    await expect.poll(field.text).toBe('Förut. Ett. Två. Tre.');
    await undo();
    expect(await delivered).not.toBe(false);
    expect(field.text()).toBe('Förut.');
    expect(field.dictation.getSnapshot().queue.items).toHaveLength(0);
  });

  test('pieces that the field does not let go of are not there twice, and go when it does', async () => {
    const field = mountField({ defaultValue: 'Förut.', live: true, insert: 'at-pause' });
    const { element } = field;
    const { signal } = new AbortController();
    await userEvent.click(element);
    await userEvent.keyboard('{Control>}{End}{/Control}');
    await startRecordingByKey(field);
    const { deliverPiece, deliver } = field.dictation.started[0] ?? {};
    for (const word of ['Ett.', 'Två.', 'Tre.']) await deliverPiece?.(word, signal, 0);
    element.contentEditable = 'false';
    expect(await deliverPiece?.('', signal, 1)).toBe(false);
    element.contentEditable = 'true';
    expect(await deliverPiece?.('', signal, 1)).toBe(true);
    expect(field.text()).toBe('Förut. Ett. Två.');
    element.contentEditable = 'false';
    await userEvent.click(button('Släng', field.host));
    await expect.poll(() => field.dictation.calls.at(-1)).toBe('cancel');
    await userEvent.click(button('Ångra', field.host));
    element.contentEditable = 'true';
    const text = 'Fyra.';
    expect(await deliver?.({ text, failedChunks: 0, chunksToReview: 0 }, signal)).toBe(true);
    expect(field.text()).toBe('Förut. Ett. Två. Fyra.');
  });

  test('pieces of what is thrown away go as soon as the field lets go of them', async () => {
    const field = mountField({ live: true, insert: 'at-pause' });
    const { element } = field;
    await userEvent.click(element);
    await startRecordingByKey(field);
    const { deliverPiece, deliver } = field.dictation.started[0] ?? {};
    await deliverPiece?.('Ett.', new AbortController().signal, 0);
    element.contentEditable = 'false';
    await userEvent.click(button('Släng', field.host));
    await expect.poll(() => field.dictation.calls.at(-1)).toBe('cancel');
    expect(field.text().trim()).toBe('Ett.');
    element.contentEditable = 'true';
    await deliver?.({ text: '', failedChunks: 0, chunksToReview: 0 }, AbortSignal.abort());
    expect(field.text().trim()).toBe('');
  });

  test('a tap is one too where the page is busy with the start, and hears late of its end', async () => {
    const field = mountField();
    await userEvent.click(field.element);
    const downAtMs = performance.now();
    await tapKey('F9', async () => {
      await expect.poll(() => field.dictation.getSnapshot().session.phase).toBe('recording');
      await expect
        .poll(() => performance.now() - downAtMs, { timeout: 2_000 })
        .toBeGreaterThan(450);
    });
    expect(field.dictation.calls).not.toContain('stop');
  });

  test('pressed again while the microphone opens, it ends, and is heard wherever it is pressed', async () => {
    let open = () => {};
    const opening = new Promise<void>((resolve) => {
      open = resolve;
    });
    const dictation = createFakeDictation({ opening });
    const field = mountField({ dictation });
    await userEvent.click(field.element);
    await userEvent.keyboard('{F9}');
    await expect.poll(() => dictation.getSnapshot().session.phase).toBe('starting');
    field.element.blur();
    await userEvent.keyboard('{F9}');
    expect(dictation.calls.filter((call) => /start|stop/.test(call))).toEqual(['start', 'stop']);
    // And no third press begins another beside it.
    open();
    await expect.poll(() => dictation.calls.at(-1)).toBe('stop');
    expect(dictation.started).toHaveLength(1);
  });

  test('held, it talks until it is let go', async () => {
    const field = mountField({ pushToTalkKey: 'F8' });
    await userEvent.click(field.element);
    await userEvent.keyboard('{F9}');
    expect(field.dictation.started).toHaveLength(0);
    await userEvent.keyboard('{F8>}');
    await expect.poll(() => field.dictation.getSnapshot().session.phase).toBe('recording');
    const heldAtMs = performance.now();
    await expect.poll(() => performance.now() - heldAtMs, { timeout: 2_000 }).toBeGreaterThan(450);
    expect(field.dictation.calls).not.toContain('stop');
    await userEvent.keyboard('{/F8}');
    expect(field.dictation.calls.at(-1)).toBe('stop');
  });

  test('held again while the text before is fetched, it is heard', async () => {
    const field = mountField();
    await userEvent.click(field.element);
    for (const times of [1, 2]) {
      await userEvent.keyboard('{F9>}');
      await expect.poll(() => field.dictation.started).toHaveLength(times);
      await expect.poll(() => field.dictation.getSnapshot().session.phase).toBe('recording');
      const heldAtMs = performance.now();
      await expect
        .poll(() => performance.now() - heldAtMs, { timeout: 2_000 })
        .toBeGreaterThan(450);
      await userEvent.keyboard('{/F9}');
      await expect.poll(() => field.dictation.getSnapshot().session.phase).toBe('transcribing');
    }
  });

  test('held while the window goes away, it stops too: its release would not be heard', async () => {
    const field = mountField({ pushToTalkKey: 'F8' });
    await userEvent.click(field.element);
    await userEvent.keyboard('{F8>}');
    await expect.poll(() => field.dictation.getSnapshot().session.phase).toBe('recording');
    const heldAtMs = performance.now();
    await expect.poll(() => performance.now() - heldAtMs, { timeout: 2_000 }).toBeGreaterThan(450);
    window.dispatchEvent(new Event('blur'));
    expect(field.dictation.calls.at(-1)).toBe('stop');
    await userEvent.keyboard('{/F8}');
    expect(field.dictation.calls.filter((call) => call === 'stop')).toHaveLength(1);
  });

  test('elsewhere in the page it means nothing, unless this field records', async () => {
    const field = mountField();
    const elsewhere = render(<input className="other" />).host.querySelector('input')!;
    await userEvent.click(elsewhere);
    await userEvent.keyboard('{F9}');
    expect(field.dictation.started).toHaveLength(0);
    await startRecording(field);
    await userEvent.click(elsewhere);
    await userEvent.keyboard('{Escape}{Enter}');
    expect(field.dictation.calls.at(-1)).toBe('start');
    await userEvent.keyboard('{F9}');
    expect(field.dictation.calls.at(-1)).toBe('stop');
  });
});

describe('as an input in a form', () => {
  const KINDS = ['editable', 'textarea', 'input'] as const;

  test.each(KINDS)('%s takes what an input takes', async (as) => {
    const seen: string[] = [];
    const field = mountField({
      as,
      id: 'note',
      className: 'mine wide',
      style: { width: '30rem' },
      title: 'Titel',
      lang: 'en',
      spellCheck: false,
      autoFocus: true,
      required: true,
      'aria-describedby': 'help',
      'aria-invalid': true,
      onFocus: () => seen.push('focus'),
      onBlur: () => seen.push('blur'),
      onKeyDown: ({ key }) => seen.push(key),
    });
    const { element, host } = field;
    await expect.poll(() => document.activeElement).toBe(element);
    expect(element).toMatchObject({ id: 'note', title: 'Titel', lang: 'en', spellcheck: false });
    expect(element.getAttribute('aria-describedby')).toBe('help');
    expect(element.getAttribute('aria-invalid')).toBe('true');
    expect(host.querySelector<HTMLElement>('.sheet.mine.wide')?.style.width).toBe('30rem');
    expect(element.className).toContain('field-text');
    await userEvent.keyboard('a');
    element.blur();
    expect(seen).toEqual(['focus', 'a', 'blur']);
    expect(field.text()).toBe('a');
  });

  test('a text area has rows and a limit, and a text that is too long is not cut', async () => {
    const field = mountField({ as: 'textarea', rows: 3, maxLength: 5 });
    expect(field.element).toMatchObject({ rows: 3, maxLength: 5 });
    await startRecording(field);
    expect(await field.dictation.deliver('alldeles för långt')).toBe(false);
    expect(field.text()).toBe('');
  });

  test.each(KINDS)('%s is named by a label of the page, whose press leads to it', async (as) => {
    const dictation = createFakeDictation();
    const { host } = render(
      <form>
        <label htmlFor="note">Anteckning</label>
        <DictationField id="note" as={as} dictation={dictation} />
      </form>,
    );
    await expect.element(page.getByRole('textbox', { name: 'Anteckning' })).toBeInTheDocument();
    await userEvent.click(host.querySelector('label')!);
    expect(document.activeElement?.id).toBe('note');
  });

  test.each(KINDS)('%s that is required keeps an empty form back, and leads to it', async (as) => {
    const sent: (string | null)[] = [];
    const dictation = createFakeDictation();
    const { host } = render(
      <form
        onSubmit={(event) => {
          event.preventDefault();
          sent.push(new FormData(event.currentTarget).get('note') as string);
        }}
      >
        <DictationField id="note" label="Text" as={as} name="note" required dictation={dictation} />
        <button type="submit">Skicka</button>
      </form>,
    );
    await userEvent.click(button('Skicka', host));
    expect(sent).toEqual([]);
    await expect.poll(() => document.activeElement?.id).toBe('note');
    await userEvent.keyboard('hej');
    await userEvent.click(button('Skicka', host));
    expect(sent).toEqual(['hej']);
  });

  test('a library of forms may keep its value, hear of each change and reach the element', async () => {
    const values: string[] = [];
    let reached: HTMLElement | null = null;
    // As the Controller of React Hook Form gives it.
    function Form() {
      const [value, onChange] = useState('');
      values.push(value);
      const ref = (element: HTMLElement | null) => {
        reached = element;
      };
      const disabled: boolean | undefined = undefined;
      const given = { value, onChange, onBlur: () => {}, ref, name: 'note', disabled };
      return <DictationField {...given} label="Text" dictation={createFakeDictation()} />;
    }
    const { host } = render(<Form />);
    expect(reached).toBe(host.querySelector('[role="textbox"]'));
    reached!.focus();
    await userEvent.keyboard('ab');
    expect(values.at(-1)).toBe('ab');
  });
});
