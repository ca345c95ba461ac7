import { expect, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import type { ServerEngine, ServerState } from '../../src/core/session/snapshot.ts';
import { ServerLine } from '../../src/page/OptionsDialog.tsx';
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
