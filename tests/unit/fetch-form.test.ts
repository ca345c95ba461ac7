import { expect, onTestFinished, test, vi } from 'vitest';
import { fetchForm } from '../../workers/upload/transcribe-request.ts';
import { answerText, startTestServer } from '../helpers/transcription-server.ts';

test('a form arrives as it is, with the other headers, and no file is given to the browser to keep', async () => {
  const server = await startTestServer(() => answerText('hej'));
  onTestFinished(() => server.close());
  const given = vi.spyOn(globalThis, 'fetch');
  onTestFinished(() => given.mockRestore());
  const body = new FormData();
  body.append('audioFile', new Blob([new Uint8Array(70_000)], { type: 'audio/webm' }), 'a.webm');
  body.append('language', 'sv');

  const headers = { 'Idempotency-Key': 'chunk@1' };
  const response = await fetchForm(server.url, { method: 'POST', headers, body });
  expect(await response.json()).toMatchObject({ transcription: 'hej' });
  expect(server.calls).toMatchObject([
    {
      idempotencyKey: 'chunk',
      fields: { language: 'sv' },
      file: { name: 'a.webm', type: 'audio/webm', bytes: 70_000 },
    },
  ]);
  expect(given.mock.lastCall?.[1]?.body).toBeInstanceOf(ArrayBuffer);
});
