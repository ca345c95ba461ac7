import { expect, onTestFinished, test } from 'vitest';
import { page } from 'vitest/browser';
import { LiveWords } from '../../src/widget/LiveWords.tsx';
import { createStillDictation } from '../../src/widget/still-dictation.ts';
import { render } from '../helpers/render.tsx';

const MANY = Array.from({ length: 120 }, (_, index) => `ord${index}`).join(' ');

/** Drawn in a box so wide. */
function drawn(widthPx: number) {
  const dictation = createStillDictation();
  const say = (finalText: string, firm: string, tentative: string) =>
    dictation.setSession({ live: { finalText, firm, tentative } });
  say('', '', '');
  const { host } = render(
    <div className="toolbar">
      <LiveWords dictation={dictation} />
    </div>,
  );
  host.style.width = `${widthPx}px`;
  const box = () => host.querySelector<HTMLElement>('.live-words')!;
  const text = () => host.querySelector<HTMLElement>('.live-text')!;
  const log = () => host.querySelector<HTMLElement>('[role="log"]')!;
  return { dictation, say, host, box, text, log };
}

test('the box keeps its place from no word to many, and the last words are the ones seen', async () => {
  const { say, box, text } = drawn(300);
  const before = box().getBoundingClientRect();
  say('', MANY, 'sist');
  await expect.element(page.getByText('sist')).toBeInTheDocument();
  const after = box().getBoundingClientRect();
  expect([after.width, after.height]).toEqual([before.width, before.height]);
  const last = text().querySelector('.live-tentative')!.getBoundingClientRect();
  expect(last.bottom).toBeLessThanOrEqual(after.bottom);
  expect(last.top).toBeGreaterThanOrEqual(after.top);
});

test('the whole of it fits a window of 320 px', async () => {
  const { innerWidth, innerHeight } = window;
  onTestFinished(() => page.viewport(innerWidth, innerHeight));
  await page.viewport(320, 600);
  const { say, text, host } = drawn(1_000);
  say('', 'Donaudampfschifffahrtsgesellschaft'.repeat(4), 'x');
  await expect.element(page.getByText('x', { exact: true })).toBeInTheDocument();
  expect(text().scrollWidth).toBeLessThanOrEqual(text().clientWidth);
  const bar = host.querySelector('.toolbar')!.getBoundingClientRect();
  expect(bar.width).toBeLessThanOrEqual(304);
});

test('words of a script from right to left stand so, whatever the page around them', async () => {
  const { say, box, text } = drawn(300);
  say('', 'שלום', 'עולם');
  await expect.element(page.getByText('עולם')).toBeInTheDocument();
  expect(getComputedStyle(text()).direction).toBe('rtl');
  const [firm, tentative] = [document.createRange(), text().querySelector('.live-tentative')!];
  firm.selectNode(text().firstChild!);
  const end = tentative.getBoundingClientRect();
  expect(end.right).toBeLessThanOrEqual(firm.getBoundingClientRect().left + 1);
  expect(box().getBoundingClientRect().right - firm.getBoundingClientRect().right).toBeLessThan(24);
  say('', 'hej', 'du');
  await expect.element(page.getByText('du', { exact: true })).toBeInTheDocument();
  expect(getComputedStyle(text()).direction).toBe('ltr');
});

test('a screen reader hears what is final and nothing before', async () => {
  const { dictation, say, text, log } = drawn(300);
  say('', 'säkert', 'kanske');
  await expect.element(page.getByText('kanske')).toBeInTheDocument();
  expect(text().ariaHidden).toBe('true');
  expect(log().textContent).toBe('');
  dictation.setSession({ transcriptions: new Map([[0, 'Så blev det.']]) });
  await expect.poll(() => log().textContent).toBe('Så blev det.');
  expect(log().closest('[aria-hidden="true"]')).toBeNull();
});
