import { expect, test } from 'vitest';
import { createMicrophoneCapture } from '../../src/capture/capture.ts';
import { browserCapturePorts } from '../../src/capture/capture-ports.ts';
import { watchedPorts } from '../helpers/capture-edges.ts';
import { collectFrames } from '../helpers/collect-frames.ts';
import { isChromium } from '../helpers/engine.ts';

const when = isChromium ? 'once the press has been answered' : 'in the press itself';

test(`the audio context, which keeps the page busy, is made ${when}`, async () => {
  const told: string[] = [];
  const watched = watchedPorts({
    createContext() {
      told.push('context');
      return browserCapturePorts().createContext();
    },
  });
  const opening = createMicrophoneCapture(watched.ports).open({
    deviceId: null,
    framePort: collectFrames().framePort,
    onLost: () => {},
  });
  if (isChromium) requestAnimationFrame(() => told.push('answer drawn'));
  else setTimeout(() => told.push('press over'));
  const handle = await opening;
  const expected = isChromium ? ['answer drawn', 'context'] : ['context', 'press over'];
  expect(told).toEqual(expected);
  await handle.end();
});
