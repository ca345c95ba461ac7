import { expect, test, vi } from 'vitest';
import { createWorkletLink } from '../../src/capture/audio-graph.ts';

test('a closed link leaves nothing on its node, which the browser may keep for good', () => {
  const port = { onmessage: null, postMessage: vi.fn(), close: vi.fn() };
  const node = { port, onprocessorerror: null };
  const link = createWorkletLink(node as unknown as AudioWorkletNode);
  expect(port.onmessage).not.toBeNull();
  link.close();
  expect(node).toMatchObject({ onprocessorerror: null, port: { onmessage: null } });
  expect(port.close).toHaveBeenCalledTimes(1);
});
