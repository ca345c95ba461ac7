import { expect, onTestFinished, test, vi } from 'vitest';
import { createDictation } from '../../src/create-dictation.ts';
import { until } from '../helpers/until.ts';

// The browser keeps a page that is left, and Back brings it as it stood. Here the events are made; a
// real Back is in `e2e/firefox-pages` and `e2e/webkit`.

/** The tests' own server answers 404 there: what is recovered stays. */
const SETUP = { transcriptionUrl: '/nowhere' } as const;
const CLIP = '/tests/fixtures/dictation-one.wav';

/** A dead worker's locks are looked at every 10 s; on a busy machine it keeps them for some. */
const RECOVERED = { timeout: 45_000 };
const PATIENT = { timeout: 120_000 };

const leave = (isKept = true) =>
  window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: isKept }));
const comeBack = (wasKept = true) =>
  window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: wasKept }));

function setUp() {
  for (const kind of ['error', 'warn', 'info'] as const) {
    const logged = vi.spyOn(console, kind).mockImplementation(() => {});
    onTestFinished(() => logged.mockRestore());
  }
  return { dictation: open(), tracks: speakIntoMicrophone() };
}

/** Whoever listens hears a voice; the tracks that were given away. */
function speakIntoMicrophone(): readonly MediaStreamTrack[] {
  const context = new AudioContext();
  const given: MediaStreamTrack[] = [];
  const real: MediaStreamTrack[] = [];
  const listen = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  const mock = vi
    .spyOn(navigator.mediaDevices, 'getUserMedia')
    .mockImplementation(async (asked) => {
      // A page that listens may have sound at once.
      real.push(...(await listen(asked)).getTracks());
      await context.resume();
      const source = context.createBufferSource();
      source.buffer = await context.decodeAudioData(await (await fetch(CLIP)).arrayBuffer());
      source.loop = true;
      const out = context.createMediaStreamDestination();
      source.connect(out);
      source.start();
      given.push(...out.stream.getTracks());
      return out.stream;
    });
  onTestFinished(async () => {
    mock.mockRestore();
    for (const track of real) track.stop();
    await context.close();
  });
  return given;
}

function open() {
  const dictation = createDictation(SETUP);
  onTestFinished(async () => {
    await dictation.wipe().catch(() => {});
    dictation.dispose();
  });
  return dictation;
}

type Opened = ReturnType<typeof open>;

async function record(dictation: Opened, deliver = () => true): Promise<string> {
  const { ok: isStarted } = await dictation.start({ deliver });
  const { notices } = dictation.getSnapshot();
  // Why not, where it was not.
  expect({ isStarted, notices }).toEqual({ isStarted: true, notices: [] });
  await until(() => dictation.getSnapshot().session.speechMs > 2_500, { timeout: 20_000 });
  return dictation.getSnapshot().session.id ?? '';
}

const heldBy = async (dictationId: string) => {
  const { held = [] } = await navigator.locks.query();
  return held.filter(({ name }) => name?.includes(dictationId)).map(({ name }) => name);
};

const waitsIn = (dictation: Opened, dictationId: string) => () =>
  dictation.getSnapshot().queue.items.some((item) => item.dictationId === dictationId);

test(
  'a recording whose page is left but kept is let go, and another page has what was said',
  PATIENT,
  async () => {
    const { dictation, tracks } = setUp();
    const dictationId = await record(dictation);
    expect(await heldBy(dictationId)).toContain(`diktera:page:${dictationId}`);
    leave();
    expect(dictation.getSnapshot().session).toMatchObject({ id: null, phase: 'idle' });
    await expect
      .poll(() => new Set(tracks.map((track) => track.readyState)))
      .toEqual(new Set(['ended']));
    await expect.poll(() => heldBy(dictationId)).toEqual([]);
    const other = open();
    other.prepare();
    await until(waitsIn(other, dictationId), RECOVERED);
  },
);

test('a page that has come back shows what waits, and records again', PATIENT, async () => {
  const { dictation } = setUp();
  const dictationId = await record(dictation);
  leave();
  comeBack();
  await until(waitsIn(dictation, dictationId), RECOVERED);
  expect(dictation.getSnapshot().session.phase).toBe('idle');
  const nextId = await record(dictation);
  expect(nextId).not.toBe(dictationId);
  expect(await dictation.stop()).not.toBeNull();
});

test(
  'left while its text is waited for, the stop ends, and the place in the field is given up',
  PATIENT,
  async () => {
    const { dictation } = setUp();
    const delivered = vi.fn(() => true);
    const dictationId = await record(dictation, delivered);
    const stopped = dictation.stop();
    leave();
    expect(await stopped).toMatchObject({ text: '' });
    expect(delivered.mock.calls).toEqual([
      [expect.objectContaining({ text: '' }), expect.anything()],
    ]);
    comeBack();
    await until(waitsIn(dictation, dictationId), RECOVERED);
  },
);

test('a page that is left for good, or opened, changes nothing', PATIENT, async () => {
  const { dictation } = setUp();
  comeBack(false);
  const dictationId = await record(dictation);
  leave(false);
  expect(dictation.getSnapshot().session).toMatchObject({ id: dictationId, phase: 'recording' });
  await dictation.stop();
});
