import { expect, test } from 'vitest';
import { FailureNotices } from '../../src/benchmark/ResultSection.tsx';
import { render } from '../helpers/render.tsx';

test('an engine that stopped answering is told of in plain words, others as they say', () => {
  const { host } = render(
    <FailureNotices
      failures={[
        {
          key: { engine: 'ort', threads: 2 },
          error: { code: 'worker-timeout', message: 'not for people' },
        },
        {
          key: { engine: 'ort', threads: 4 },
          error: { code: 'engine-failed', message: 'out of memory' },
        },
      ]}
    />,
  );
  const notices = [...host.querySelectorAll('.benchmark-notice')];
  expect(notices.map(({ textContent }) => textContent)).toEqual([
    'Gick inte att mäta: onnxruntime-web, 2 trådar. Den slutade svara.',
    'Gick inte att mäta: onnxruntime-web, 4 trådar. out of memory',
  ]);
});
