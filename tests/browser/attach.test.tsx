import { StrictMode } from 'react';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import {
  type Attachment,
  type AttachOptions,
  attachDictation,
  canDictate,
} from '../../src/attach-dictation.tsx';
import type { DictationSetup } from '../../src/core/contracts/dictation.ts';
import { pageDictation } from '../../src/create-dictation.ts';
import { withEvents } from '../../src/dictation-events.ts';
import { createEditableField } from '../../src/field/create-editable-field.ts';
import type { EditableField } from '../../src/field/editable-field.ts';
import { DictationField, useDictation, useSnapshot } from '../../src/react.ts';
import {
  CATALOGUE_NOTICES,
  CATALOGUE_QUEUE,
  madeRecording,
  madeRecordings,
} from '../catalogue/states.ts';
import { button } from '../helpers/dictation-field.tsx';
import { KINDS, mount, mountKind, textOf } from '../helpers/editable-elements.ts';
import { exceptWebKit } from '../helpers/engine.ts';
import { createFakeDictation, type FakeDictation } from '../helpers/fake-dictation.ts';
import { pasteEvent } from '../helpers/paste-event.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { render } from '../helpers/render.tsx';
import { tapKey } from '../helpers/tap.ts';
import { until } from '../helpers/until.ts';

afterEach(() => vi.restoreAllMocks());

/** The shadow trees of tools that are in the page, those within shadow trees too. */
function tools(within: ParentNode = document): ShadowRoot[] {
  return [...within.querySelectorAll('diktera-tools')].flatMap(
    ({ shadowRoot }) => shadowRoot ?? [],
  );
}

const toolbarIn = (root: ParentNode | undefined) => root?.querySelector<HTMLElement>('.toolbar');

async function seenTools(within: ParentNode = document): Promise<ShadowRoot> {
  const isSeen = () => toolbarIn(tools(within)[0])?.checkVisibility({ visibilityProperty: true });
  await expect.poll(isSeen).toBe(true);
  return tools(within)[0]!;
}

/** The toolbar moves when a button of another width comes, and a press meant for it would miss. */
async function untilStill(element: () => HTMLElement): Promise<void> {
  let before = '';
  await expect
    .poll(() => {
      const last = before;
      before = JSON.stringify(element().getBoundingClientRect());
      return before === last;
    })
    .toBe(true);
}

function attach(element: HTMLElement, options: AttachOptions = {}) {
  const dictation = (options.dictation as FakeDictation) ?? createFakeDictation();
  const attachment: Attachment = attachDictation(element, { ...options, dictation });
  onTestFinished(attachment);
  return { dictation, attachment };
}

const phaseOf = (dictation: FakeDictation) => dictation.getSnapshot().session.phase;

async function record(element: HTMLElement, dictation: FakeDictation, within?: ParentNode) {
  await userEvent.click(element);
  const root = await seenTools(within);
  await userEvent.click(button('Diktera', root));
  await expect.poll(() => phaseOf(dictation)).toBe('recording');
  return root;
}

describe('any editable element', () => {
  test.each(KINDS)('%s: toolbar, dictation at the cursor, one undo step', async (kind) => {
    const element = mountKind(kind);
    const { dictation } = attach(element);
    expect(tools()).toHaveLength(0);
    await userEvent.click(element);
    await userEvent.keyboard('a');
    const root = await record(element, dictation);
    await expect.poll(() => root.querySelector('.recording-bar')).not.toBeNull();
    expect(root.querySelector('[role="status"]')).not.toBeNull();
    expect(await dictation.deliver('b')).toBe(true);
    expect(textOf(element)).toBe('a b');
    await expect.poll(() => root.querySelector('.recording-bar')).toBeNull();
    await userEvent.keyboard('{Control>}z{/Control}');
    expect(textOf(element)).toBe('a');
  });

  test.each(KINDS)(
    '%s: its caret stands still while one dictates, and its own style is left alone',
    async (kind) => {
      const element = mountKind(kind);
      const root = element.getRootNode() as Document | ShadowRoot;
      const ownSheets = [...root.adoptedStyleSheets];
      const own = element.getAttribute('style');
      const caret = () => getComputedStyle(element).getPropertyValue('caret-animation');
      const [blinking, still] = CSS.supports('caret-animation', 'manual')
        ? ['auto', 'manual']
        : ['', ''];
      const { dictation } = attach(element);
      await userEvent.click(element);
      expect(caret()).toBe(blinking);
      await record(element, dictation);
      await expect.poll(caret).toBe(still);
      expect(element.getAttribute('style')).toBe(own);
      expect(await dictation.deliver('b')).toBe(true);
      await expect.poll(caret).toBe(blinking);
      expect(root.adoptedStyleSheets).toEqual(ownSheets);
    },
  );

  test("nothing of the page's styles comes in, but light or dark does", async () => {
    const style = mount(
      '<style>:root, * { --sheet: red } * { letter-spacing: 4px } button { color: red !important; padding: 90px }</style>',
    );
    expect(style).toBeTruthy();
    const element = mountKind('textarea');
    attach(element);
    await userEvent.click(element);
    const root = await seenTools();
    const { color, paddingTop } = getComputedStyle(button('Diktera', root));
    expect([color, paddingTop]).not.toContain('rgb(255, 0, 0)');
    expect(paddingTop).toBe('0px');
    expect(getComputedStyle(toolbarIn(root)!).letterSpacing).toBe('normal');
    const colour = () => getComputedStyle(toolbarIn(root)!).backgroundColor;
    const light = colour();
    expect(light).toBe('rgb(255, 255, 255)');
    document.documentElement.style.colorScheme = 'dark';
    onTestFinished(() => void document.documentElement.style.removeProperty('color-scheme'));
    expect(colour()).not.toBe(light);
  });

  test('from the keyboard: the tab key leads to the toolbar, Escape back', async () => {
    const element = mountKind('textarea');
    attach(element);
    element.focus();
    const root = await seenTools();
    await userEvent.keyboard('{Tab}');
    expect(root.activeElement?.textContent).toBe('Diktera');
    await userEvent.keyboard('{ArrowRight}');
    expect(root.activeElement?.textContent).toBe('Kopiera');
    await userEvent.keyboard('{Escape}');
    expect(document.activeElement).toBe(element);
    await expect.poll(() => toolbarIn(root)).toBeNull();
  });

  test('one that has the focus already has its toolbar at once', async () => {
    const element = mountKind('input');
    element.focus();
    attach(element);
    await seenTools();
  });

  test('what goes wrong is told where it was asked for', async () => {
    const dictation = createFakeDictation({ isRefused: true });
    const [one, other] = [mountKind('textarea'), mountKind('textarea')];
    attach(other, { dictation });
    attach(one, { dictation });
    await userEvent.click(other);
    await userEvent.click(one);
    dictation.setNotices([{ kind: 'microphone-denied', error: null }]);
    const [second] = tools(one.parentElement!);
    await expect.poll(() => second!.querySelector('.tool-dictate')).not.toBeNull();
    await userEvent.click(button('Diktera', second!));
    await expect.poll(() => second!.querySelector('.notice')?.textContent).toContain('tillåten');
    expect(tools(other.parentElement!)[0]!.querySelector('.notice')).toBeNull();
  });

  test('paste is left to the page unless plain text is asked for', async () => {
    const paste = (element: HTMLElement) => {
      element.focus();
      return !element.dispatchEvent(pasteEvent({ 'text/plain': 'x\n\n\n\ny' }));
    };
    const [free, plain] = [mountKind('rich'), mountKind('rich')];
    attach(free);
    attach(plain, { plainText: true });
    expect(paste(free)).toBe(false);
    expect(paste(plain)).toBe(true);
    expect(textOf(plain)).toBe('x\n\ny');
  });

  test.each(['password', 'date', 'checkbox'])(
    'an input of type %s cannot be dictated into: one line says so, and nothing throws',
    async (type) => {
      const said = vi.spyOn(console, 'error').mockImplementation(() => {});
      const element = mount(`<input type="${type}">`);
      expect(canDictate(element)).toBe(false);
      const detach = attachDictation(element);
      expect(said).toHaveBeenCalledOnce();
      expect(String(said.mock.lastCall?.[1])).toContain(`input type="${type}"`);
      detach.start();
      detach.setOptions({ toolbar: false });
      await detach.stop();
      detach();
      expect(said).toHaveBeenCalledOnce();
    },
  );

  test('null, a selector, and an element in another document say what is wrong', () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});
    attachDictation(document.querySelector<HTMLElement>('.none'));
    expect(String(said.mock.lastCall?.[1])).toContain('An element is wanted, not null');
    attachDictation('#note' as unknown as HTMLElement);
    expect(String(said.mock.lastCall?.[1])).toContain('not "#note"');
    const frame = mount('<iframe></iframe>') as HTMLIFrameElement;
    const inner = frame.contentDocument!.createElement('textarea');
    frame.contentDocument!.body.append(inner);
    expect(canDictate(inner)).toBe(true);
    attachDictation(inner);
    expect(String(said.mock.lastCall?.[1])).toContain('another document');
  });

  test.each(KINDS)('%s: can be dictated into, read-only or not', (kind) => {
    const element = mountKind(kind);
    expect(canDictate(element)).toBe(true);
    if ('readOnly' in element) element.readOnly = true;
    else if (element.isContentEditable) element.contentEditable = 'false';
    expect(canDictate(element)).toBe(true);
  });
});

describe('options', () => {
  const complaintsOf = async (options: object): Promise<string> => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});
    attach(mountKind('textarea'), options);
    await import('../../src/widget/check-options.ts');
    await new Promise((resolve) => setTimeout(resolve, 20));
    const text = said.mock.calls.flat().map(String).join('\n');
    said.mockRestore();
    return text;
  };

  test.each([
    [{ languge: 'en' }, "'languge' is no option here: is it 'language'?"],
    [{ talkKey: 'F8' }, "'talkKey' is no option here: is it 'pushToTalkKey'?"],
    [{ options: { language: 'en' } }, "'options' is no option here"],
    [{ spacing: 'tight' }, 'spacing cannot be "tight"'],
    [{ interfaceLanguage: 'de' }, 'interfaceLanguage cannot be "de"'],
    [{ pushToTalkKey: 'Ctrl+M' }, 'pushToTalkKey cannot be "Ctrl+M"'],
    [{ chunkMs: 5 }, 'chunkMs is 5, must be'],
  ])('%j is an error at once, with a remedy', async (options, message) => {
    expect(await complaintsOf(options)).toContain(message);
    expect(await complaintsOf(options), 'said once').toBe('');
  });

  test('are on one level, and right ones say nothing', async () => {
    const right = { language: 'en', fast: false, levelMeter: false, pushToTalkKey: 'F8' };
    expect(await complaintsOf(right)).toBe('');
    const element = mountKind('textarea');
    const { dictation } = attach(element, right);
    await userEvent.click(element);
    await userEvent.keyboard('{F8}');
    await expect.poll(() => dictation.started).toHaveLength(1);
    expect(dictation.started[0]).toMatchObject({ language: 'en', fast: false, fixSpelling: true });
  });

  test('change while it is attached, and what is recorded goes on', async () => {
    const element = mountKind('textarea');
    const { dictation, attachment } = attach(element, { language: 'sv' });
    const root = await record(element, dictation);
    attachment.setOptions({ language: 'en', interfaceLanguage: 'en' });
    await expect.poll(() => root.textContent).toContain('Discard');
    expect(phaseOf(dictation)).toBe('recording');
    expect(await dictation.deliver('a')).toBe(true);
    await userEvent.keyboard('{F9}');
    await expect
      .poll(() => dictation.started.map(({ language }) => language))
      .toEqual(['sv', 'en']);
  });

  test('texts of one’s own come, change and go while it is attached', async () => {
    const element = mountKind('textarea');
    const { attachment } = attach(element, { interfaceLanguage: 'sv' });
    await userEvent.click(element);
    const root = await seenTools();
    expect(root.textContent).toContain('Diktera');
    attachment.setOptions({ strings: { sv: { dictate: 'Tala in' } } });
    await expect.poll(() => root.textContent).toContain('Tala in');
    attachment.setOptions({ strings: { sv: { copy: 'Ta med' } } });
    await expect.poll(() => root.textContent).toContain('Ta med');
    expect(root.textContent).toContain('Diktera');
    // Changing another option must not reset the strings.
    attachment.setOptions({ levelMeter: false });
    attachment.setOptions({ strings: { en: { dictate: 'Speak' } }, interfaceLanguage: 'en' });
    await expect.poll(() => root.textContent).toContain('Speak');
    expect(root.textContent).not.toContain('Ta med');
    attachment.setOptions({ strings: {} });
    await expect.poll(() => root.textContent).toContain('Dictate');
  });

  test.each([
    ['sv-SE', 'Diktera'],
    ['en-GB', 'Dictate'],
    ['de', 'Dictate'],
  ])('without a language the page’s is taken: %s', async (lang, word) => {
    document.documentElement.lang = lang;
    onTestFinished(() => document.documentElement.setAttribute('lang', 'sv'));
    const element = mountKind('textarea');
    attach(element);
    await userEvent.click(element);
    expect((await seenTools()).textContent).toContain(word);
  });
});

describe('detach', () => {
  test('takes everything away, once or twice, and a press of the key means nothing', async () => {
    const element = mountKind('textarea');
    const { dictation, attachment } = attach(element);
    await userEvent.click(element);
    await seenTools();
    attachment();
    attachment();
    await expect.poll(() => tools()).toEqual([]);
    await userEvent.click(element);
    await userEvent.keyboard('{F9}');
    attachment.start();
    expect(tools()).toEqual([]);
    expect(dictation.started).toHaveLength(0);
  });

  test('while recording: it is ended, and the text still goes to its place', async () => {
    const element = mountKind('textarea');
    const { dictation, attachment } = attach(element);
    await record(element, dictation);
    let end = (): void => {};
    vi.spyOn(dictation, 'stop').mockReturnValue(
      new Promise((resolve) => {
        end = () => resolve(null);
      }),
    );
    attachment();
    await expect.poll(() => vi.mocked(dictation.stop).mock.calls.length).toBeGreaterThan(0);
    await expect.poll(() => tools()).toEqual([]);
    expect(await dictation.deliver('hej')).toBe(true);
    end();
    expect(textOf(element)).toBe('hej');
  });

  test('and attached anew meanwhile: in front of what is said then', async () => {
    const element = mountKind('textarea');
    const { dictation, attachment } = attach(element);
    await record(element, dictation);
    attachment();
    const other = attach(element);
    await record(element, other.dictation);
    expect(await dictation.deliver('först')).toBe(true);
    expect(await other.dictation.deliver('sedan')).toBe(true);
    expect(textOf(element)).toBe('först sedan');
  });

  test('while the text waits for the field to be seen: it goes in then', async () => {
    const element = mountKind('textarea');
    const { dictation, attachment } = attach(element);
    await record(element, dictation);
    element.style.display = 'none';
    expect(await dictation.deliver('gömd')).toBe(false);
    attachment();
    await expect.poll(() => tools()).toEqual([]);
    element.style.display = '';
    await expect.poll(() => textOf(element)).toBe('gömd');
  });

  test('attached twice, the new options count, and the first detach has nothing to do', async () => {
    const element = mountKind('textarea');
    const dictation = createFakeDictation();
    const first = attach(element, { dictation });
    attach(element, { dictation, interfaceLanguage: 'en' });
    await userEvent.click(element);
    const root = await seenTools();
    expect(tools()).toHaveLength(1);
    first.attachment();
    await tapKey('F9');
    await expect.poll(() => phaseOf(dictation)).toBe('recording');
    expect(dictation.started).toHaveLength(1);
    expect(root.querySelector('.is-stop')).toBeTruthy();
  });
});

describe('the element goes', () => {
  test('removed: the toolbar goes, a recording is ended, and its text is not called delivered', async () => {
    const element = mountKind('textarea');
    const { dictation } = attach(element);
    const root = await record(element, dictation);
    element.remove();
    await expect.poll(() => dictation.calls.at(-1)).toBe('stop');
    await expect.poll(() => toolbarIn(root)).toBeNull();
    expect(await dictation.deliver('kvar')).toBe(false);
  });

  test('moved: everything goes on', async () => {
    const element = mountKind('textarea');
    const { dictation } = attach(element);
    await record(element, dictation);
    const elsewhere = mount('<section></section>');
    elsewhere.append(element);
    await userEvent.click(element);
    const root = await seenTools(elsewhere);
    expect(dictation.calls).not.toContain('stop');
    await userEvent.click(button('Klar', root.querySelector('.toolbar')!));
    expect(await dictation.deliver('här')).toBe(true);
    expect(textOf(element)).toBe('här');
  });
});

describe('inside', () => {
  test('a shadow root', async () => {
    const host = mount('<div></div>');
    const shadow = host.attachShadow({ mode: 'open' });
    shadow.innerHTML = '<textarea></textarea><button>nästa</button>';
    const [element, next] = shadow.children as unknown as [HTMLElement, HTMLElement];
    const { dictation } = attach(element);
    const root = await record(element, dictation, shadow);
    expect(shadow.activeElement).toBe(element);
    await userEvent.click(button('Klar', root.querySelector('.toolbar')!));
    expect(await dictation.deliver('inne')).toBe(true);
    expect(textOf(element)).toBe('inne');
    next.focus();
    await expect.poll(() => toolbarIn(root)).toBeNull();
  });
});

describe('what waits can be had without a list of the page', () => {
  const TEXT = { kind: 'answered', text: 'kvar sedan förut', needsReview: null } as const;
  const waitingIn = (root: ParentNode) => root.querySelector<HTMLElement>('.waiting-button');
  const panelIn = (root: ParentNode) => root.querySelector<HTMLElement>('.dictation-panel');

  async function withWaiting(mountElement: () => HTMLElement = () => mountKind('textarea')) {
    const dictation = createFakeDictation();
    dictation.setQueue([makeQueueItem({ dictationId: 'förut', state: TEXT })]);
    const element = mountElement();
    attach(element, { dictation });
    await userEvent.click(element);
    await expect.poll(() => allTools().length).toBe(1);
    const [root] = allTools();
    await expect.poll(() => waitingIn(root!)).not.toBeNull();
    return { dictation, element, root: root! };
  }
  const allTools = () => [
    ...tools(),
    ...[...document.querySelectorAll('*')].flatMap((each) =>
      each.shadowRoot && each.localName !== 'diktera-tools' ? tools(each.shadowRoot) : [],
    ),
  ];

  test('nothing waits: nothing is shown', async () => {
    const element = mountKind('textarea');
    attach(element);
    await userEvent.click(element);
    expect(waitingIn(await seenTools())).toBeNull();
  });

  test.each([
    ['in the page', () => mountKind('textarea')],
    [
      'a dialog',
      () => {
        const dialog = mount('<dialog><textarea></textarea></dialog>') as HTMLDialogElement;
        dialog.showModal();
        return dialog.querySelector('textarea')!;
      },
    ],
    [
      'a shadow root',
      () => {
        const shadow = mount('<div></div>').attachShadow({ mode: 'open' });
        shadow.innerHTML = '<textarea></textarea>';
        return shadow.querySelector('textarea')!;
      },
    ],
  ])(
    '%s: opened from the toolbar, inserted where the caret was, and gone',
    async (_where, place) => {
      const { dictation, element, root } = await withWaiting(place);
      await userEvent.keyboard('a');
      // The toolbar is away while one types.
      document.dispatchEvent(
        new PointerEvent('pointermove', { pointerType: 'mouse', bubbles: true }),
      );
      expect(waitingIn(root)!.querySelector('.waiting-label-long')!.textContent).toBe(
        '1 diktering väntar',
      );
      await userEvent.click(waitingIn(root)!);
      await expect.poll(() => panelIn(root)).not.toBeNull();
      expect(root.activeElement).toBe(panelIn(root));
      expect(waitingIn(root)!.ariaExpanded).toBe('true');
      const { top, bottom } = panelIn(root)!.getBoundingClientRect();
      expect(top).toBeGreaterThan(0);
      expect(bottom).toBeLessThanOrEqual(innerHeight);
      const hit = root.elementFromPoint(innerWidth / 2, (top + bottom) / 2);
      expect(panelIn(root)!.contains(hit)).toBe(true);
      await userEvent.click((await until(() => root.querySelector('.dictation-likely')))!);
      await expect.poll(() => textOf(element)).toBe('a kvar sedan förut');
      await expect.poll(() => panelIn(root)).toBeNull();
      expect(waitingIn(root)).toBeNull();
      expect(dictation.getSnapshot().queue.items).toEqual([]);
      await expect.poll(() => (element.getRootNode() as Document).activeElement).toBe(element);
    },
  );

  test('from the keyboard: arrows lead to it, Escape closes it and gives the focus back', async () => {
    const { element, root } = await withWaiting();
    await userEvent.keyboard('{Tab}{ArrowRight}{ArrowRight}');
    expect(root.activeElement).toBe(waitingIn(root));
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => root.activeElement === panelIn(root) && panelIn(root)).toBeTruthy();
    expect([panelIn(root)!.role, panelIn(root)!.ariaLabel]).toEqual(['dialog', 'Dikteringar']);
    await userEvent.keyboard('{Tab}{Tab}{Escape}');
    await expect.poll(() => panelIn(root)).toBeNull();
    expect(root.activeElement).toBe(waitingIn(root));
    expect(toolbarIn(root)).toBeTruthy();
    await userEvent.keyboard('{Escape}');
    expect(document.activeElement).toBe(element);
  });

  exceptWebKit(
    'what was dictated is there too, also when nothing waits, and is inserted at the caret (WebKitGTK: a shadow root made after the window grew has the media queries of before)',
    async () => {
      await page.viewport(1_000, 800);
      const dictation = createFakeDictation();
      const texts = [
        { text: 'från i går', atMs: 0, by: { kind: 'first' }, needsReview: null } as const,
      ];
      vi.spyOn(dictation.recordings, 'transcripts').mockResolvedValue(texts);
      const element = mountKind('textarea');
      attach(element, { dictation });
      await userEvent.click(element);
      const root = await seenTools();
      const opener = () => root.querySelector<HTMLElement>('.toolbar [aria-label="Dikteringar"]');
      expect(opener()).toBeNull();
      dictation.set({ recordings: madeRecordings([madeRecording({ id: 'a' })]) });
      await expect.poll(opener).not.toBeNull();
      await userEvent.keyboard('a');
      document.dispatchEvent(
        new PointerEvent('pointermove', { pointerType: 'mouse', bubbles: true }),
      );
      await userEvent.click(opener()!);
      const insert = () =>
        panelIn(root)?.querySelector<HTMLElement>('.recent [aria-label^="Infoga"]');
      await expect.poll(insert).toBeTruthy();
      await userEvent.click(insert()!);
      await expect.poll(() => textOf(element)).toBe('a från i går');
      await userEvent.click(panelIn(root)!.querySelector<HTMLElement>('.dictations-close')!);
      await expect.poll(() => panelIn(root)).toBeNull();
      expect(root.activeElement).toBe(opener());
      // While texts wait, their button on top replaces the opener.
      dictation.setQueue([makeQueueItem({ dictationId: 'förut', state: TEXT })]);
      await expect.poll(() => waitingIn(root)).not.toBeNull();
      expect(opener()).toBeNull();
      await expect.poll(() => toolbarIn(root)!.contains(root.activeElement)).toBe(true);
      await untilStill(() => waitingIn(root)!);
      await userEvent.click(waitingIn(root)!);
      await expect.poll(() => panelIn(root)?.querySelector('.recent li')).toBeTruthy();
      expect(panelIn(root)!.querySelectorAll('.waiting li')).toHaveLength(1);
      expect(panelIn(root)!.querySelectorAll('.dictations-close')).toHaveLength(1);
      const { bottom } = panelIn(root)!.getBoundingClientRect();
      expect(bottom).toBeLessThanOrEqual(innerHeight);
    },
  );

  test('what asks before it deletes is closed by Escape alone', async () => {
    const { root } = await withWaiting();
    await userEvent.click(waitingIn(root)!);
    await expect.poll(() => panelIn(root)).not.toBeNull();
    await userEvent.click((await until(() => root.querySelector('.dictation-open')))!);
    await userEvent.click(button('Ta bort', root));
    await expect.poll(() => root.querySelector('dialog[open]')).not.toBeNull();
    await userEvent.keyboard('{Escape}');
    await expect.poll(() => root.querySelector('dialog')).toBeNull();
    expect(panelIn(root)).not.toBeNull();
  });

  test('a press in the text moves the caret and leaves it open; one in the page closes it', async () => {
    const { element, root } = await withWaiting();
    await userEvent.click(waitingIn(root)!);
    await expect.poll(() => panelIn(root)).not.toBeNull();
    await userEvent.click(element);
    expect(panelIn(root)).not.toBeNull();
    await userEvent.click(mount('<p style="position: fixed; top: 0; right: 0">annat</p>'));
    await expect.poll(() => panelIn(root)).toBeNull();
  });

  test('a text that could not be inserted is told of, and is one press away', async () => {
    const element = mountKind('textarea') as HTMLTextAreaElement;
    const { dictation } = attach(element);
    const root = await record(element, dictation);
    element.maxLength = 2;
    expect(await dictation.deliver('hela texten')).toBe(false);
    dictation.setNotices([{ kind: 'upload-failed', error: null }]);
    const status = await until(() => root.querySelector<HTMLElement>('.attached-waiting'));
    await userEvent.click(waitingIn(status!)!);
    await expect.poll(() => panelIn(root)?.textContent).toContain('hela texten');
    await userEvent.click(root.querySelector<HTMLElement>('.dictations-close')!);
    await expect.poll(() => panelIn(root)).toBeNull();
    expect(document.activeElement).toBe(element);
  });

  test("on a phone it is no wider than the window, and the page's styles stay out", async () => {
    await page.viewport(320, 640);
    onTestFinished(async () => page.viewport(414, 896));
    mount(
      '<style>.dictations, .dictations li { color: red !important; padding: 90px !important }</style>',
    );
    const { dictation, root } = await withWaiting();
    await tapKey('F9');
    dictation.setNotices(CATALOGUE_NOTICES.slice(0, 2));
    await expect.poll(() => root.querySelectorAll('.notice, .recording-bar').length).toBe(3);
    await userEvent.click(waitingIn(root)!);
    await expect.poll(() => panelIn(root)).not.toBeNull();
    const placeOf = () => root.querySelector('.attached-status')!.getBoundingClientRect();
    await expect.poll(() => placeOf().top).toBeGreaterThanOrEqual(0);
    const status = placeOf();
    expect(status.bottom).toBeLessThanOrEqual(640);
    for (const part of root.querySelectorAll('.attached-status > *')) {
      expect(part.getBoundingClientRect().top).toBeGreaterThanOrEqual(status.top);
      expect(part.getBoundingClientRect().bottom).toBeLessThanOrEqual(status.bottom + 1);
    }
    const { left, right, top, bottom } = panelIn(root)!.getBoundingClientRect();
    expect(left).toBeGreaterThanOrEqual(0);
    expect(right).toBeLessThanOrEqual(320);
    expect(bottom - top).toBeLessThan(0.7 * 640);
    expect(toolbarIn(root)!.getBoundingClientRect().right).toBeLessThanOrEqual(320);
    const item = root.querySelector('.waiting li')!;
    expect(getComputedStyle(item).color).not.toBe('rgb(255, 0, 0)');
    expect(document.querySelector('style')?.textContent).not.toContain('.dictation-tools');
  });
});

test('what is recorded is shown at the other edge where it would cover the caret', async () => {
  const element = mount('<textarea style="position: fixed; left: 0; bottom: 0"></textarea>');
  const { dictation } = attach(element);
  const root = await record(element, dictation);
  const status = await until(() => root.querySelector('.attached-status'));
  const covers = () => {
    const [box, text] = [status.getBoundingClientRect(), element.getBoundingClientRect()];
    return box.bottom > text.top && box.top < text.bottom;
  };
  await expect.poll(covers).toBe(false);
  expect(status.getBoundingClientRect().top).toBeGreaterThanOrEqual(0);
});

test('without a toolbar it is the page that starts and stops', async () => {
  const element = mountKind('rich');
  const { dictation, attachment } = attach(element, { toolbar: false });
  await userEvent.click(element);
  expect(await attachment.start()).toEqual({ ok: true });
  expect(await attachment.start()).toEqual({ ok: false, reason: 'already-recording' });
  expect(phaseOf(dictation)).toBe('recording');
  expect(tools().some((root) => root.querySelector('.toolbar, .recording-bar'))).toBe(false);
  await attachment.stop();
  expect(dictation.calls.at(-1)).toBe('stop');
  expect(await dictation.deliver('ord')).toBe(true);
  expect(textOf(element)).toBe('ord');
});

test('a start while another field is spoken into is refused by the dictation, which says so', async () => {
  const [spoken, other] = [mountKind('textarea'), mountKind('textarea')];
  const answer = { isRefused: false };
  const dictation = createFakeDictation(answer);
  const first = attach(spoken, { dictation }).attachment;
  const second = attach(other, { dictation }).attachment;
  await userEvent.click(spoken);
  first.start();
  await expect.poll(() => phaseOf(dictation)).toBe('recording');
  answer.isRefused = true;
  expect(await second.start()).toEqual({ ok: false, reason: 'microphone-denied' });
  expect(dictation.started).toHaveLength(2);
  await first.stop();
  expect(dictation.calls.at(-1), 'it is the first one’s still').toBe('stop');
  await dictation.deliver('ord');
  expect([textOf(spoken), textOf(other)]).toEqual(['ord', '']);
  second();
  expect(await second.start(), 'detached').toEqual({ ok: false, reason: 'disposed' });
});

test('a field that had it before and goes does not end what another one records with events', async () => {
  const [before, now] = [mountKind('textarea'), mountKind('input')];
  const dictation = createFakeDictation();
  const { attachment } = attach(before, { dictation });
  await record(before, dictation);
  expect(await dictation.deliver('ett')).toBe(true);
  const other = attachDictation(now, { dictation: withEvents(dictation) });
  onTestFinished(other);
  expect(await other.start()).toEqual({ ok: true });
  attachment();
  await expect.poll(() => tools().length).toBe(1);
  expect([phaseOf(dictation), dictation.calls.includes('stop')]).toEqual(['recording', false]);
});

test('a key pressed while another set-up of the page records ends that, and begins nothing', async () => {
  const [first, spoken] = [mountKind('textarea'), mountKind('textarea')];
  const [idle, recording] = [attach(first).dictation, attach(spoken).dictation];
  expect(idle).not.toBe(recording);
  await userEvent.click(spoken);
  await tapKey('F9');
  await expect.poll(() => phaseOf(recording)).toBe('recording');
  await userEvent.click(first);
  await tapKey('F9');
  await expect.poll(() => recording.calls.at(-1)).toBe('stop');
  expect(idle.started).toEqual([]);
  expect(recording.started).toHaveLength(1);
});

test('an adapter alone says that one may dictate: its element need not be editable', async () => {
  const element = mount('<div tabindex="0">An editor that draws by itself</div>');
  const put: string[] = [];
  let isEditable = false;
  const field: EditableField = {
    element,
    isComposing: false,
    isEditable: () => isEditable,
    saveCursor: () => ({ release() {} }),
    async insert(text) {
      put.push(text);
      return { kind: 'inserted', text };
    },
    text: () => put.join(''),
    caretRect: () => element.getBoundingClientRect(),
    dispose() {},
  };
  const dictation = createFakeDictation();
  onTestFinished(attachDictation(field, { dictation }));
  element.focus();
  await userEvent.keyboard('{F9}');
  expect(dictation.started).toHaveLength(0);
  isEditable = true;
  await userEvent.keyboard('{F9}');
  await expect.poll(() => phaseOf(dictation)).toBe('recording');
  const root = await seenTools();
  expect(root.querySelector('.tool-dictate')).not.toBeNull();
  expect(await dictation.deliver('hej')).toBe(true);
  expect(put).toEqual(['hej']);
});

test('an editor comes with its adapter, which stays its own', async () => {
  const field = createEditableField(mountKind('rich'));
  const dispose = vi.spyOn(field, 'dispose');
  const dictation = createFakeDictation();
  const attachment = attachDictation(field, { dictation });
  await record(field.element, dictation);
  attachment();
  await expect.poll(() => tools()).toEqual([]);
  expect(dispose).not.toHaveBeenCalled();
});

describe("the page's own dictation", () => {
  test('is one, for React and for the rest, and has one setup', () => {
    onTestFinished(() => pageDictation().dispose());
    const setup = { transcriptionUrl: '/api/asr/vad' };
    const seen = new Set<unknown>();
    function Note() {
      const dictation = useDictation(setup);
      seen.add(dictation);
      const phase = useSnapshot(dictation, ({ session }) => session.phase);
      return (
        <>
          <output>{phase}</output>
          <DictationField dictation={dictation} label="Anteckning" />
        </>
      );
    }
    const { host } = render(
      <StrictMode>
        <Note />
        <Note />
      </StrictMode>,
    );
    expect(seen).toEqual(new Set([pageDictation()]));
    expect(host.querySelectorAll('[role="textbox"]')).toHaveLength(2);
    expect(host.querySelector('output')?.textContent).toBe('idle');
  });

  test('takes another setup after an element is attached, in whatever order, and throws nothing', async () => {
    onTestFinished(() => pageDictation().dispose());
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(attachDictation(mountKind('textarea')));
    const setups = [{ account: 'a' }, { account: 'a', keepRecordings: 2 }, { account: 'b' }];
    function Note({ setup }: { readonly setup: DictationSetup }) {
      const dictation = useDictation(setup);
      return <DictationField dictation={dictation} label="Anteckning" />;
    }
    const { host, draw } = render(<Note setup={setups[0]!} />);
    for (const setup of setups) draw(<Note setup={setup} />);
    draw(<Note setup={{ accont: 'c' } as object} />);
    draw(<Note setup={{ keepRecordings: -3 }} />);
    await expect.poll(() => said.mock.calls.flat().map(String).join()).toContain('keepRecordings');
    expect(host.querySelector('[role="textbox"]')).not.toBeNull();
    expect(said.mock.calls.map((call) => String(call[1]))).toEqual([
      expect.stringContaining('No option: accont'),
      expect.stringContaining('keepRecordings'),
    ]);
  });
});

/** Attaches a dictation in a window so wide, tells whether the toolbar is one for it, and ends it. */
async function isNarrowIn(widthPx: number): Promise<boolean> {
  await page.viewport(widthPx, 640);
  const element = mountKind('textarea');
  const dictation = createFakeDictation();
  dictation.setQueue(CATALOGUE_QUEUE.items);
  const end = attachDictation(element, { dictation });
  await userEvent.click(element);
  const short = await until(() =>
    document
      .querySelector('diktera-tools')
      ?.shadowRoot?.querySelector('.toolbar .waiting-label-short'),
  );
  const { display } = getComputedStyle(short);
  end();
  element.remove();
  return display !== 'none';
}

test('what is attached after the window was made narrow, or wide again, is drawn for that', async () => {
  const widths = [1_000, 320, 1_000, 320];
  const given: boolean[] = [];
  for (const widthPx of widths) given.push(await isNarrowIn(widthPx));
  expect(given).toEqual([false, true, false, true]);
});
