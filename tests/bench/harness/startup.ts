import { FRAME_SAMPLES, SAMPLE_RATE_HZ } from '../../../src/core/audio/audio-format.ts';
import workletUrl from './count.worklet.js?url';
import { VAD_WEB_FILES } from './vad-web-files.ts';

/** Resolves when the first frame has been heard (the microphone alone) or inferred (the others). */
type Press = () => Promise<void>;

const parameters = new URLSearchParams(location.search);
/** Whether the page has been open for a while when it is pressed. */
const isRead = parameters.get('state') === 'read';

/** What each page has ready when it can be pressed: what it may know before the press. */
const PAGES: Readonly<Record<string, () => Promise<Press>>> = {
  microphone: async () => pressMicrophone,
  async diktera() {
    const { createDictation } = await import('../../../src/create-dictation.ts');
    const dictation = createDictation();
    // Else everything loads while the microphone opens.
    if (isRead) dictation.prepare();
    return () =>
      new Promise((resolve, reject) => {
        dictation.subscribe(() => {
          if (dictation.getSnapshot().session.accumulatedRecordingMs > 0) resolve();
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
        MicVAD.new({
          model: 'v6',
          baseAssetPath: VAD_WEB_FILES,
          onnxWASMBasePath: VAD_WEB_FILES,
          onFrameProcessed: () => resolve(),
        })
          .then((vad) => vad.start())
          .catch(reject);
      });
  },
};

/**
 * The least anybody needs: microphone, context, worklet, and the time it takes to speak a frame.
 */
async function pressMicrophone(): Promise<void> {
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
}

const page = PAGES[parameters.get('page') ?? ''];
if (!page) throw new Error('Which page?');
const press = await page();

async function pressToFrameMs(): Promise<number> {
  const pressedMs = performance.now();
  await press();
  return performance.now() - pressedMs;
}

Object.assign(globalThis, { pressToFrameMs });
document.querySelector('#state')?.replaceChildren('ready');
