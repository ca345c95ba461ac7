import { request } from 'node:http';
import { expect, test } from 'vitest';
import { decoderPool } from '../../helpers/decoder-pool.ts';
import { FORGETFUL_ENGINE } from '../../helpers/fake-engine.ts';
import { endlessFragment, sameBytesAgain, sizesOfNoBits } from '../../helpers/hostile-mp4.ts';
import {
  fixture,
  postSpeech,
  readJson,
  speechForm,
  startServer,
} from '../../helpers/running-server.ts';

test('a file cut short is transcribed as far as it goes, and the answer says complete: false', async () => {
  const server = await startServer({ engine: FORGETFUL_ENGINE });
  const whole = fixture('speech-en.ogg');
  const { status, body } = await postSpeech(server, speechForm(whole.slice(0, -4_000)));
  expect(status).toBe(200);
  expect(body).toMatchObject({ transcription: 'words', complete: false });
  expect((await postSpeech(server, speechForm(whole))).body.complete).toBe(true);
  await server.close();
});

test('a person is answered while another address sends the worst files there are, 40 at once', async () => {
  const server = await startServer({
    engine: FORGETFUL_ENGINE,
    decoder: decoderPool(),
    limits: { concurrency: 2, maxUploadsPerClient: 40 },
  });
  const speech = fixture('speech-en.mp4');
  const worst = [endlessFragment(9), sizesOfNoBits(9), await sameBytesAgain(speech, 130)];
  await postSpeech(server, speechForm(fixture('speech-en.webm')));
  const attacks = Array.from({ length: 40 }, (_, index) =>
    postFrom('127.0.0.2', server.url, speechForm(worst[index % worst.length] ?? speech)),
  );
  const queue = async () => (await readJson(fetch(`${server.url}/api/health`))).body.queue?.waiting;
  await expect.poll(queue).toBeGreaterThan(30);
  for (let index = 0; index < 3; index++) {
    const { status } = await postSpeech(server, speechForm(fixture('speech-en.webm')));
    expect(status).toBe(200);
  }
  // Each takes a second of a core: first come, first served would have answered most by now.
  expect(await queue()).toBeGreaterThan(15);
  await server.close();
  expect(new Set(await Promise.all(attacks))).toEqual(new Set([422, 503]));
}, 60_000);

/** Posts from another loopback address; gives the status. */
async function postFrom(localAddress: string, url: string, form: FormData): Promise<number> {
  const whole = new Response(form);
  const body = Buffer.from(await whole.arrayBuffer());
  const headers = { 'content-type': whole.headers.get('content-type') ?? '' };
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', localAddress, headers };
    request(`${url}/api/asr/vad`, options, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    })
      .on('error', reject)
      .end(body);
  });
}
