import { beforeEach, expect, test, vi } from 'vitest';
import { createDistantDictation } from '../../src/extension/distant-dictation.ts';
import { createDictationServer } from '../../src/extension/serve-dictation.ts';
import { connectPort } from '../helpers/extension-port.ts';
import { createFakeDictation, type FakeDictation } from '../helpers/fake-dictation.ts';
import { makeQueueItem } from '../helpers/queue-items.ts';
import { until } from '../helpers/until.ts';

const ID = 'abcdefghijklmnopabcdefghijklmnop';
const OWN = `chrome-extension://${ID}`;
const PAGE = 'https://mail.example.com';

let dictation: FakeDictation;
let server: ReturnType<typeof createDictationServer>;
/** Ends the ports that are open, as an offscreen document or a page that goes does. */
let cuts: (() => void)[] = [];

/** Connects whoever asks next as a page of this origin. */
function connectAs(origin: string): void {
  const connect = () => {
    const { port, cut } = connectPort(server, { id: ID, origin });
    cuts.push(cut);
    return port;
  };
  vi.stubGlobal('chrome', { runtime: { id: ID, connect, sendMessage: async () => true } });
}

beforeEach(() => {
  vi.stubGlobal('location', { origin: OWN });
  dictation = createFakeDictation();
  server = createDictationServer(dictation);
  cuts = [];
});

// The globals stay until the process ends: what was connected looks at them half a second later.

async function connected(origin: string) {
  connectAs(origin);
  const distant = createDistantDictation({ onCutOff() {} });
  distant.prepare();
  await until(() => dictation.calls.includes('prepare'));
  return distant;
}

const OTHERS = makeQueueItem({ dictationId: 'of another page' });

test('a frame is not told of what was dictated elsewhere, and may not ask for it', async () => {
  const distant = await connected(PAGE);
  dictation.setQueue([OTHERS]);
  dictation.setSession({
    id: 'of another page',
    phase: 'recording',
    isRecording: true,
    live: { finalText: 'secret', firm: '', tentative: '' },
    transcriptions: new Map([[0, 'secret']]),
  });
  await until(() => distant.getSnapshot().session.isRecording);
  const { session, queue } = distant.getSnapshot();
  expect(session).toMatchObject({ live: null, transcriptions: new Map() });
  expect(queue.items).toEqual([]);
  await expect(distant.audio('of another page')).rejects.toThrow(/not begun here/);
  await expect(distant.recordings.transcripts('of another page')).rejects.toThrow(/not begun here/);
  await expect(distant.wipe()).rejects.toThrow(/not begun here/);
  expect(await distant.takeText('of another page', async () => true)).toBe(false);
  await distant.stop();
  expect(dictation.calls).not.toContain('stop');
});

test('nothing that a frame is told lets it ask for what was dictated elsewhere', async () => {
  const distant = await connected(PAGE);
  dictation.setSession({ id: 'spoken elsewhere', phase: 'recording', isRecording: true });
  dictation.set({ awaited: ['on its way elsewhere'], cancelled: 'cancelled elsewhere' });
  await until(() => distant.getSnapshot().session.isRecording);
  expect(JSON.stringify(distant.getSnapshot())).not.toContain('elsewhere');
  // Another recording is seen as another.
  const { id } = distant.getSnapshot().session;
  dictation.setSession({ id: 'again elsewhere' });
  await until(() => distant.getSnapshot().session.id !== id);
  expect(JSON.stringify(distant.getSnapshot())).not.toContain('elsewhere');
});

test('a frame is not told the address of the server by what fails', async () => {
  const distant = await connected(PAGE);
  await distant.start({ deliver: async () => true });
  const { id = '' } = dictation.started[0] ?? {};
  const error = {
    code: 'http-network',
    message: 'POST https://asr.clinic.example/api: gone',
  } as const;
  const state = { kind: 'refused', error } as const;
  dictation.set({
    server: { kind: 'unavailable', error },
    notices: [{ kind: 'upload-failed', error }],
    kept: [{ dictationId: id, startedAtMs: 1, durationSamples: 1, error }],
  });
  dictation.setQueue([makeQueueItem({ dictationId: id, state })]);
  await until(() => distant.getSnapshot().queue.items.length === 1);
  const told = distant.getSnapshot();
  expect(told.server).toMatchObject({ kind: 'unavailable', error: { code: 'http-network' } });
  expect(told.notices).toHaveLength(1);
  expect(JSON.stringify(told)).not.toContain('clinic');
  vi.spyOn(dictation.recordings, 'transcribeAgain').mockRejectedValue(new Error(error.message));
  await expect(distant.recordings.transcribeAgain(id)).rejects.toThrow(/^(?!.*clinic)/);
});

test('a frame is not shown how loud it is where another one is spoken into', async () => {
  const distant = await connected(PAGE);
  await distant.start({ deliver: async () => true });
  const { id } = dictation.started[0] ?? {};
  dictation.setSession({ id: id ?? '' });
  const heard: number[] = [];
  const meter = distant.levels(1);
  meter.addEventListener('message', ({ data }) => void heard.push(data.levelDbfs));
  meter.start();
  await until(() => {
    dictation.hear(-20, true);
    return heard.length > 0;
  });
  dictation.setSession({ id: 'of another page' });
  dictation.hear(-30, true);
  dictation.setSession({ id: id ?? '' });
  dictation.hear(-40, true);
  await until(() => heard.includes(-40));
  expect(heard).not.toContain(-30);
});

test('notices are for the frame that asked last, and those of what waits for whose it is', async () => {
  const refused = { kind: 'text-not-inserted', error: null } as const;
  const switched = { kind: 'microphone-switched', error: null } as const;
  const first = await connected(PAGE);
  const second = await connected(PAGE);
  await first.start({ deliver: async () => false });
  dictation.setQueue([OTHERS]);
  dictation.set({ notices: [refused, switched] });
  await until(() => first.getSnapshot().notices.length > 0);
  expect(first.getSnapshot().notices).toEqual([switched]);
  expect(second.getSnapshot().notices).toEqual([]);
  const { id } = first.getSnapshot().session;
  dictation.setQueue([OTHERS, makeQueueItem({ dictationId: id ?? '' })]);
  await until(() => first.getSnapshot().notices.length === 2);
  await second.start({ deliver: async () => false });
  dictation.set({ notices: [refused] });
  await until(() => first.getSnapshot().notices.length === 0);
});

test('a page of the extension is told of all', async () => {
  const distant = await connected(OWN);
  dictation.setQueue([OTHERS]);
  await until(() => distant.getSnapshot().queue.items.length === 1);
  expect(await distant.audio('of another page')).toBeNull();
});

test('a recording is seen as starting at once, and its text is answered by what became of it', async () => {
  const distant = await connected(PAGE);
  const given: string[] = [];
  const starting = distant.start({
    deliver: async ({ text }) => {
      given.push(text);
      return 'altered' as const;
    },
  });
  const { id, phase } = distant.getSnapshot().session;
  expect(phase).toBe('starting');
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect((await starting).ok).toBe(true);
  expect(dictation.started[0]?.id).toBe(id);
  void dictation.stop();
  expect(await dictation.deliver('spoken words')).toBe('altered');
  expect(given).toEqual(['spoken words']);
});

test('a recorder that cannot be started: it is said, and can be dismissed', async () => {
  connectAs(PAGE);
  vi.stubGlobal('chrome', {
    runtime: { ...chrome.runtime, sendMessage: async () => null },
  });
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const distant = createDistantDictation({ onCutOff() {} });
  expect((await distant.start({ deliver: async () => true })).ok).toBe(false);
  const { session, notices } = distant.getSnapshot();
  expect(session.phase).toBe('idle');
  expect(notices.map(({ kind }) => kind)).toEqual(['audio-graph-failed']);
  distant.dismissNotice('audio-graph-failed');
  expect(distant.getSnapshot().notices).toEqual([]);
  expect(dictation.calls).toEqual([]);
});

test('a page that goes while it records: the recording ends, and nobody takes its text', async () => {
  const distant = await connected(PAGE);
  await distant.start({ deliver: () => new Promise(() => {}) });
  for (const cut of cuts) cut();
  await until(() => dictation.calls.includes('stop'));
  expect(await dictation.deliver('spoken words')).toBe(false);
});

test('what is left out arrives as left out, not as null', async () => {
  const distant = await connected(OWN);
  const stopped = vi.spyOn(dictation, 'stop');
  await distant.start({ deliver: async () => true });
  await distant.stop();
  expect(stopped).toHaveBeenCalledWith(undefined);
});
