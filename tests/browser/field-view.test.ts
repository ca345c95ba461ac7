import { describe, expect, test } from 'vitest';
import { caretRect } from '../../src/field/caret-rect.ts';
import type { EditableField } from '../../src/field/editable-field.ts';
import { withScrollKept } from '../../src/field/kept-view.ts';
import {
  fieldOf,
  KINDS,
  type Kind,
  MULTILINE_KINDS,
  mount,
  mountKind,
  mountTyped,
  press,
} from '../helpers/editable-elements.ts';
import { isWebKit } from '../helpers/engine.ts';

const LINES = Array.from({ length: 60 }, (_, line) => `rad ${line}`).join('\n');

/** Keys scroll smoothly: waits until nothing has moved for some frames. */
const untilStill = async (...scrolled: readonly HTMLElement[]) => {
  const places = () => scrolled.map(({ scrollTop }) => scrollTop).join();
  for (let before = ''; before !== places(); ) {
    before = places();
    await frames(8);
  }
};

/** Long enough for a smooth scroll to have begun. */
const frames = async (count: number) => {
  for (let frame = 0; frame < count; frame += 1) await new Promise(requestAnimationFrame);
};

type Stage = { area: HTMLElement; element: HTMLElement; field: EditableField };

/** A field in an area that scrolls, smoothly. */
async function stage(kind: Kind, style: string): Promise<Stage> {
  const area = mount('<div style="height: 300px; overflow: auto; scroll-behavior: smooth"></div>');
  const element = await mountTyped(kind, 'a', style);
  area.append(element);
  element.focus();
  await press('{End}');
  await untilStill(area, element);
  return { area, element, field: fieldOf(element) };
}

function expectCaretSeenIn(area: HTMLElement, element: HTMLElement): void {
  const caret = caretRect(element);
  const view = area.getBoundingClientRect();
  expect(caret.top).toBeGreaterThanOrEqual(view.top);
  // WebKit's font is a pixel higher than the line.
  expect(caret.bottom).toBeLessThanOrEqual(view.bottom + (isWebKit ? 1 : 0));
  expect(caret.left).toBeGreaterThanOrEqual(view.left);
  expect(caret.right).toBeLessThanOrEqual(view.right);
}

describe.each(MULTILINE_KINDS)('an insertion into %s', (kind) => {
  const SIZES = [
    ['that scrolls itself', 'height: 100px; overflow: auto;'],
    ['around which an area scrolls', 'height: 1400px;'],
  ] as const;

  test.each(SIZES)('%s, at the caret: the caret stays in view', async (_, style) => {
    const { area, element, field } = await stage(kind, style);
    await field.insert(LINES, field.saveCursor());
    expectCaretSeenIn(area, element);
    expectCaretSeenIn(element, element);
    expect(area.scrollTop + element.scrollTop).toBeGreaterThan(500);
  });

  test.each(SIZES)('%s, far above the caret: the view stays where it is', async (_, style) => {
    const { area, element, field } = await stage(kind, style);
    await field.insert(LINES, field.saveCursor());
    await press('{Control>}{Home}{/Control}');
    const cursor = field.saveCursor();
    await press('{Control>}{End}{/Control}');
    await untilStill(area, element);
    const before = [area.scrollTop, element.scrollTop];
    expect(Math.max(...before)).toBeGreaterThan(500);
    await field.insert('dikterat', cursor);
    await frames(8);
    expect(field.text()).toContain(' dikterat');
    expect([area.scrollTop, element.scrollTop]).toEqual(before);
  });

  test.each(SIZES)('%s, the user having scrolled away from the caret: stays', async (_, style) => {
    const { area, element, field } = await stage(kind, style);
    await field.insert(LINES, field.saveCursor());
    for (const each of [area, element]) each.scrollTo({ top: 0, behavior: 'instant' });
    await field.insert('dikterat', field.saveCursor());
    await frames(8);
    expect([area.scrollTop, element.scrollTop]).toEqual([0, 0]);
  });
});

test('an input shows the caret after a long text', async () => {
  const { area, element, field } = await stage('input', 'width: 100px;');
  await field.insert(LINES, field.saveCursor());
  expectCaretSeenIn(element, element);
  expectCaretSeenIn(area, element);
});

test.each(KINDS)('%s: what an edit scrolls is put back at once', async (kind) => {
  const { area, element } = await stage(kind, 'height: 1400px;');
  const before = area.scrollTop;
  const result = withScrollKept(element, () => {
    area.scrollTo({ top: 400, behavior: 'instant' });
    return 'done';
  });
  expect(result).toBe('done');
  expect(area.scrollTop).toBe(before);
});

test.each(KINDS)('a late insertion into %s out of view scrolls nothing', async (kind) => {
  const { area, field } = await stage(kind, '');
  const cursor = field.saveCursor();
  const space = document.createElement('div');
  space.style.height = '2000px';
  const other = mountKind('textarea');
  area.append(space, other);
  other.focus({ preventScroll: true });
  area.scrollTo({ top: 1_900, behavior: 'instant' });
  const top = area.scrollTop;
  await field.insert('b', cursor);
  await frames(8);
  expect(field.text()).toBe('a b');
  expect(area.scrollTop).toBe(top);
});
