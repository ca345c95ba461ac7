import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createMicrophoneList, type MicrophoneList } from '../../src/capture/microphone-list.ts';
import type { Notice, NoticeKind } from '../../src/core/session/snapshot.ts';
import { App } from '../../src/page/App.tsx';
import { LATER_SWEDISH } from '../../src/page/later-strings-sv.ts';
import { browserFamily } from '../../src/page/OptionsPanel.tsx';
import { createSettingsStore, DEFAULT_SETTINGS } from '../../src/page/settings.ts';
import { ENGLISH } from '../../src/widget/strings-en.ts';
import { SWEDISH } from '../../src/widget/strings-sv.ts';
import { button, seenToolbar, toolbar } from '../helpers/dictation-field.tsx';
import { isFirefox, isWebKit } from '../helpers/engine.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';
import { chooseSwedish, openOptions, putLanguageBack, render } from '../helpers/render.tsx';

const OWN_FAMILY = isWebKit ? 'safari' : isFirefox ? 'firefox' : 'chromium';

/** As the page chooses it for the browser of the tests. */
const OWN_LANGUAGE = navigator.language.startsWith('sv') ? 'sv' : 'en';

const BUILT_IN = { deviceId: 'one', label: 'Intern mikrofon' };
const JABRA = { deviceId: 'two', label: 'Jabra SPEAK 510' };

/** A computer whose microphones are plugged in and out, and a person who allows or not. */
function createDesk(devices = [BUILT_IN, JABRA], permission: PermissionState = 'granted') {
  const plug = new EventTarget();
  /** As in Firefox after a permission for one time: it is called given, and nothing is known. */
  let isNameless = false;
  const status = Object.assign(new EventTarget(), { state: permission });
  let present = devices;
  const list = createMicrophoneList({
    mediaDevices: {
      enumerateDevices: async () =>
        present.map((device) => ({
          ...device,
          label: status.state === 'granted' && !isNameless ? device.label : '',
          kind: 'audioinput' as const,
          groupId: '',
          toJSON: () => '',
        })),
      getUserMedia: async () => {
        if (status.state === 'denied') throw new DOMException('no', 'NotAllowedError');
        status.state = 'granted';
        isNameless = false;
        return new MediaStream();
      },
      getDisplayMedia: navigator.mediaDevices.getDisplayMedia,
      // As where the sound of tabs can be had.
      getSupportedConstraints: () => ({
        ...navigator.mediaDevices.getSupportedConstraints(),
        suppressLocalAudioPlayback: true,
      }),
      addEventListener: plug.addEventListener.bind(plug),
    },
    queryPermission: async () => status as unknown as PermissionStatus,
    clock: {
      nowMs: () => 0,
      after(_delayMs, run) {
        const timer = setTimeout(run, 0);
        return () => clearTimeout(timer);
      },
    },
    log: { error: vi.fn(), warn: vi.fn(), info: vi.fn() },
  });
  return {
    list,
    hideNames() {
      isNameless = true;
    },
    tellNames() {
      isNameless = false;
    },
    replug(next: typeof devices) {
      present = next;
      plug.dispatchEvent(new Event('devicechange'));
    },
    allow(state: PermissionState) {
      status.state = state;
      status.dispatchEvent(new Event('change'));
    },
  };
}

async function mountApp(microphones: MicrophoneList, storage: Storage | null = localStorage) {
  putLanguageBack();
  chooseSwedish();
  const dictation = createFakeDictation();
  const settings = createSettingsStore(storage);
  const { host } = render(
    <App dictation={dictation} microphones={microphones} settings={settings} />,
  );
  const options = await openOptions(host);
  const select = (label: string) =>
    [...host.querySelectorAll('label')]
      .find((each) => each.textContent?.startsWith(label))
      ?.querySelector('select') ?? null;
  const choices = (label: string) => [...(select(label)?.options ?? [])].map(({ text }) => text);
  return { dictation, settings, host, options, select, choices };
}

/** The page's own notice comes later and moves the buttons. */
const untilItIsSaid = (host: HTMLElement) =>
  expect.poll(() => host.querySelector('.keeping-notice')).not.toBeNull();

beforeEach(() => page.viewport(1_000, 1_200));
afterEach(() => {
  localStorage.clear();
  vi.restoreAllMocks();
});

describe('microphones', () => {
  test('by name, the preferred one marked; the choice is used, and remembered', async () => {
    const { dictation, select, choices, host, options } = await mountApp(createDesk().list);
    await expect
      .poll(() => choices('Mikrofon'))
      .toEqual(['Välj åt mig', 'Intern mikrofon', 'Jabra SPEAK 510 (rekommenderas)']);
    await userEvent.selectOptions(select('Mikrofon')!, 'two');
    options.close();
    await userEvent.click(host.querySelector('.field-text')!, { position: { x: 9, y: 9 } });
    await seenToolbar();
    await userEvent.click(button('Diktera', toolbar()!));
    await expect.poll(() => dictation.started[0]).toMatchObject({ deviceId: 'two' });
    expect(createSettingsStore(localStorage).getSettings()).toMatchObject({
      deviceId: 'two',
      deviceLabel: 'Jabra SPEAK 510',
    });
  });

  test('plugged in and out: the menu follows, the choice waits, and is known by name', async () => {
    const desk = createDesk();
    const { select, choices } = await mountApp(desk.list);
    await expect.poll(() => choices('Mikrofon')).toHaveLength(3);
    await userEvent.selectOptions(select('Mikrofon')!, 'two');
    desk.replug([BUILT_IN]);
    await expect
      .poll(() => choices('Mikrofon'))
      .toEqual(['Välj åt mig', 'Intern mikrofon', 'Jabra SPEAK 510 (inte ansluten)']);
    desk.replug([BUILT_IN, { ...JABRA, deviceId: 'changed' }]);
    await expect.poll(() => select('Mikrofon')?.value).toBe('changed');
  });

  test('without permission they have no names: one asks for it', async () => {
    const { host, choices } = await mountApp(createDesk(undefined, 'prompt').list);
    await expect.poll(() => host.textContent).toContain(LATER_SWEDISH.options.allowWhy);
    await userEvent.click(button('Tillåt mikrofonen', host));
    await expect.poll(() => choices('Mikrofon')).toHaveLength(3);
  });

  test('called given and yet nameless (Firefox), they have names once one is heard, or allowed here', async () => {
    for (const way of ['heard', 'allowed'] as const) {
      const desk = createDesk();
      desk.hideNames();
      const { dictation, host, choices } = await mountApp(desk.list);
      await expect.poll(() => host.textContent).toContain(LATER_SWEDISH.options.allowWhy);
      dictation.setNotices([{ kind: 'microphone-denied', error: null }]);
      const notice = () => host.querySelector('.notice[data-notice]');
      await expect.poll(notice).not.toBeNull();
      if (way === 'heard') {
        desk.tellNames();
        dictation.setSession({ device: BUILT_IN });
      } else await userEvent.click(button('Tillåt mikrofonen', host));
      await expect.poll(() => choices('Mikrofon')).toHaveLength(3);
      await expect.poll(notice).toBeNull();
    }
  });

  test('refused: how to allow it in this browser', async () => {
    const { host } = await mountApp(createDesk(undefined, 'denied').list);
    await expect
      .poll(() => host.querySelector('[data-permission]')?.textContent)
      .toBe(`${LATER_SWEDISH.options.denied} ${LATER_SWEDISH.options.deniedHelp[OWN_FAMILY]}`);
    expect(browserFamily('Mozilla/5.0 (X11) Gecko/20100101 Firefox/153.0')).toBe('firefox');
    expect(browserFamily('Mozilla/5.0 (Macintosh) Version/26.0 Safari/605.1.15')).toBe('safari');
    expect(browserFamily('Mozilla/5.0 Chrome/156.0 Safari/537.36')).toBe('chromium');
  });

  test('none at all', async () => {
    const { host } = await mountApp(createDesk([]).list);
    await expect.poll(() => host.textContent).toContain('Ingen mikrofon är ansluten.');
  });
});

describe('options', () => {
  test("begin as the dictation element's own, change what is asked, and are remembered", async () => {
    const { dictation, host, options } = await mountApp(createDesk().list);
    await untilItIsSaid(host);
    expect(createSettingsStore(null).getSettings()).toEqual({
      ...DEFAULT_SETTINGS,
      interfaceLanguage: OWN_LANGUAGE,
    });
    dictation.set({
      server: { kind: 'ready', engine: 'e', model: 'm', languages: ['sv', 'en'], engines: [] },
    });
    const check = (label: string) => page.getByRole('checkbox', { name: label, exact: true });
    const choose = (label: string, value: string) =>
      page.getByRole('combobox', { name: label }).selectOptions(value);
    await check('Maska personuppgifter i texten').click();
    await check('Rätta stavningen').click();
    await check('Snabbare, mindre noggrant').click();
    await check('Spela in ljud från en flik').click();
    await choose('Språk du talar', 'sv');
    await choose('Ljudmiljö', 'sensitive');
    await choose('Dikteringstangent', 'F8');
    options.close();
    host.querySelector('.field-text')?.scrollIntoView();
    await userEvent.click(host.querySelector('.field-text')!, { position: { x: 9, y: 9 } });
    await userEvent.keyboard('{F8}');
    await expect.poll(() => dictation.started).toHaveLength(1);
    expect(dictation.started[0]).toMatchObject({
      removePii: true,
      fixSpelling: false,
      fast: false,
      language: 'sv',
      tabSound: true,
      vad: { positiveSpeechThreshold: 0.5, preSpeechPadFrames: 10 },
    });
    expect(createSettingsStore(localStorage).getSettings()).toMatchObject({
      removePii: true,
      language: 'sv',
      pushToTalkKey: 'F8',
    });
  });

  test('words while one speaks: as the server says, until that is chosen', async () => {
    const { dictation, host } = await mountApp(createDesk().list);
    await untilItIsSaid(host);
    const words = page.getByRole('checkbox', { name: LATER_SWEDISH.options.live, exact: true });
    const ready = { kind: 'ready', engine: 'e', model: 'm', languages: [], engines: [] } as const;
    await expect.element(words).not.toBeChecked();
    dictation.set({ server: { ...ready, freePieces: true } });
    await expect.element(words).toBeChecked();
    expect(createSettingsStore(localStorage).getSettings().live).toBe('auto');
    await words.click();
    await expect.element(words).not.toBeChecked();
    expect(createSettingsStore(localStorage).getSettings().live).toBe(false);
    await words.click();
    dictation.set({ server: ready });
    await expect.element(words).toBeChecked();
  });

  test('English, all of it, at once', async () => {
    const { host, options } = await mountApp(createDesk().list);
    await page.getByRole('combobox', { name: 'Sidans språk' }).selectOptions('en');
    await expect.poll(() => document.documentElement.lang).toBe('en');
    expect(options.querySelector('h2')!.textContent).toBe('Options');
    options.close();
    await userEvent.click(host.querySelector('.field-text')!, { position: { x: 9, y: 9 } });
    expect((await seenToolbar()).textContent).toContain('Dictate');
    await openOptions(host);
    await page.getByRole('combobox', { name: 'Interface language' }).selectOptions('sv');
    await expect.poll(() => toolbar()?.textContent ?? '').not.toContain('Dictate');
  });

  test('what can do nothing here is not shown: tab sound, and one speed', async () => {
    const { list } = createDesk();
    const { dictation, options } = await mountApp({ ...list, hasTabSound: false });
    expect(options.textContent).not.toContain('Spela in ljud från en flik');
    const fast = LATER_SWEDISH.options.fast;
    const ready = { kind: 'ready', model: 'm', languages: [], engines: [] } as const;
    dictation.set({ server: { ...ready, engine: 'whisper.cpp' } });
    await expect.poll(() => options.textContent).toContain(fast);
    dictation.set({ server: { ...ready, engine: 'moonshine' } });
    await expect.poll(() => options.textContent).not.toContain(fast);
  });

  test.each([
    ['nonsense', '{"preset":"no","language":7,"pushToTalkKey":null,"spacing":"smart"}', 'smart'],
    ['no JSON', '{', 'smart'],
    ['a list', '[]', 'smart'],
  ])('what is remembered is checked: %s', (_name, kept, spacing) => {
    const storage = { getItem: () => kept, setItem: () => {} };
    expect(createSettingsStore(storage).getSettings()).toEqual({
      ...DEFAULT_SETTINGS,
      interfaceLanguage: OWN_LANGUAGE,
      spacing,
    });
  });

  test('a storage that refuses stops nobody', () => {
    const refuse = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    const store = createSettingsStore({ getItem: refuse, setItem: refuse });
    store.change({ language: 'en' });
    expect(store.getSettings().language).toBe('en');
  });
});

describe('notices', () => {
  const kinds = Object.keys(SWEDISH.notices) as NoticeKind[];

  test.each(kinds)('%s: what is wrong and what to do, in both languages', async (kind) => {
    const { dictation, host } = await mountApp(createDesk([], 'prompt').list);
    const notice: Notice = { kind, error: null };
    dictation.setNotices([notice]);
    const { title, advice } = SWEDISH.notices[kind];
    const shown = () => host.querySelector(`[data-notice="${kind}"]`)?.textContent;
    await expect.poll(shown).toBe(`${title}. ${advice}`);
    expect(host.querySelector('[data-notice]')!.closest('[role="alert"]')).not.toBeNull();
    expect(ENGLISH.notices[kind].title).not.toBe(title);
    dictation.setNotices([]);
    await expect.poll(shown).toBeUndefined();
  });

  test('a refusal is taken back when permission is given, a missing microphone when one comes', async () => {
    const desk = createDesk([], 'denied');
    const { dictation, host, options } = await mountApp(desk.list);
    options.close();
    const error = null;
    dictation.setNotices([
      { kind: 'microphone-denied', error },
      { kind: 'microphone-missing', error },
      { kind: 'upload-failed', error },
    ]);
    const shown = () =>
      [...host.querySelectorAll<HTMLElement>('.notice[data-notice]')].map(
        ({ dataset }) => dataset.notice,
      );
    await expect.poll(shown).toHaveLength(3);
    desk.allow('granted');
    await expect.poll(shown).toEqual(['microphone-missing', 'upload-failed']);
    desk.replug([BUILT_IN]);
    await expect.poll(shown).toEqual(['upload-failed']);
    host.querySelector<HTMLElement>('.notice[data-notice] button')?.click();
    await expect.poll(shown).toEqual([]);
  });
});

test('what another tab has chosen meanwhile stays, whatever this one changes', () => {
  onTestFinished(() => localStorage.removeItem('diktera:settings'));
  const [one, other] = [createSettingsStore(localStorage), createSettingsStore(localStorage)];
  one.change({ pushToTalkKey: 'F8' });
  other.change({ isKeepingTold: true });
  expect(createSettingsStore(localStorage).getSettings()).toMatchObject({
    pushToTalkKey: 'F8',
    isKeepingTold: true,
  });
});
