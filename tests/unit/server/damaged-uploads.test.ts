import { expect, test } from 'vitest';
import { FORGETFUL_ENGINE, fuzzServer } from '../../bench/server-fuzz-run.ts';
import { decoderPool } from '../../helpers/decoder-pool.ts';
import { fixture, postSpeech, speechForm, startServer } from '../../helpers/running-server.ts';

/** `npm run fuzz:server` sends ten thousand and more. */
test('150 damaged uploads are each read or refused, and the server goes on', async () => {
  const decoder = decoderPool();
  const server = await startServer({
    engine: FORGETFUL_ENGINE,
    decoder,
    limits: { concurrency: 2, maxAudioMs: 60_000 },
  });
  const report = await fuzzServer(server, 150, 6);
  expect(report.faults).toEqual([]);
  expect(Object.keys(report.statuses)).toEqual(expect.arrayContaining(['200', '400', '422']));
  expect((await fetch(`${server.url}/api/health`)).status).toBe(200);
  await server.close();
}, 60_000);

test('a file cut short is transcribed as far as it goes, and the answer says complete: false', async () => {
  const server = await startServer({ engine: FORGETFUL_ENGINE });
  const whole = fixture('speech-en.ogg');
  const { status, body } = await postSpeech(server, speechForm(whole.slice(0, -4_000)));
  expect(status).toBe(200);
  expect(body).toMatchObject({ transcription: 'words', complete: false });
  expect((await postSpeech(server, speechForm(whole))).body.complete).toBe(true);
  await server.close();
});
