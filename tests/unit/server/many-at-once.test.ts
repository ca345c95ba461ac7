import { expect, test } from 'vitest';
import type { AudioDecoder } from '../../../server/audio/decoder-pool.ts';
import { createFakeEngine } from '../../helpers/fake-engine.ts';
import { postSpeech, speechForm, startServer } from '../../helpers/running-server.ts';
import { tone, waveFile } from '../../helpers/wave-file.ts';

test('many transcriptions at once are no leak that Node would warn of', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  const waiting: (() => void)[] = [];
  /** As the pool does, it listens for the end of the work while it decodes. */
  const decoder: AudioDecoder = {
    async decode(_file, _maxAudioMs, signal) {
      const leave = () => undefined;
      signal.addEventListener('abort', leave);
      await new Promise<void>((decoded) => waiting.push(decoded));
      signal.removeEventListener('abort', leave);
      return { samples: new Float32Array(16_000), complete: true };
    },
    dispose: async () => undefined,
  };
  const { engine } = createFakeEngine('words');
  const server = await startServer({ engine, decoder, limits: { concurrency: 20 } });
  const sent = Array.from({ length: 20 }, (_, index) =>
    postSpeech(server, speechForm(waveFile(16_000, tone(440 + index, 16_000, 0.1))), {
      headers: { 'idempotency-key': `key-${index}` },
    }),
  );
  await expect.poll(() => waiting.length, { timeout: 4_000 }).toBe(20);
  for (const decoded of waiting) decoded();
  for (const answer of await Promise.all(sent)) expect(answer.status).toBe(200);
  await server.close();
  process.off('warning', note);
  expect(warnings.map(String)).toEqual([]);
});
