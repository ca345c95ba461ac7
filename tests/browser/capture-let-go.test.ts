import { expect } from 'vitest';
import { createMicrophoneCapture } from '../../src/capture/capture.ts';
import { browserCapturePorts } from '../../src/capture/capture-ports.ts';
import { collectFrames } from '../helpers/collect-frames.ts';
import { devTools } from '../helpers/dev-tools.ts';
import { inChromium } from '../helpers/engine.ts';

const ROUNDS = 4;

inChromium(
  'nothing of a recording that is over stays in memory (Firefox, WebKitGTK: a test cannot have garbage collected)',
  async () => {
    const contexts: WeakRef<AudioContext>[] = [];
    const ports = browserCapturePorts();
    const capture = createMicrophoneCapture({
      ...ports,
      createContext() {
        const context = ports.createContext();
        contexts.push(new WeakRef(context));
        return context;
      },
    });
    for (let round = 0; round < ROUNDS; round += 1) {
      const { framePort } = collectFrames();
      const handle = await capture.open({ deviceId: null, framePort, onLost: () => {} });
      await handle.end();
    }
    expect(contexts).toHaveLength(ROUNDS);
    await expect
      .poll(
        async () => {
          await devTools().send('HeapProfiler.collectGarbage', {});
          return contexts.filter((context) => context.deref()).length;
        },
        { timeout: 10_000 },
      )
      // The last one may still stand on the engine's stack.
      .toBeLessThanOrEqual(1);
  },
);
