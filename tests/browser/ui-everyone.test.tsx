import axe from 'axe-core';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { attachDictation } from '../../src/attach-dictation.tsx';
import { Catalogue } from '../catalogue/Catalogue.tsx';
import { CATALOGUE_QUEUE, CATALOGUE_RECORDINGS } from '../catalogue/states.ts';
import {
  dictateButton,
  mountField,
  seenToolbar,
  startRecording,
} from '../helpers/dictation-field.tsx';
import { mountKind } from '../helpers/editable-elements.ts';
import { exceptWebKit } from '../helpers/engine.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';
import { render } from '../helpers/render.tsx';
import { until } from '../helpers/until.ts';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const SCHEMES = ['light', 'dark'] as const;

/**
 * The findings of axe, in short. Rules about whole pages do not fit a component on a test's page.
 */
async function findings(context: Element = document.body): Promise<string[]> {
  const { violations } = await axe.run(context, {
    runOnly: RULES,
    rules: {
      region: { enabled: false },
      'landmark-unique': { enabled: false },
      'landmark-one-main': { enabled: false },
      'page-has-heading-one': { enabled: false },
      'document-title': { enabled: false },
      'html-has-lang': { enabled: false },
    },
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
}

async function openDisclosures(host: HTMLElement): Promise<void> {
  for (const each of host.querySelectorAll('details')) each.open = true;
  await expect.poll(() => host.querySelector('.diagnostics')).not.toBeNull();
}

const shadowOf = ({ shadowRoot }: Element) => shadowRoot ?? [];

beforeEach(async () => {
  await page.viewport(1_000, 800);
  // A growing element would be measured before it has its size.
  document.documentElement.style.setProperty('--quick', '0ms');
  onTestFinished(() => document.documentElement.removeAttribute('style'));
});

describe.each(SCHEMES)('axe finds nothing in the %s scheme', (scheme) => {
  beforeEach(() => {
    document.documentElement.style.colorScheme = scheme;
  });

  test('in all states, notices and options', async () => {
    const { host } = render(<Catalogue />);
    await openDisclosures(host);
    await expect.poll(() => host.querySelectorAll('.recording-bar').length).toBeGreaterThan(5);
    // WebKit fades from one scheme to the other.
    await expect.poll(() => findings(host)).toEqual([]);
  });

  test("in somebody else's element, with the list of dictations open", async () => {
    const element = mountKind('textarea');
    element.setAttribute('aria-label', 'Text');
    const dictation = createFakeDictation();
    dictation.setQueue(CATALOGUE_QUEUE.items);
    dictation.set({ recordings: CATALOGUE_RECORDINGS });
    onTestFinished(attachDictation(element, { dictation }));
    await userEvent.click(element);
    const host = await until(() => document.querySelector('diktera-tools'));
    const opener = await until(() =>
      host?.shadowRoot?.querySelector<HTMLElement>('.waiting-button'),
    );
    opener?.click();
    await until(() => host?.shadowRoot?.querySelector('.dictation-panel .recent li'));
    expect(await findings()).toEqual([]);
  });

  test('with the toolbar out, a tooltip, and while recording', async () => {
    const field = mountField({ placeholder: 'Skriv' });
    await startRecording(field);
    await userEvent.hover(field.host.querySelector('.recording-bar')!);
    await userEvent.hover(dictateButton());
    await expect.poll(() => document.querySelector('.tooltip')).not.toBeNull();
    expect(await findings()).toEqual([]);
  });
});

exceptWebKit(
  'nothing is wider than a window of 320 px, and what can be touched is 44 px high and wide (WebKitGTK: counts what earlier tests had on the page)',
  async () => {
    await page.viewport(320, 640);
    const { host } = render(<Catalogue />);
    await openDisclosures(host);
    await expect.poll(() => document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
    const field = mountField();
    await startRecording(field);
    const targets = () =>
      [document, ...[...document.querySelectorAll('*')].flatMap(shadowOf)].flatMap((root) => [
        ...root.querySelectorAll<HTMLElement>('button, select, label, summary, a[href], input'),
      ]);
    /** A link in a sentence is as high as its line (WCAG 2.5.5, inline); a label takes its own input's. */
    const isExempt = (each: HTMLElement) =>
      (each.matches('a') && getComputedStyle(each).display === 'inline') ||
      (each.matches('input') && each.closest('label') !== null);
    // The list of dictations is opened when it has been placed.
    await expect.poll(() => targets().some((each) => each.matches('.dictations-close'))).toBe(true);
    const small = () =>
      targets()
        .filter((each) => {
          const { width, height } = each.getBoundingClientRect();
          return each.checkVisibility() && !isExempt(each) && Math.min(width, height) < 43.9;
        })
        .map((each) => each.outerHTML);
    await expect.poll(small).toEqual([]);
    const bar = await seenToolbar();
    await expect.poll(() => bar.getBoundingClientRect().right).toBeLessThanOrEqual(320);
  },
);

test('the focus can be seen on every control', async () => {
  const field = mountField();
  await startRecording(field);
  // No further: in Firefox nothing brings the focus back from behind the last one.
  for (const name of ['Klar', 'Pausa', 'Släng']) {
    await userEvent.keyboard('{Tab}');
    const focused = document.activeElement!;
    expect(focused.textContent).toBe(name);
    const { outlineStyle, outlineWidth } = getComputedStyle(focused);
    expect([outlineStyle, outlineWidth]).toEqual(['solid', '2px']);
  }
});
