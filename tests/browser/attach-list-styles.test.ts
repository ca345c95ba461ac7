import { expect, onTestFinished, test } from 'vitest';
import { attachDictation } from '../../src/attach-dictation.tsx';
import { mountKind } from '../helpers/editable-elements.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { until } from '../helpers/until.ts';

// By itself: what the list looks like is fetched once, for all trees of a page.

test('the list is never seen without its styles, in trees made before they came and after', async () => {
  const state = { kind: 'answered', text: 'kvar sedan förut', needsReview: null } as const;
  const dictation = createFakeDictation();
  dictation.setQueue([makeQueueItem({ dictationId: 'förut', state })]);
  const attachOne = () => {
    const element = mountKind('textarea');
    onTestFinished(attachDictation(element, { dictation }));
    return element;
  };
  const early = [attachOne(), attachOne()];
  /** Opens the list at an element: the looks of its first row, before anything is drawn. */
  const firstLooks = async (element: HTMLElement): Promise<string> => {
    element.focus();
    const root = await until(() => element.nextElementSibling?.shadowRoot);
    const row = () => root.querySelector('.dictations li');
    const looks = new Promise<string>((resolve) => {
      new MutationObserver(() => {
        const shown = row();
        if (shown) resolve(getComputedStyle(shown).display);
      }).observe(root, { childList: true, subtree: true });
    });
    const open = await until(() => root.querySelector<HTMLElement>('.waiting-button'));
    open.click();
    const seen = await looks;
    open.click();
    await expect.poll(row).toBeNull();
    return seen;
  };
  // The second tree has been in the page, with its styles as they were.
  early[1]!.focus();
  expect(await firstLooks(early[0]!)).toBe('grid');
  expect(await firstLooks(early[1]!)).toBe('grid');
  expect(await firstLooks(attachOne())).toBe('grid');
});
