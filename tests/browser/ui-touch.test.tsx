import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { userEvent } from 'vitest/browser';
import { attachDictation } from '../../src/attach-dictation.tsx';
import { createEarlyPress, type EarlyRecording } from '../../src/page/early-tools.ts';
import { dictateButton, mountField, seenToolbar } from '../helpers/dictation-field.tsx';
import { mount, mountKind, select } from '../helpers/editable-elements.ts';
import { inChromium } from '../helpers/engine.ts';
import { createFakeDictation, type FakeDictation } from '../helpers/fake-dictation.ts';
import { fingerOn } from '../helpers/finger.ts';
import { realFingerOn } from '../helpers/real-finger.ts';
import { tapKey } from '../helpers/tap.ts';
import { until } from '../helpers/until.ts';

const dictate = dictateButton;

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

/** Puts a finger down until it is one that is held. */
async function holdDown(finger: ReturnType<typeof fingerOn>): Promise<void> {
  const downAtMs = performance.now();
  finger.down();
  await untilHeld(downAtMs);
}

const starts = ({ calls }: FakeDictation) =>
  ['start', 'stop'].map((wanted) => calls.filter((call) => call === wanted).length);

describe('Diktera under a finger', () => {
  test.each(['touch', 'pen'])('held by %s it talks until it is let go', async (pointerType) => {
    const { dictation, element } = await fieldInUse();
    const finger = fingerOn(dictate(), { pointerType });
    await holdDown(finger);
    expect(starts(dictation)).toEqual([1, 0]);
    finger.up({ hasClick: false });
    expect(starts(dictation)).toEqual([1, 1]);
    expect(document.activeElement).toBe(element);
  });

  test('the click that some browsers make of it is none', async () => {
    const { dictation } = await fieldInUse();
    const finger = fingerOn(dictate());
    await holdDown(finger);
    finger.up();
    await dictation.deliver('hej');
    expect(starts(dictation)).toEqual([1, 1]);
    // The next one is meant, also where no pointer comes before it.
    dictate().click();
    await isIn(dictation, 'recording');
  });

  test('tapped it starts, and tapped again it stops', async () => {
    const { dictation } = await fieldInUse();
    for (const phase of ['recording', 'transcribing']) {
      await fingerOn(dictate()).tap();
      await isIn(dictation, phase);
    }
    expect(starts(dictation)).toEqual([1, 1]);
  });

  test('a tap is one too where the page is busy with the start, and hears late of its end', async () => {
    const { dictation } = await fieldInUse();
    const downAtMs = performance.now();
    await fingerOn(dictate()).tap(() => untilHeld(downAtMs));
    expect(starts(dictation)).toEqual([1, 0]);
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
    expect(starts(dictation)).toEqual([1, 0]);
  });

  test('slid off it talks on, until it is let go; a second finger changes nothing', async () => {
    const { dictation } = await fieldInUse();
    const finger = fingerOn(dictate());
    await holdDown(finger);
    finger.slide(60, 200);
    const second = fingerOn(dictate(), { pointerId: 8 });
    second.down();
    second.up();
    expect(starts(dictation)).toEqual([1, 0]);
    finger.up({ hasClick: false });
    expect(starts(dictation)).toEqual([1, 1]);
  });

  test.each(['a swipe over it', 'one taken at once, by a scroll'])(
    '%s is no press',
    async (how) => {
      const { dictation } = await fieldInUse();
      const downAtMs = performance.now();
      const finger = fingerOn(dictate());
      finger.down();
      if (how === 'a swipe over it') finger.slide(4, 40);
      else finger.cancel();
      await untilHeld(downAtMs);
      finger.up({ hasClick: false });
      expect(starts(dictation)).toEqual([0, 0]);
    },
  );

  test('taken by the system it goes on, and a press ends it: somebody may be speaking', async () => {
    const { dictation } = await fieldInUse();
    const finger = fingerOn(dictate());
    await holdDown(finger);
    finger.cancel();
    expect(starts(dictation)).toEqual([1, 0]);
    expect(dictate().textContent).toBe('Klar');
    const again = fingerOn(dictate());
    again.down();
    again.up();
    expect(starts(dictation)).toEqual([1, 1]);
  });

  test('held while it records, it ends that when it is let go: a long press has no click', async () => {
    const { dictation } = await fieldInUse();
    dictate().click();
    await isIn(dictation, 'recording');
    const finger = fingerOn(dictate());
    await holdDown(finger);
    finger.up({ hasClick: false });
    expect(starts(dictation)).toEqual([1, 1]);
  });

  test('held again while the text before is fetched, it is heard; a tap then is not', async () => {
    const { dictation } = await fieldInUse();
    for (const phase of ['recording', 'transcribing']) {
      dictate().click();
      await isIn(dictation, phase);
    }
    await fingerOn(dictate()).tap();
    expect(starts(dictation)).toEqual([1, 1]);
    const finger = fingerOn(dictate());
    finger.down();
    await isIn(dictation, 'recording');
    finger.up({ hasClick: false });
    expect(starts(dictation)).toEqual([2, 2]);
  });

  test('with the sound of a tab, which the browser asks about, only the click starts', async () => {
    const { dictation } = await fieldInUse({ tabSound: true });
    const finger = fingerOn(dictate());
    await holdDown(finger);
    expect(starts(dictation)).toEqual([0, 0]);
    finger.up();
    await isIn(dictation, 'recording');
    expect(starts(dictation)).toEqual([1, 0]);
  });

  test('a mouse records from the press on: held until it is let go, clicked until the next click', async () => {
    const { dictation, element } = await fieldInUse();
    const mouse = fingerOn(dictate(), { pointerType: 'mouse' });
    const downAtMs = performance.now();
    mouse.down();
    expect(starts(dictation)).toEqual([1, 0]);
    await expect.poll(() => performance.now() - downAtMs).toBeGreaterThan(650);
    mouse.up();
    expect(starts(dictation)).toEqual([1, 1]);
    await dictation.deliver('hej');
    // However busy the machine is, the button is not down for long.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    onTestFinished(() => void vi.restoreAllMocks());
    await userEvent.click(dictate());
    await isIn(dictation, 'recording');
    expect(starts(dictation)).toEqual([2, 1]);
    await userEvent.click(dictate());
    expect(starts(dictation)).toEqual([2, 2]);
    expect(document.activeElement).toBe(element);
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
    // The finger is on what stays when its picture changes.
    const { left, top, width, height } = dictate().querySelector('svg')!.getBoundingClientRect();
    expect(document.elementFromPoint(left + width / 2, top + height / 2)).toBe(dictate());
  });

  test.each(['editable', 'textarea', 'input'] as const)(
    'what a finger selected in %s is replaced by what is said while one holds it',
    async (as) => {
      const { dictation, element, text } = await fieldInUse({ as, defaultValue: 'ett två tre' });
      select(element, 4, 7);
      const finger = fingerOn(dictate());
      await holdDown(finger);
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
    const finger = fingerOn((await until(() => root?.querySelector('.tool-dictate')))!);
    await holdDown(finger);
    finger.slide(30, 100);
    finger.up({ hasClick: false });
    expect(starts(dictation)).toEqual([1, 1]);
  });

  inChromium(
    'a real one, held and slid off, over a page that scrolls (only Chromium lets a test touch)',
    async () => {
      document.body.style.height = '4000px';
      onTestFinished(() => document.body.removeAttribute('style'));
      const { dictation, element } = await fieldInUse();
      const finger = await realFingerOn(dictate);
      const downAtMs = performance.now();
      await finger.down();
      await isIn(dictation, 'recording');
      for (let step = 0; step < 8; step += 1) await finger.slide(5, 20);
      await untilHeld(downAtMs);
      expect(starts(dictation)).toEqual([1, 0]);
      await finger.up();
      await expect.poll(() => starts(dictation)).toEqual([1, 1]);
      expect(window.scrollY).toBe(0);
      expect(document.activeElement).toBe(element);
      expect(getSelection()?.isCollapsed).toBe(true);
      await dictation.deliver('hej');
      expect(starts(dictation)).toEqual([1, 1]);
      const tap = await realFingerOn(dictate);
      await tap.down();
      await tap.up();
      await isIn(dictation, 'recording');
      expect(document.activeElement).toBe(element);
      expect(starts(dictation)).toEqual([2, 1]);
    },
  );
});

/** A press before the page's script, and the commands given by it and by the field, in order. */
function early() {
  const field = mountKind('plaintext-only');
  const bar = mount('<div><button>Diktera</button></div>');
  const told: string[] = [];
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  let drawn = 0;
  const press = createEarlyPress({
    field,
    toolbars: [bar],
    pushToTalkKey: 'F9',
    signal: ending.signal,
    draw: () => {
      drawn += 1;
    },
  });
  const commands = {
    async start() {
      told.push('start');
      return { ok: true } as const;
    },
    cancel: () => {},
    stop: async () => void told.push('stop'),
  };
  field.focus();
  return {
    press,
    told,
    finger: fingerOn(bar.querySelector('button')!),
    drawn: () => drawn,
    /** The field is there, and hears of it again. */
    repeat() {
      press.repeat(commands);
      press.repeat(commands);
    },
    beginWith(isHeard: ReturnType<EarlyRecording['begin']> = new Promise(() => {})) {
      press.beginWith({
        begin() {
          told.push('begin');
          return isHeard;
        },
        end: () => void told.push('end'),
        cancel: () => void told.push('cancel'),
      });
    },
  };
}
type Early = ReturnType<typeof early>;

describe('Diktera before its script', () => {
  test.each<[string, (made: Early) => Promise<void>, readonly string[]]>([
    [
      'held as the script comes, it records until it is let go',
      async ({ finger, repeat, press }) => {
        const downAtMs = performance.now();
        finger.down();
        repeat();
        expect(press.isHalfDone()).toBe(true);
        await untilHeld(downAtMs);
        finger.up();
      },
      ['start', 'stop'],
    ],
    [
      'taken by the system as it records, it goes on',
      async ({ finger, repeat }) => {
        const downAtMs = performance.now();
        finger.down();
        repeat();
        await untilHeld(downAtMs);
        finger.cancel();
      },
      ['start'],
    ],
    [
      'held and let go before anything was heard, it asks for nothing',
      async ({ finger }) => {
        await holdDown(finger);
        finger.up();
      },
      [],
    ],
    [
      'a tap waits for the script, also where its end is heard late',
      async ({ finger, press }) => {
        const downAtMs = performance.now();
        await finger.tap(() => untilHeld(downAtMs));
        expect(press.state()).toBe('waiting');
      },
      ['start'],
    ],
    [
      'so does the key',
      async () => {
        const downAtMs = performance.now();
        await tapKey('F9', () => untilHeld(downAtMs));
      },
      ['start'],
    ],
    [
      'Escape takes back what waits',
      async ({ beginWith }) => {
        await tapKey('F9');
        await tapKey('Escape');
        beginWith();
      },
      [],
    ],
    [
      'a key pressed before there is something to begin is begun when it is up',
      async ({ beginWith, told }) => {
        await tapKey('F9', async () => {
          beginWith();
          expect(told).toEqual([]);
        });
      },
      ['begin', 'start'],
    ],
    [
      'Escape throws away what has been begun, and the field is where it can be had back',
      async ({ beginWith, press }) => {
        beginWith();
        await tapKey('F9');
        await tapKey('Escape');
        expect(press.state()).toBe('at-rest');
      },
      ['begin', 'cancel', 'start'],
    ],
    [
      'pressed again after that, the next one waits for the field',
      async ({ finger, beginWith, press }) => {
        beginWith();
        await tapKey('F9');
        await tapKey('Escape');
        await finger.tap();
        expect(press.state()).toBe('waiting');
      },
      ['begin', 'cancel', 'start', 'start'],
    ],
    [
      'a recording is begun when the press is over, once, and goes on wherever the focus goes',
      async ({ finger, beginWith, press }) => {
        finger.down();
        beginWith();
        finger.cancel();
        await finger.tap();
        await finger.tap();
        press.forget();
        expect(press.state()).toBe('waiting');
      },
      ['begin', 'start'],
    ],
    [
      'refused, it waits for the field, which will say why',
      async ({ finger, beginWith, drawn, press }) => {
        const refused = Promise.resolve({ ok: false });
        beginWith(refused);
        await finger.tap();
        const before = drawn();
        await refused;
        expect([press.state(), drawn()]).toEqual(['waiting', before]);
      },
      ['begin', 'start'],
    ],
    [
      'heard after the field has taken it over, it is not drawn here',
      async ({ finger, beginWith, drawn, repeat }) => {
        const heard = Promise.resolve({ ok: true });
        beginWith(heard);
        await finger.tap();
        repeat();
        const before = drawn();
        await heard;
        expect(drawn()).toBe(before);
      },
      ['begin', 'start'],
    ],
  ])('%s', async (_name, act, told) => {
    const made = early();
    await act(made);
    made.repeat();
    expect(made.told).toEqual(told);
    expect([made.press.isHalfDone(), made.press.state()]).toEqual([false, 'at-rest']);
  });

  test.each([
    ['a tap', ({ finger }: Early) => finger.tap()],
    ['the key', () => tapKey('F9')],
    [
      'a tap that is under way as the field comes',
      ({ finger, repeat }: Early) => finger.tap(async () => repeat()),
    ],
    [
      'a finger that was held',
      async ({ finger }: Early) => {
        await holdDown(finger);
        finger.up({ hasClick: false });
      },
    ],
  ])('what is heard is shown, and ended by %s, once', async (_how, stop) => {
    const made = early();
    made.beginWith(Promise.resolve({ ok: true }));
    await made.finger.tap();
    await until(() => made.press.state() === 'recording');
    await stop(made);
    await made.finger.tap();
    expect([made.told, made.press.state()]).toEqual([['begin', 'end'], 'waiting']);
    made.repeat();
    expect(made.told).toEqual(['begin', 'end', 'start']);
  });

  test('what is heard is thrown away by Escape, and no longer shown', async () => {
    const made = early();
    made.beginWith(Promise.resolve({ ok: true }));
    await made.finger.tap();
    await until(() => made.press.state() === 'recording');
    await tapKey('Escape');
    await tapKey('Escape');
    expect([made.told, made.press.state()]).toEqual([['begin', 'cancel'], 'at-rest']);
    made.repeat();
    expect(made.told).toEqual(['begin', 'cancel', 'start']);
  });
});
