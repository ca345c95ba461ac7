import { FRAME_SAMPLES, SAMPLE_RATE_HZ } from '../../../src/core/audio/audio-format.ts';
import workletUrl from './count.worklet.js?url';
import { VAD_WEB_FILES } from './vad-web-files.ts';

/** Ends the recording, and resolves when the page is ready for the next press. */
type Release = () => Promise<unknown>;

/** Resolves when the first frame has been heard (the microphone alone) or inferred (the others). */
type Press = () => Promise<Release>;

const parameters = new URLSearchParams(location.search);
const state = parameters.get('state');

/** The preparation of each page before the press. */
const PAGES: Readonly<Record<string, () => Promise<Press>>> = {
  microphone: async () => pressMicrophone,
  async diktera() {
    const { createDictation } = await import('../../../src/create-dictation.ts');
    const dictation = createDictation();
    // Else everything loads while the microphone opens.
    if (state === 'read') dictation.prepare();
    return () =>
      new Promise((resolve, reject) => {
        const unsubscribe = dictation.subscribe(() => {
          const { isRecording, accumulatedRecordingMs } = dictation.getSnapshot().session;
          if (!isRecording || accumulatedRecordingMs === 0) return;
          unsubscribe();
          resolve(dictation.stop);
        });
        dictation
          .start()
          .then((isRecording) => isRecording || reject(new Error('The recording did not begin')));
      });
  },
  async 'vad-web'() {
    const { MicVAD } = await import('@ricky0123/vad-web');
    return () =>
      new Promise((resolve, reject) => {
        const created = MicVAD.new({
          model: 'v6',
          baseAssetPath: VAD_WEB_FILES,
          onnxWASMBasePath: VAD_WEB_FILES,
          onFrameProcessed: () => resolve(() => created.then((vad) => vad.destroy())),
        });
        created.then((vad) => vad.start()).catch(reject);
      });
  },
};

/**
 * The least anybody needs: microphone, context, worklet, and the time it takes to speak a frame.
 */
async function pressMicrophone(): Promise<Release> {
  const listening = navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation: true, noiseSuppression: false, autoGainControl: false },
  });
  const context = new AudioContext();
  const adding = context.audioWorklet.addModule(workletUrl);
  const [stream] = await Promise.all([listening, adding]);
  const seconds = FRAME_SAMPLES / SAMPLE_RATE_HZ;
  const node = new AudioWorkletNode(context, 'count', { processorOptions: { seconds } });
  context.createMediaStreamSource(stream).connect(node).connect(context.destination);
  await new Promise((resolve) => {
    node.port.onmessage = resolve;
  });
  return () => {
    for (const track of stream.getTracks()) track.stop();
    return context.close();
  };
}

const page = PAGES[parameters.get('page') ?? ''];
if (!page) throw new Error('Which page?');
const press = await page();
if (state === 'again') await (await press())();

async function pressToFrameMs(): Promise<number> {
  const pressedMs = performance.now();
  await press();
  return performance.now() - pressedMs;
}

Object.assign(globalThis, { pressToFrameMs });
document.querySelector('#state')?.replaceChildren('ready');
