import { expect, test } from 'vitest';
import type { LevelReading } from '../../src/core/audio/level-meter.ts';
import { createLevelMeters } from '../../workers/snapshot-publisher.ts';

function meter() {
  const told: LevelReading[] = [];
  const port = {
    postMessage: (reading: LevelReading) => void told.push(reading),
    close() {},
    onmessage: null as ((event: { readonly data: unknown }) => void) | null,
  };
  return { told, port, asPort: port as unknown as MessagePort };
}

const soft: LevelReading = { levelDbfs: -50, isSpeaking: true };
const loud: LevelReading = { levelDbfs: -20, isSpeaking: false };

test('each meter is told the first frame, then as many at a time as it asked for', () => {
  const meters = createLevelMeters();
  const [every, second] = [meter(), meter()];
  meters.add(every.asPort, 1);
  meters.add(second.asPort, 2);
  for (const reading of [soft, loud, soft, soft, loud]) meters.tell(reading);
  expect(every.told).toEqual([soft, loud, soft, soft, loud]);
  const both = { levelDbfs: -20, isSpeaking: true };
  expect(second.told).toEqual([soft, both, both]);
});

test('a meter that has ended is told nothing more', () => {
  const meters = createLevelMeters();
  const { told, port, asPort } = meter();
  meters.add(asPort, 1);
  meters.tell(soft);
  port.onmessage?.({ data: 'end' });
  meters.tell(loud);
  expect(told).toEqual([soft]);
});
