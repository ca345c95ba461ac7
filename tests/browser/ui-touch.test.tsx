import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { userEvent } from 'vitest/browser';
import { attachDictation } from '../../src/attach-dictation.tsx';
import { createEarlyPress } from '../../src/page/early-tools.ts';
import { button, mountField, seenToolbar, toolbar } from '../helpers/dictation-field.tsx';
import { mount, mountKind, select } from '../helpers/editable-elements.ts';
import { inChromium } from '../helpers/engine.ts';
import { createFakeDictation, type FakeDictation } from '../helpers/fake-dictation.ts';
import { fingerOn } from '../helpers/finger.ts';
import { realFingerOn } from '../helpers/real-finger.ts';
import { tapKey } from '../helpers/tap.ts';
import { until } from '../helpers/until.ts';

const dictate = () => button('Diktera', toolbar()!);

async function fieldInUse(props: Parameters<typeof mountField>[0] = {}) {
  const field = mountField(props);
  await userEvent.click(field.element);
  await seenToolbar();
  return field;
}

const isIn = (dictation: FakeDictation, phase: string) =>
  expect.poll(() => dictation.getSnapshot().session.phase).toBe(phase);

/** Until a press that began at that time is one that is held. */
const untilHeld = (downAtMs: number) =>
  expect.poll(() => performance.now() - downAtMs, { timeout: 2_000 }).toBeGreaterThan(450);

const count = ({ calls }: FakeDictation, wanted: string) =>
  calls.filter((call) => call === wanted).length;

describe('Diktera under a finger', () => {
  test.each(['touch', 'pen'])('held by %s it talks until it is let go', async (pointerType) => {
    const { dictation, element } = await fieldInUse();
    const finger = fingerOn(dictate(), { pointerType });
    const downAtMs = performance.now();
    finger.down();
    await isIn(dictation, 'recording');
    await untilHeld(downAtMs);
    expect(count(dictation, 'stop')).toBe(0);
    finger.up({ hasClick: false });
    expect(count(dictation, 'stop')).toBe(1);
    expect(document.activeElement).toBe(element);
  });

  test('the click that some browsers make of it is none', async () => {
    const { dictation } = await fieldInUse();
    const finger = fingerOn(dictate());
    const downAtMs = performance.now();
    finger.down();
    await untilHeld(downAtMs);
    finger.up();
    await dictation.deliver('hej');
    expect([count(dictation, 'start'), count(dictation, 'stop')]).toEqual([1, 1]);
    // The next one is meant, also where no pointer comes before it.
    dictate().click();
    await isIn(dictation, 'recording');
  });

  test('tapped it starts, and tapped again it stops', async () => {
    const { dictation } = await fieldInUse();
    for (const times of [1, 2]) {
      await fingerOn(dictate()).tap();
      await isIn(dictation, times === 1 ? 'recording' : 'transcribing');
    }
    expect([count(dictation, 'start'), count(dictation, 'stop')]).toEqual([1, 1]);
  });

  test('a tap is one too where the page is busy with the start, and hears late of its end', async () => {
    const { dictation } = await fieldInUse();
    const downAtMs = performance.now();
    await fingerOn(dictate()).tap(async () => {
      await isIn(dictation, 'recording');
      await untilHeld(downAtMs);
    });
    expect([count(dictation, 'start'), count(dictation, 'stop')]).toEqual([1, 0]);
  });

  test('a slow tap, which has started before its click, is a tap', async () => {
    const { dictation } = await fieldInUse();
    // However busy the machine is, the finger is not down for long.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    onTestFinished(() => void vi.restoreAllMocks());
    const finger = fingerOn(dictate());
    finger.down();
    await isIn(dictation, 'recording');
    finger.up();
    expect(count(dictation, 'stop')).toBe(0);
    expect(count(dictation, 'start')).toBe(1);
  });

  test('slid off it talks on, until it is let go', async () => {
    const { dictation } = await fieldInUse();
    const downAtMs = performance.now();
    const finger = fingerOn(dictate());
    finger.down();
    await isIn(dictation, 'recording');
    finger.slide(60, 200);
    await untilHeld(downAtMs);
    expect(count(dictation, 'stop')).toBe(0);
    finger.up({ hasClick: false });
    expect(count(dictation, 'stop')).toBe(1);
  });

  test('a swipe over it is no press', async () => {
    const { dictation } = await fieldInUse();
    const downAtMs = performance.now();
    const finger = fingerOn(dictate());
    finger.down();
    finger.slide(4, 40);
    await untilHeld(downAtMs);
    finger.up({ hasClick: false });
    expect(count(dictation, 'start')).toBe(0);
  });

  test('taken by the system it goes on, and a press ends it: somebody may be speaking', async () => {
    const { dictation } = await fieldInUse();
    const downAtMs = performance.now();
    const finger = fingerOn(dictate());
    finger.down();
    await isIn(dictation, 'recording');
    await untilHeld(downAtMs);
    finger.cancel();
    expect(count(dictation, 'stop')).toBe(0);
    expect(dictate().ariaPressed).toBe('true');
    const again = fingerOn(dictate());
    again.down();
    again.up();
    expect(count(dictation, 'stop')).toBe(1);
  });

  test('taken at once, by a scroll, it starts nothing', async () => {
    const { dictation } = await fieldInUse();
    const downAtMs = performance.now();
    const finger = fingerOn(dictate());
    finger.down();
    finger.cancel();
    await untilHeld(downAtMs);
    expect(count(dictation, 'start')).toBe(0);
  });

  test('a second finger changes nothing', async () => {
    const { dictation } = await fieldInUse();
    const downAtMs = performance.now();
    const first = fingerOn(dictate(), { pointerId: 7 });
    first.down();
    await isIn(dictation, 'recording');
    await untilHeld(downAtMs);
    const second = fingerOn(dictate(), { pointerId: 8 });
    second.down();
    second.up();
    expect([count(dictation, 'start'), count(dictation, 'stop')]).toEqual([1, 0]);
    first.up();
    expect(count(dictation, 'stop')).toBe(1);
  });

  test('held while it records, it ends that when it is let go: a long press has no click', async () => {
    const { dictation } = await fieldInUse();
    dictate().click();
    await isIn(dictation, 'recording');
    const downAtMs = performance.now();
    const finger = fingerOn(dictate());
    finger.down();
    await untilHeld(downAtMs);
    finger.up({ hasClick: false });
    expect([count(dictation, 'start'), count(dictation, 'stop')]).toEqual([1, 1]);
  });

  test('held again while the text before is fetched, it is heard; a tap then is not', async () => {
    const { dictation } = await fieldInUse();
    dictate().click();
    await isIn(dictation, 'recording');
    dictate().click();
    await isIn(dictation, 'transcribing');
    await fingerOn(dictate()).tap();
    expect(count(dictation, 'start')).toBe(1);
    const finger = fingerOn(dictate());
    finger.down();
    await isIn(dictation, 'recording');
    finger.up({ hasClick: false });
    expect([count(dictation, 'start'), count(dictation, 'stop')]).toEqual([2, 2]);
  });

  test('with the sound of a tab only its click starts: the browser asks after nothing else', async () => {
    const { dictation } = await fieldInUse({ tabSound: true });
    const downAtMs = performance.now();
    const finger = fingerOn(dictate());
    finger.down();
    await untilHeld(downAtMs);
    expect(count(dictation, 'start')).toBe(0);
    finger.up();
    await isIn(dictation, 'recording');
    expect(count(dictation, 'stop')).toBe(0);
  });

  test('a mouse is not held: each press of it starts or stops', async () => {
    const { dictation } = await fieldInUse();
    const mouse = fingerOn(dictate(), { pointerType: 'mouse' });
    const downAtMs = performance.now();
    mouse.down();
    await untilHeld(downAtMs);
    expect(count(dictation, 'start')).toBe(0);
    mouse.up();
    await isIn(dictation, 'recording');
    expect(count(dictation, 'stop')).toBe(0);
  });

  test('no menu comes of it, nothing scrolls, zooms or is selected; a mouse has its menu', async () => {
    await fieldInUse();
    const menu = () => new MouseEvent('contextmenu', { bubbles: true, cancelable: true });
    const finger = fingerOn(dictate());
    finger.down();
    expect(dictate().dispatchEvent(menu())).toBe(false);
    finger.cancel();
    expect(dictate().dispatchEvent(menu())).toBe(true);
    const style = getComputedStyle(dictate());
    expect(style.touchAction).toBe('none');
    expect(style.userSelect || style.webkitUserSelect).toBe('none');
  });

  test('the finger is on what stays when its picture changes', async () => {
    await fieldInUse();
    const { left, top, width, height } = dictate().querySelector('svg')!.getBoundingClientRect();
    expect(document.elementFromPoint(left + width / 2, top + height / 2)).toBe(dictate());
  });

  test.each(['editable', 'textarea', 'input'] as const)(
    'what a finger selected in %s is replaced by what is said while one holds it',
    async (as) => {
      const { dictation, element, text } = await fieldInUse({ as, defaultValue: 'ett två tre' });
      select(element, 4, 7);
      const downAtMs = performance.now();
      const finger = fingerOn(dictate());
      finger.down();
      await isIn(dictation, 'recording');
      await untilHeld(downAtMs);
      finger.up({ hasClick: false });
      await dictation.deliver('2');
      expect(text()).toBe('ett  2 tre');
    },
  );

  test("in somebody else's page: held in the shadow tree, let go anywhere", async () => {
    const element = mountKind('textarea');
    const dictation = createFakeDictation();
    onTestFinished(attachDictation(element, { dictation }));
    await userEvent.click(element);
    const root = await until(() => document.querySelector('diktera-tools')?.shadowRoot);
    const pressed = await until(() => root?.querySelector('.tool-dictate'));
    const downAtMs = performance.now();
    const finger = fingerOn(pressed!);
    finger.down();
    await isIn(dictation, 'recording');
    finger.slide(30, 100);
    await untilHeld(downAtMs);
    finger.up({ hasClick: false });
    expect(count(dictation, 'stop')).toBe(1);
  });

  inChromium(
    'a real one, held and slid off, over a page that scrolls (only Chromium lets a test touch)',
    async () => {
      document.body.style.height = '4000px';
      onTestFinished(() => document.body.removeAttribute('style'));
      const { dictation, element } = await fieldInUse();
      const finger = realFingerOn(dictate());
      const downAtMs = performance.now();
      await finger.down();
      await isIn(dictation, 'recording');
      for (let step = 0; step < 8; step += 1) await finger.slide(5, 20);
      await untilHeld(downAtMs);
      expect(count(dictation, 'stop')).toBe(0);
      await finger.up();
      await expect.poll(() => count(dictation, 'stop')).toBe(1);
      expect(window.scrollY).toBe(0);
      expect(document.activeElement).toBe(element);
      expect(getSelection()?.isCollapsed).toBe(true);
      await dictation.deliver('hej');
      expect(count(dictation, 'start')).toBe(1);
      const tap = realFingerOn(dictate());
      await tap.down();
      await tap.up();
      await isIn(dictation, 'recording');
      expect(document.activeElement).toBe(element);
      expect(count(dictation, 'start')).toBe(2);
    },
  );
});

describe('Diktera under a finger before its script', () => {
  type Early = ReturnType<typeof early>;

  /** What was told of, in order. */
  function early() {
    const field = mountKind('plaintext-only');
    const bar = mount('<div><button>Diktera</button></div>');
    const told: string[] = [];
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    const press = createEarlyPress({
      field,
      toolbars: [bar],
      pushToTalkKey: 'F9',
      signal: ending.signal,
      draw: () => {
        times += 1;
      },
    });
    let times = 0;
    const commands = {
      start: () => void told.push('start'),
      stop: async () => void told.push('stop'),
    };
    return {
      press,
      told,
      field,
      drawn: () => times,
      finger: fingerOn(bar.querySelector('button')!),
      commands,
    };
  }

  test('held as the script comes, it records until it is let go', async () => {
    const { press, told, finger, commands } = early();
    const downAtMs = performance.now();
    finger.down();
    press.repeat(commands);
    press.repeat(commands);
    expect(told).toEqual(['start']);
    expect(press.isHalfDone()).toBe(true);
    await untilHeld(downAtMs);
    finger.up();
    expect(told).toEqual(['start', 'stop']);
    expect([press.isHalfDone(), press.state()]).toEqual([false, 'at-rest']);
  });

  test('taken by the system as it records, it goes on', async () => {
    const { press, told, finger, commands } = early();
    const downAtMs = performance.now();
    finger.down();
    press.repeat(commands);
    await untilHeld(downAtMs);
    finger.cancel();
    press.repeat(commands);
    expect(told).toEqual(['start']);
  });

  test('held and let go before anything was heard, it asks for nothing', async () => {
    const { press, told, finger, commands } = early();
    const downAtMs = performance.now();
    finger.down();
    await untilHeld(downAtMs);
    finger.up();
    press.repeat(commands);
    expect(told).toEqual([]);
  });

  test('tapped, it waits for the script, also where it is heard late', async () => {
    const { press, told, finger, commands } = early();
    const downAtMs = performance.now();
    await finger.tap(() => untilHeld(downAtMs));
    expect(press.state()).toBe('waiting');
    press.repeat(commands);
    press.repeat(commands);
    expect(told).toEqual(['start']);
  });

  test('so does the key', async () => {
    const { press, told, field, commands } = early();
    field.focus();
    const downAtMs = performance.now();
    await tapKey('F9', () => untilHeld(downAtMs));
    press.repeat(commands);
    expect(told).toEqual(['start']);
  });

  const recordingThatTells = (
    told: string[],
    isHeard: Promise<boolean> = new Promise(() => {}),
  ) => ({
    begin() {
      told.push('begin');
      return isHeard;
    },
    end: () => void told.push('end'),
  });

  test('a recording is begun when the press is over, once, and the field takes it over', async () => {
    const { press, told, finger, commands } = early();
    const downAtMs = performance.now();
    finger.down();
    press.beginWith(recordingThatTells(told));
    await untilHeld(downAtMs);
    expect(told).toEqual([]);
    finger.cancel();
    await finger.tap();
    await finger.tap();
    expect(told).toEqual(['begin']);
    // As one that the field began: it goes on wherever the focus goes.
    press.forget();
    expect(press.state()).toBe('waiting');
    press.repeat(commands);
    press.repeat(commands);
    expect([told, press.state()]).toEqual([['begin', 'start'], 'at-rest']);
    await finger.tap();
    expect(told).toEqual(['begin', 'start']);
  });

  test.each(['before', 'after'])('a press from %s there is one to begin', async (when) => {
    const { press, told, field } = early();
    field.focus();
    const add = () => press.beginWith(recordingThatTells(told));
    if (when === 'after') add();
    await tapKey('F9', async () => {
      if (when === 'before') add();
      expect(told).toEqual([]);
    });
    expect(told).toEqual(['begin']);
  });

  test('Escape takes back what waits, and ends what has been begun', async () => {
    const { press, told, field, commands } = early();
    field.focus();
    await tapKey('F9');
    await tapKey('Escape');
    press.beginWith(recordingThatTells(told));
    expect([told, press.state()]).toEqual([[], 'at-rest']);
    await tapKey('F9');
    await tapKey('Escape');
    expect([told, press.state()]).toEqual([['begin', 'end'], 'waiting']);
    // The field takes its text.
    press.repeat(commands);
    expect(told).toEqual(['begin', 'end', 'start']);
  });

  test.each([
    ['a tap', async ({ finger }: Early) => finger.tap()],
    ['the key', async () => tapKey('F9')],
    ['Escape', async () => tapKey('Escape')],
    [
      'a finger that was held',
      async ({ finger }: Early) => {
        const downAtMs = performance.now();
        finger.down();
        await untilHeld(downAtMs);
        finger.up({ hasClick: false });
      },
    ],
  ])('what is heard is shown, and ended by %s, once', async (_how, stop) => {
    const made = early();
    const { press, told, field, finger, commands } = made;
    field.focus();
    press.beginWith(recordingThatTells(told, Promise.resolve(true)));
    await finger.tap();
    await until(() => press.state() === 'recording');
    await stop(made);
    await finger.tap();
    expect([told, press.state()]).toEqual([['begin', 'end'], 'waiting']);
    press.repeat(commands);
    expect(told).toEqual(['begin', 'end', 'start']);
  });

  test('a finger that is on its way to end it has not begun another when the field comes', async () => {
    const { press, told, finger, commands } = early();
    press.beginWith(recordingThatTells(told, Promise.resolve(true)));
    await finger.tap();
    await until(() => press.state() === 'recording');
    await finger.tap(async () => press.repeat(commands));
    expect(told).toEqual(['begin', 'end']);
    press.repeat(commands);
    expect(told).toEqual(['begin', 'end', 'start']);
  });

  test('refused, it waits for the field, which will say why', async () => {
    const { press, told, finger, drawn, commands } = early();
    const refused = Promise.resolve(false);
    press.beginWith(recordingThatTells(told, refused));
    await finger.tap();
    const before = drawn();
    await refused;
    expect([press.state(), drawn()]).toEqual(['waiting', before]);
    press.repeat(commands);
    expect(told).toEqual(['begin', 'start']);
  });

  test('heard after the field has taken it over, it is not drawn here', async () => {
    const { press, told, finger, drawn, commands } = early();
    const heard = Promise.resolve(true);
    press.beginWith(recordingThatTells(told, heard));
    await finger.tap();
    press.repeat(commands);
    const before = drawn();
    await heard;
    expect([press.state(), drawn()]).toEqual(['at-rest', before]);
  });
});
