import { MicVAD } from '@ricky0123/vad-web';
import { VAD_WEB_FILES } from './vad-web-files.ts';

const state = document.querySelector('#state');
let frames = 0;

const vad = await MicVAD.new({
  model: 'v6',
  baseAssetPath: VAD_WEB_FILES,
  onnxWASMBasePath: VAD_WEB_FILES,
  onFrameProcessed: () => {
    frames += 1;
    if (frames === 10) state?.replaceChildren('listening');
  },
});
await vad.start();
