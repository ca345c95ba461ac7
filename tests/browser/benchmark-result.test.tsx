import { expect, test } from 'vitest';
import { ResultSection } from '../../src/benchmark/ResultSection.tsx';
import { render } from '../helpers/render.tsx';

const MACHINE = { browser: 'Firefox 140', cores: 2, isIsolated: true };

test('an engine that stopped answering is told of in plain words, others as they say', () => {
  const { host } = render(
    <ResultSection
      result={{
        report: {
          kind: 'diktera-benchmark',
          machine: MACHINE,
          date: '2026-11-26T12:00:00.000Z',
          audio: { name: 'speech.wav', seconds: 1 },
          rows: [],
        },
        outcome: {
          rows: [],
          failures: [
            {
              key: { engine: 'ort', model: 'v6', threads: 4 },
              error: { code: 'worker-timeout', message: 'not for people' },
            },
            {
              key: { engine: 'ort', model: 'v4', threads: 4 },
              error: { code: 'engine-failed', message: 'out of memory' },
            },
          ],
          probabilities: new Map(),
        },
        audio: { name: 'speech.wav', samples: new Float32Array(16_000), isCut: false },
      }}
    />,
  );
  const notices = [...host.querySelectorAll('.benchmark-notice')];
  expect(notices.map(({ textContent }) => textContent)).toEqual([
    'Gick inte att mäta: onnxruntime-web v6.2, 4 trådar. Den slutade svara.',
    'Gick inte att mäta: onnxruntime-web v4, 4 trådar. out of memory',
  ]);
});
