import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { userEvent } from 'vitest/browser';
import { IDLE_SESSION } from '../../src/core/session/snapshot.ts';
import { Announcer } from '../../src/widget/Announcer.tsx';
import { button, mountField, startRecording, toolbar } from '../helpers/dictation-field.tsx';
import { isWebKit } from '../helpers/engine.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';
import { inkOfNewestBar } from '../helpers/level-meter.ts';
import { render } from '../helpers/render.tsx';

/** One frame more than fits into 3 s. */
const THREE_SECONDS = Math.ceil(3_000 / 96) + 1;

/** Has the page seen, or behind another tab. */
function show(visibilityState: DocumentVisibilityState): void {
  Object.defineProperty(document, 'visibilityState', {
    value: visibilityState,
    configurable: true,
  });
  document.dispatchEvent(new Event('visibilitychange'));
  onTestFinished(() => void Reflect.deleteProperty(document, 'visibilityState'));
}

async function recording() {
  const field = mountField();
  await startRecording(field);
  const { dictation, host } = field;
  const find = (selector: string) => host.querySelector<HTMLElement>(selector)!;
  const hear = (frames: number, levelDbfs: number, isSpeaking: boolean) => {
    for (let frame = 0; frame < frames; frame += 1) dictation.hear(levelDbfs, isSpeaking);
  };
  const problem = () => find('.microphone-advice').dataset.problem;
  return { field, dictation, find, hear, problem };
}

describe('in a glance', () => {
  test('whether it hears, and for how long', async () => {
    const { dictation, find } = await recording();
    dictation.setSession({ accumulatedRecordingMs: 65_400 });
    await expect.poll(() => find('.recording-time').textContent).toBe('1:05');
    expect(find('.recording-phase').textContent).toBe('Lyssnar');
    dictation.setNotices([{ kind: 'capture-stalled', error: null }]);
    await expect.poll(() => find('.recording-phase').textContent).toBe('Inget ljud');
  });

  test('nothing moves: the field is as high in every state', async () => {
    const { field, dictation } = await recording();
    const height = () => field.host.querySelector('.sheet')!.getBoundingClientRect().height;
    const during = height();
    await userEvent.click(button('Pausa', field.host));
    await expect.poll(() => field.host.querySelector('[data-phase="paused"]')).not.toBeNull();
    expect(height()).toBe(during);
    await userEvent.click(button('Släng', field.host));
    await expect.poll(() => field.host.querySelector('[data-phase="cancelled"]')).not.toBeNull();
    expect(height()).toBe(during);
    dictation.undoCancel();
    await dictation.deliver('hej');
    await expect.poll(() => field.host.querySelector('.recording-bar')).toBeNull();
    expect(height()).toBe(during);
  });

  test('one level meter, in the bar, whatever becomes of the toolbar', async () => {
    const { find, hear } = await recording();
    const meter = (part: ParentNode | null) => part?.querySelector('canvas') ?? null;
    await expect.poll(() => meter(find('.recording-bar'))).not.toBeNull();
    const canvas = meter(find('.recording-bar'))!;
    await expect.poll(() => inkOfNewestBar(canvas)).toBeGreaterThan(0);
    const before = inkOfNewestBar(canvas);
    await userEvent.click(document.body, { position: { x: 1, y: 1 } });
    await expect.poll(toolbar).toBeNull();
    hear(1, -20, true);
    await expect.poll(() => inkOfNewestBar(canvas)).toBeGreaterThan(2 * before);
    expect(document.querySelectorAll('canvas')).toHaveLength(1);
  });

  test('a page that nobody sees draws none, and draws again when it is seen', async () => {
    const { find } = await recording();
    const ribbons = () => document.querySelectorAll('.level-meter canvas').length;
    await expect.poll(() => find('.recording-bar')).not.toBeNull();
    await expect.poll(ribbons).toBe(1);
    show('hidden');
    await expect.poll(ribbons).toBe(0);
    show('visible');
    await expect.poll(ribbons).toBe(1);
  });

  test('a field that wants no ribbon has none', async () => {
    const field = mountField({ levelMeter: false });
    await startRecording(field);
    await expect.poll(() => field.host.querySelector('.recording-time')).not.toBeNull();
    expect(document.querySelector('.level-meter')).toBeNull();
  });

  test('the ribbon goes on when another worker takes over', async () => {
    const { dictation, hear } = await recording();
    const ribbon = () => document.querySelector('canvas');
    await expect.poll(ribbon).toBeTruthy();
    const before = ribbon();
    dictation.setSession({ takeovers: 1 });
    await expect.poll(() => ribbon() !== before && inkOfNewestBar(ribbon()!) > 0).toBe(true);
    const quiet = inkOfNewestBar(ribbon()!);
    hear(1, -20, true);
    await expect.poll(() => inkOfNewestBar(ribbon()!)).toBeGreaterThan(2 * quiet);
  });

  test('Pausa is Fortsätt while it is paused, and nothing is red then', async () => {
    const { field, dictation } = await recording();
    const bar = field.host.querySelector<HTMLElement>('.recording-bar')!;
    await userEvent.click(button('Pausa', bar));
    await expect.poll(() => bar.dataset.phase).toBe('paused');
    const colours = () =>
      [...bar.querySelectorAll('button'), toolbar()!.querySelector('button')!].map(
        (each) => getComputedStyle(each).backgroundColor,
      );
    await expect.poll(colours).not.toContain('rgb(179, 38, 30)');
    await userEvent.click(button('Fortsätt', bar));
    await expect.poll(() => bar.dataset.phase).toBe('recording');
    await userEvent.click(button('Klar', bar));
    expect(dictation.calls.filter((call) => call !== 'prepare')).toEqual([
      'start',
      'pause',
      'resume',
      'stop',
    ]);
  });
});

test.each([
  ['Klar', 'stop'],
  ['Släng', 'cancel'],
])('%s from the keyboard gives the focus to the text', async (name, call) => {
  const { field, dictation } = await recording();
  button(name, field.host.querySelector('.recording-bar')!).focus();
  // WebKitGTK, driven, tells of no repeat.
  await userEvent.keyboard(isWebKit ? '{Enter}' : '{Enter>9}{/Enter}');
  expect(dictation.calls.at(-1)).toBe(call);
  expect(document.activeElement).toBe(field.element);
  expect(field.text()).toBe('');
});

describe('microphone diagnostics', () => {
  test('nothing heard for 3 s, and gone when speech comes', async () => {
    const { find, hear, problem } = await recording();
    hear(THREE_SECONDS - 2, -90, false);
    expect(problem()).toBeUndefined();
    hear(2, -90, false);
    await expect.poll(problem).toBe('silent');
    expect(find('.microphone-advice').textContent).toBe(
      'Inget hörs. Kontrollera att rätt mikrofon är vald och påslagen.',
    );
    hear(1, -30, true);
    await expect.poll(problem).toBeUndefined();
  });

  test('a muted microphone has a notice, which is enough', async () => {
    const { dictation, hear, problem } = await recording();
    dictation.setNotices([{ kind: 'microphone-muted', error: null }]);
    hear(THREE_SECONDS, -100, false);
    expect(problem()).toBeUndefined();
  });
});

test('a screen reader hears start, stop, pending and done, and nothing while one speaks', async () => {
  const dictation = createFakeDictation();
  const { host } = render(<Announcer dictation={dictation} />);
  const region = host.querySelector('[role="status"]')!;
  const said: string[] = [];
  new MutationObserver(() => said.push(region.textContent ?? '')).observe(region, {
    characterData: true,
    childList: true,
    subtree: true,
  });
  await dictation.start({ deliver: () => true });
  await expect.poll(() => said).toEqual(['Inspelningen har börjat']);
  for (let frame = 0; frame < 40; frame += 1) dictation.hear(-30, frame % 3 === 0);
  await dictation.stop();
  await expect.poll(() => said.length).toBe(2);
  // Done is what has been inserted: not before.
  dictation.setSession({ phase: 'stopped', transcriptions: new Map([[0, 'hej']]) });
  await new Promise(requestAnimationFrame);
  expect(said.length).toBe(2);
  dictation.set({ session: IDLE_SESSION });
  await expect.poll(() => said.length).toBe(3);
  expect(said).toEqual(['Inspelningen har börjat', 'Texten hämtas', 'Klart, texten är infogad']);
});

describe('Fortsätt arbeta', () => {
  const offer = (host: HTMLElement) =>
    host.querySelector<HTMLElement>('.recording-actions button:not(.is-stop)');

  test('is offered when the text has been awaited for 2 s, and says where the text goes', async () => {
    const { field, dictation } = await recording();
    const stopWaiting = vi.spyOn(dictation, 'stopWaiting');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    button('Klar', field.host.querySelector('.recording-bar')!).focus();
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => field.host.querySelector('.is-stop')).toBeNull();
    vi.advanceTimersByTime(1_999);
    expect(offer(field.host)).toBeNull();
    vi.advanceTimersByTime(1);
    await expect.poll(() => offer(field.host)).not.toBeNull();
    vi.useRealTimers();
    expect(field.host.querySelector('.recording-wait')?.textContent).toContain(
      'Texten läggs in när den är klar.',
    );
    offer(field.host)?.focus();
    await userEvent.keyboard('{Enter}');
    expect(stopWaiting).toHaveBeenCalledTimes(1);
    await dictation.deliver('hej');
    await expect.poll(() => offer(field.host)).toBeNull();
    expect(document.activeElement).toBe(field.element);
  });

  test('what is quick is over before it is seen', async () => {
    const { field, dictation } = await recording();
    const seen: unknown[] = [];
    const watch = new MutationObserver(() => seen.push(offer(field.host)));
    await userEvent.click(button('Klar', field.host));
    await expect.poll(() => field.host.querySelector('.is-stop')).toBeNull();
    watch.observe(field.host, { childList: true, subtree: true });
    await dictation.deliver('hej');
    await expect.poll(() => field.host.querySelector('.recording-bar')).toBeNull();
    watch.disconnect();
    expect(seen.filter((each) => each !== null)).toEqual([]);
  });
});
