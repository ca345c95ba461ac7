import { expect, test, vi } from 'vitest';
import { fetchForm } from '../../workers/upload/transcribe-request.ts';
import { isWebKit } from '../helpers/engine.ts';

test('a form with a file is sent in every engine: as bytes, or as it is where nobody is given them', async () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => (at * 7) % 256);
  const form = new FormData();
  form.append('audioFile', new File([bytes], 'a.webm', { type: 'audio/webm' }));
  form.append('language', 'sv');
  const send = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response());
  await fetchForm('/nowhere', { method: 'POST', body: form });
  const [address, init] = send.mock.calls[0] ?? [];
  expect(address).toBe('/nowhere');
  if (isWebKit) return expect(init?.body).toBe(form);
  // Chromium keeps the file of a form in memory.
  expect(init?.body).toBeInstanceOf(ArrayBuffer);
  const received = await new Request('/nowhere', init).formData();
  expect(received.get('language')).toBe('sv');
  const file = received.get('audioFile') as File;
  expect(file.name).toBe('a.webm');
  expect(new Uint8Array(await file.arrayBuffer())).toEqual(bytes);
});
