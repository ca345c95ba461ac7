import workletUrl from './post-blocks.worklet.js?url';

/** The least that a page needs to take what is said: nobody listens to what the worklet posts. */
const stream = await navigator.mediaDevices.getUserMedia({
  audio: { echoCancellation: true, noiseSuppression: false, autoGainControl: false },
});
const context = new AudioContext();
await context.audioWorklet.addModule(workletUrl);
const node = new AudioWorkletNode(context, 'post-blocks', { numberOfOutputs: 0 });
context.createMediaStreamSource(stream).connect(node);
document.querySelector('#state')?.replaceChildren('recording');
