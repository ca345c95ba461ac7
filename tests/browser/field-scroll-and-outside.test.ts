import { expect, onTestFinished, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { watchEnclosingScroll, watchPointerDownOutside } from '../../src/field/field-watches.ts';
import {
  MULTILINE_KINDS,
  mount,
  mountKind,
  mountTyped,
  press,
  type,
} from '../helpers/editable-elements.ts';
import { isWebKit } from '../helpers/engine.ts';

const frames = async (count: number) => {
  for (let frame = 0; frame < count; frame += 1) await new Promise(requestAnimationFrame);
};

/** Mounts a field in an area that can scroll, and counts what is told of scrolling. */
function watched(element: HTMLElement) {
  const area = mount('<div style="height: 100px; overflow: auto"></div>');
  const space = document.createElement('div');
  space.style.height = '1000px';
  area.append(element, space);
  let told = 0;
  const stop = watchEnclosingScroll(element, () => {
    told += 1;
  });
  onTestFinished(stop);
  return { area, stop, told: () => told };
}

test.each(MULTILINE_KINDS)('%s: scrolling around it is told, its own is not', async (kind) => {
  const element = await mountTyped(kind, 'a\nb\nc\nd', 'height: 30px; overflow: auto;');
  const { area, stop, told } = watched(element);
  const elsewhere = mount('<div style="height: 10px; overflow: auto"><p>a<p>b<p>c</div>');
  await frames(3);
  element.scrollTop = 0;
  elsewhere.scrollTop = 10;
  await frames(2);
  element.scrollTop = 20;
  await frames(2);
  expect(told()).toBe(0);
  area.scrollTop = 50;
  await expect.poll(told).toBe(1);
  stop();
  area.scrollTop = 90;
  await frames(2);
  expect(told()).toBe(1);
});

test('the window scrolling is told', async () => {
  const { told } = watched(mountKind('textarea'));
  mount('<div style="height: 3000px"></div>');
  window.scrollTo(0, 30);
  await expect.poll(told).toBe(1);
  window.scrollTo(0, 0);
  await expect.poll(told).toBe(2);
});

test('a field in a shadow tree: scrolling around its host is told', async () => {
  const host = document.createElement('div');
  const element = mountKind('textarea');
  host.attachShadow({ mode: 'open' }).append(element);
  const area = mount('<div style="height: 50px; overflow: auto"></div>');
  const space = document.createElement('div');
  space.style.height = '1000px';
  area.append(host, space);
  let told = 0;
  onTestFinished(watchEnclosingScroll(element, () => (told += 1)));
  area.scrollTop = 30;
  await expect.poll(() => told).toBe(1);
});

// WebKitGTK 2.50 has no `field-sizing`, with which alone a text area grows by itself.
test.each(MULTILINE_KINDS.filter((kind) => !isWebKit || kind !== 'textarea'))(
  '%s: the browser keeping the caret in view while the user types is not told',
  async (kind) => {
    const element = mountKind(kind, 'min-height: 0; field-sizing: content;');
    const { area, told } = watched(element);
    element.focus();
    for (let line = 0; line < 12; line += 1) await type(`${line}\n`);
    await frames(3);
    expect(area.scrollTop).toBeGreaterThan(0);
    expect(told()).toBe(0);
    area.scrollTop = 0;
    await expect.poll(told).toBe(1);
  },
);

test('a pointer going down outside is told, inside field and toolbar not', async () => {
  const field = mountKind('textarea');
  const toolbar = mount('<div><button type="button">b</button></div>');
  const outside = mount('<p>outside</p>');
  let told = 0;
  let isToolbarThere = true;
  const stop = watchPointerDownOutside(
    document,
    () => [field, isToolbarThere ? toolbar : null],
    () => {
      told += 1;
    },
  );
  onTestFinished(stop);
  await userEvent.click(field);
  await userEvent.click(toolbar.firstElementChild!);
  expect(told).toBe(0);
  await userEvent.click(outside);
  expect(told).toBe(1);
  isToolbarThere = false;
  await userEvent.click(toolbar.firstElementChild!);
  expect(told).toBe(2);
  await press('a');
  stop();
  await userEvent.click(outside);
  expect(told).toBe(2);
});

test('a page that stops the event is seen all the same', async () => {
  const outside = mount('<p>outside</p>');
  outside.addEventListener('pointerdown', (event) => event.stopImmediatePropagation());
  let told = 0;
  onTestFinished(
    watchPointerDownOutside(
      document,
      () => [],
      () => (told += 1),
    ),
  );
  await userEvent.click(outside);
  expect(told).toBe(1);
});
