import { expect, test } from 'vitest';
import { createLevelMeter, type MeterPen } from '../../src/core/audio/level-meter.ts';

function countingPen() {
  const drawn = { pictures: 0, bars: 0 };
  const pen: MeterPen = {
    fillStyle: '',
    globalAlpha: 1,
    scale() {},
    clearRect: () => {
      drawn.pictures += 1;
      drawn.bars = 0;
    },
    beginPath() {},
    roundRect: () => {
      drawn.bars += 1;
    },
    fill() {},
  };
  return { pen, drawn };
}

test('what looks the same is not drawn again: a quiet room costs no pictures', () => {
  const { pen, drawn } = countingPen();
  const meter = createLevelMeter(pen, 1, 'black');
  const quiet = (levelDbfs: number) => meter.show({ levelDbfs, isSpeaking: false });
  for (let reading = 0; reading < 24; reading += 1) quiet(-70);
  const { pictures } = drawn;
  quiet(-66);
  quiet(-90);
  expect(drawn.pictures).toBe(pictures);
  meter.show({ levelDbfs: -20, isSpeaking: true });
  expect(drawn).toEqual({ pictures: pictures + 1, bars: 24 });
  // It moves to the left.
  quiet(-70);
  expect(drawn.pictures).toBe(pictures + 2);
});
