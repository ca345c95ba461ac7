import { expect, onTestFinished, test, vi } from 'vitest';
import { userEvent } from 'vitest/browser';
import type { ServerEngine, ServerState } from '../../src/core/session/snapshot.ts';
import { ServerPart } from '../../src/page/later-parts.tsx';
import { ServerLine } from '../../src/page/OptionsDialog.tsx';
import { createSettingsStore } from '../../src/page/settings.ts';
import { createFakeDictation } from '../helpers/fake-dictation.ts';
import { render } from '../helpers/render.tsx';

function ready(...engines: readonly ServerEngine[]): ServerState {
  const languages = engines.flatMap((engine) => engine.languages);
  return { kind: 'ready', engine: 'any', model: 'any', languages, engines };
}

function drawn(server: ServerState) {
  const dictation = createFakeDictation();
  const { host } = render(<ServerLine dictation={dictation} language="sv" />);
  dictation.set({ server });
  return { host, line: () => host.querySelector('p')?.textContent };
}

test.each([
  [[{ model: 'kb-whisper', languages: ['sv'] }], 'Taligenkänning: svenska (kb-whisper).'],
  [
    [
      { model: 'kb-whisper', languages: ['sv'] },
      { model: 'moonshine', languages: ['en'] },
    ],
    'Taligenkänning: svenska (kb-whisper) och engelska (moonshine).',
  ],
  [
    [{ model: 'whisper', languages: ['de', 'en', 'fi', 'sv', 'nb'] }],
    'Taligenkänning: svenska och 4 språk till (whisper).',
  ],
])('with Swedish it is one line: %j', async (engines, words) => {
  const { host, line } = drawn(ready(...engines));
  await expect.poll(line).toBe(words);
  expect(host.querySelectorAll('p, details')).toHaveLength(1);
});

test('without Swedish it says so, and behind a press how to get it', async () => {
  const { host, line } = drawn(ready({ model: 'moonshine-tiny', languages: ['en'] }));
  await expect.poll(line).toBe('Taligenkänning: engelska (moonshine-tiny).');
  expect(host.textContent).toContain('Servern som körs här förstår inte svenska.');
  const how = host.querySelector('code')!;
  expect(how.checkVisibility()).toBe(false);
  await userEvent.click(host.querySelector('summary')!);
  expect(how.checkVisibility()).toBe(true);
  expect(how.textContent).toBe('npm start -- --language sv');
});

test.each([
  [{ kind: 'loading' }, 'Taligenkänningen startar …'],
  [
    { kind: 'unavailable', error: { code: 'http-network', message: 'Request failed: GET x' } },
    'Servern för taligenkänning svarar inte just nu. Ljudet sparas tills den gör det.',
  ],
] as const)('%j: nothing of it but what it means', async (server, words) => {
  const { host } = drawn(server);
  await expect.poll(() => host.textContent).toBe(words);
});

/** The page's part about its server, whose health is `answer`. */
function part(answer: () => Response) {
  const asking = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => answer());
  onTestFinished(() => asking.mockRestore());
  const dictation = createFakeDictation();
  const store = createSettingsStore(null);
  store.change({ language: 'en' });
  const { host } = render(
    <ServerPart dictation={dictation} store={store} settings={store.getSettings()} />,
  );
  return { host, dictation, asking };
}

const html = (status: number) => () =>
  new Response('<!doctype html>', { status, headers: { 'content-type': 'text/html' } });
const SIGN_IN = 'Logga in igen. Det du säger sparas här och blir text när du har loggat in.';

test.each<[string, () => Response]>([
  ['a sign-in page', html(200)],
  ['401', () => Response.json({}, { status: 401 })],
  ['403', html(403)],
  ['a redirect', () => Object.defineProperty(new Response(), 'type', { value: 'opaqueredirect' })],
])(
  '%s in place of the health: said before anybody speaks, until the server answers',
  async (_what, answer) => {
    const { host, dictation, asking } = part(answer);
    await expect.poll(() => host.querySelector('.notice p')?.textContent).toBe(SIGN_IN);
    expect(host.querySelector('.notice a')?.getAttribute('href')).toBe('api/health');
    expect(asking.mock.calls[0]?.[1]).toMatchObject({ redirect: 'manual' });
    // A worker that is there by now takes it for a server that tells nothing of itself.
    dictation.set({ server: { kind: 'untold' } });
    await expect.poll(() => host.querySelector('.notice')).not.toBeNull();
    dictation.set({ server: ready({ model: 'kb-whisper', languages: ['sv', 'en'] }) });
    await expect.poll(() => host.querySelector('.notice')).toBeNull();
  },
);

test.each<[string, () => Response]>([
  ['a proxy whose server is gone', html(502)],
  ['a server without a health', html(404)],
])('%s is no sign-in', async (_what, answer) => {
  const { host, asking } = part(answer);
  await expect.poll(() => asking.mock.calls.length).toBeGreaterThan(0);
  await Promise.all(asking.mock.results.map(({ value }) => value));
  expect(host.querySelector('.notice')).toBeNull();
});

test('once something waits for the sign-in, the notice says it alone', async () => {
  const { host, dictation } = part(html(200));
  await expect.poll(() => host.querySelector('.notice')).not.toBeNull();
  dictation.set({ queue: { ...dictation.getSnapshot().queue, isUnauthorised: true } });
  await expect.poll(() => host.querySelector('.notice')).toBeNull();
});
