import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { ServerState } from '../../src/core/session/snapshot.ts';
import { ServerPart } from '../../src/page/later-parts.tsx';
import { createSettingsStore, type Settings } from '../../src/page/settings.ts';
import type { Model } from '../../src/page/swedish/models.tsx';
import { CATALOGUE_MODEL } from '../catalogue/states.ts';
import { button } from '../helpers/dictation-field.tsx';
import { createFakeDictation } from '../helpers/fake-dictation.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { putLanguageBack, render } from '../helpers/render.tsx';

const ENGLISH_ONLY: ServerState = {
  kind: 'ready',
  engine: 'embedded',
  model: 'moonshine',
  languages: ['en', 'sv'],
  engines: [{ model: 'moonshine', languages: ['en'] }],
};
const WITH_SWEDISH: ServerState = {
  ...ENGLISH_ONLY,
  engines: [{ model: 'pianissimo', languages: ['sv'] }],
};
function knows(...languages: readonly string[]): ServerState {
  const whole = { model: 'm', languages };
  return { kind: 'ready', engine: 'e', ...whole, engines: [whole] };
}
const REFUSED = { code: 'http-status', message: '422 language_not_supported' } as const;

/** Time to do something; Safari tells nobody when it is idle. */
const untilIdle = () =>
  new Promise((resolve) => (window.requestIdleCallback ?? setTimeout)(resolve));

/** A server with one model, whose state the test says. */
function openPage(
  first: Partial<Model>,
  {
    token = 'secret' as string | null,
    settings = {} as Partial<Settings>,
    /** The server's answer to the page itself. */
    server = null as object | null,
  } = {},
) {
  let model: Model = { ...CATALOGUE_MODEL, ...first };
  let known = token;
  putLanguageBack();
  document.documentElement.lang = settings.interfaceLanguage ?? 'sv';
  const asked: string[] = [];
  let refuses = 0;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const call = `${init?.method ?? 'GET'} ${String(input)}`;
    if (call === 'GET api/health') return Response.json(server ?? {});
    if (call !== 'GET api/models') {
      asked.push(`${call} ${new Headers(init?.headers).get('x-diktera-models')}`);
      if (refuses-- > 0) return Response.json({}, { status: 403 });
      if (call.endsWith('/fetch')) model = { ...model, state: 'fetching', share: 0.1 };
      if (call.endsWith('/pause')) model = { ...model, state: 'paused' };
      if (call.endsWith('/cancel')) model = { ...model, state: 'absent', share: 0 };
    }
    return Response.json({ token: known, models: [model] });
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const dictation = createFakeDictation();
  const retried: (string | null)[] = [];
  dictation.retry = (id) => void retried.push(id);
  const store = createSettingsStore(null);
  store.change({ interfaceLanguage: 'sv', ...settings });
  const part = () => (
    <ServerPart dictation={dictation} store={store} settings={store.getSettings()} />
  );
  const { host, draw } = render(part());
  store.subscribe(() => draw(part()));
  return {
    host,
    dictation,
    store,
    asked,
    retried,
    stage: () => host.querySelector<HTMLElement>('.swedish')?.dataset.stage,
    said: () => host.querySelector('[role="status"]')?.textContent,
    become: (next: Partial<Model>) => {
      model = { ...model, ...next };
    },
    forbid: () => {
      known = null;
    },
    refuse: (times: number) => {
      refuses = times;
    },
  };
}

beforeEach(() => page.viewport(1_000, 800));

describe('Swedish that is missing is offered', () => {
  test('in one sentence with one button', async () => {
    const { host, dictation, store, asked, stage } = openPage({});
    dictation.set({ server: ENGLISH_ONLY });
    await expect.poll(stage).toBe('absent');
    expect(host.textContent).toContain('Du kan diktera ändå');
    const fetchIt = button('Hämta svenska (660 MB)', host);
    fetchIt.focus();
    await userEvent.keyboard('{Enter}');
    await expect.poll(stage).toBe('fetching');
    expect(asked).toEqual(['POST api/models/pianissimo-sv-int8/fetch secret']);
    // The same button, so that the focus is where it was.
    expect(document.activeElement).toBe(button('Pausa', host));
    expect(store.getSettings().language).toBe('sv');
  });

  test.each([
    ['the server has it', WITH_SWEDISH, {}],
    ['the server is not ready', { kind: 'loading' }, {}],
    ['another language is asked for', ENGLISH_ONLY, { language: 'en' }],
    ['the page is in another language', ENGLISH_ONLY, { interfaceLanguage: 'en' }],
  ] as const)('not where %s', async (_name, server, settings) => {
    const { host, dictation } = openPage({}, { settings });
    dictation.set({ server });
    await untilIdle();
    expect(host.innerHTML).toBe('');
  });

  test("before there is a worker that knows of the server, at the page's own look", async () => {
    const server = { status: 'ready', engine: 'e', model: 'm', languages: ['de'] };
    const { host, stage } = openPage({}, { server });
    await expect.poll(stage).toBe('absent');
    expect(host.textContent).toContain('Du kan diktera ändå: det sparas här');
  });

  test.each([
    ['this page may not have it fetched', { token: null }, 'Servern förstår inte svenska'],
    [
      'another language will be spoken',
      { settings: { interfaceLanguage: 'en' } as const },
      'The server does not understand English',
    ],
  ])('said without a button where %s', async (_name, how, title) => {
    const { host, dictation, stage } = openPage({}, how);
    dictation.set({ server: knows('de') });
    await expect.poll(stage).toBe('missing');
    expect(host.querySelector('h2')?.textContent).toBe(title);
    expect(host.querySelector('button')).toBeNull();
    dictation.set({ server: knows('sv', 'en') });
    await expect.poll(() => host.innerHTML).toBe('');
  });

  test('not while somebody speaks', async () => {
    const { host, dictation, stage } = openPage({});
    await dictation.start();
    dictation.set({ server: ENGLISH_ONLY });
    await untilIdle();
    expect(host.innerHTML).toBe('');
    dictation.setSession({ phase: 'idle' });
    await expect.poll(stage).toBe('absent');
  });
});

describe('on its way', () => {
  test('given up elsewhere, what waited for it says so of itself: it is asked for anew', async () => {
    const { dictation, retried, stage, become } = openPage({ state: 'fetching', share: 0.4 });
    const options = { removePii: false, fixSpelling: true, fast: true };
    const lastError = { code: 'http-status', message: '503', share: 0.4 } as const;
    const state = { kind: 'pending', nextAttemptAtMs: Number.MAX_SAFE_INTEGER, lastError } as const;
    dictation.setQueue([
      makeQueueItem({ id: 'a', options: { ...options, language: 'sv' }, state }),
      makeQueueItem({ id: 'b', options: { ...options, language: 'en' }, state }),
    ]);
    dictation.set({ server: ENGLISH_ONLY });
    await expect.poll(stage).toBe('fetching');
    expect(retried).toEqual([]);
    become({ state: 'absent', share: 0 });
    await expect.poll(() => retried).toEqual(['a']);
  });

  test('each tenth is said once, and nothing between', async () => {
    const { host, dictation, become, said } = openPage({ state: 'fetching', share: 0.2 });
    dictation.set({ server: ENGLISH_ONLY });
    await expect.poll(said).toBe('Hämtar svenska, 20 %');
    const spoken: (string | null | undefined)[] = [];
    const status = host.querySelector('[role="status"]')!;
    const watch = new MutationObserver(() => spoken.push(said()));
    watch.observe(status, { childList: true, characterData: true, subtree: true });
    become({ share: 0.24 });
    const bar = host.querySelector('progress')!;
    await expect.poll(() => bar.value).toBeCloseTo(0.24);
    expect(bar.getAttribute('aria-label')).toBe('Svenska, hur mycket som är klart');
    become({ share: 0.31 });
    await expect.poll(said).toBe('Hämtar svenska, 30 %');
    become({ state: 'trying', share: 0.98 });
    await expect.poll(said).toBe('Förbereder svenska');
    watch.disconnect();
    expect(spoken).toEqual(['Hämtar svenska, 30 %', 'Förbereder svenska']);
  });

  test('who may only look sees how far it is, and no buttons', async () => {
    const { host, dictation, stage } = openPage({ state: 'fetching', share: 0.5 }, { token: null });
    dictation.set({ server: ENGLISH_ONLY });
    await expect.poll(stage).toBe('fetching');
    expect(host.textContent).toContain('50 %');
    expect(host.textContent).toContain('sparas här och blir text när allt är klart');
    expect(host.querySelectorAll('button')).toHaveLength(0);
  });

  test('what cannot be done is said, and a server that is away', async () => {
    const { host, dictation, stage, said, refuse } = openPage({ state: 'paused', share: 0.5 });
    dictation.set({ server: ENGLISH_ONLY });
    await expect.poll(stage).toBe('paused');
    refuse(1);
    await userEvent.click(button('Fortsätt', host));
    await expect.poll(said).toBe('Det gick inte just nu. Försök igen.');
    expect(stage()).toBe('paused');
    await userEvent.click(button('Fortsätt', host));
    await expect.poll(stage).toBe('fetching');
    vi.mocked(fetch).mockRejectedValue(new TypeError('no network'));
    await expect.poll(said).toBe('Servern svarar inte just nu.');
    expect(stage()).toBe('fetching');
  });
});

describe('then', () => {
  test('what was refused earlier is written down by a server that has it, without a word', async () => {
    const { host, dictation, retried } = openPage({ state: 'ready', share: 1 });
    const options = { removePii: false, fixSpelling: true, fast: true, language: 'sv' };
    dictation.setQueue([
      makeQueueItem({ id: 'a', options, state: { kind: 'refused', error: REFUSED } }),
    ]);
    dictation.set({ server: WITH_SWEDISH });
    await expect.poll(() => retried).toEqual(['a', null]);
    expect(host.innerHTML).toBe('');
  });
});

describe('what is wrong is said in words', () => {
  test.each([
    ['no-network', 'går inte att nå på nätet'],
    ['refused', 'lämnar inte ut den'],
    ['wrong-bytes', 'inte den rätta filen'],
    ['bad-proxy', 'proxy'],
    ['disk-full', 'disk är full'],
    ['disk-small', '1,4 GB behövs'],
    ['read-only', 'får inte skriva'],
    ['memory-small', '2 GB behövs'],
    ['not-convertible', 'kan inte göras i ordning'],
    ['unusable', 'fungerade inte'],
    ['unknown', 'logg'],
    ['of-a-later-server', 'logg'],
  ])('%s', async (fault, words) => {
    const state = fault === 'unusable' ? 'quarantined' : 'failed';
    const { host, dictation, asked, stage, said } = openPage({ state, fault });
    dictation.set({ server: ENGLISH_ONLY });
    await expect.poll(stage).toBe('failed');
    expect(host.querySelector('.swedish-fault')?.textContent).toContain(words);
    expect(said()).toContain(words);
    await userEvent.click(button('Försök igen', host));
    await expect.poll(stage).toBe('fetching');
    expect(asked).toHaveLength(1);
  });
});

test('answers that are none offer nothing, and it is said all the same', async () => {
  const { host, dictation, stage } = openPage({});
  vi.mocked(fetch).mockImplementation(async () => Response.json({ models: [{ id: 1 }] }));
  dictation.set({ server: knows('de') });
  await expect.poll(stage).toBe('missing');
  expect(host.querySelector('button')).toBeNull();
});
