import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { attachDictation } from '../../src/attach-dictation.tsx';
import { CATALOGUE_QUEUE } from '../catalogue/states.ts';
import { mountKind } from '../helpers/editable-elements.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';
import { until } from '../helpers/until.ts';

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
