import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createHighBandMeter, peakDbfs, rmsDbfs } from '../../src/core/audio/level.ts';
import {
  createMicrophoneDiagnostics,
  type DiagnosticFacts,
} from '../../src/core/audio/microphone-diagnostics.ts';
import { lowPass } from '../helpers/low-pass.ts';
import { readWave } from '../helpers/read-wave.ts';

const FRAME = 1_536;
const FRAMES_IN_3_S = 32;
const SPEECH: DiagnosticFacts = {
  levelDbfs: -30,
  peakDbfs: -18,
  highBandDbfs: -45,
  isSpeaking: true,
  isInferred: true,
};
const ROOM: DiagnosticFacts = { ...SPEECH, levelDbfs: -62, peakDbfs: -50, isSpeaking: false };
const DEAD: DiagnosticFacts = { ...ROOM, levelDbfs: -100, peakDbfs: -100, highBandDbfs: -100 };

/** The diagnosis after each group of frames, given one after the other. */
function diagnoses(...stretches: readonly (readonly [frames: number, facts: DiagnosticFacts])[]) {
  const diagnostics = createMicrophoneDiagnostics();
  return stretches.map(([frames, facts]) => {
    let found = diagnostics.examine(facts);
    for (let frame = 1; frame < frames; frame += 1) found = diagnostics.examine(facts);
    return found;
  });
}

describe('nothing heard', () => {
  test('for 3 s, and well again with the first word', () => {
    const said = diagnoses([FRAMES_IN_3_S - 1, ROOM], [1, ROOM], [1, SPEECH]);
    expect(said).toEqual([null, 'silent', null]);
  });

  test('after the first word only what is dead is silent, not a pause in a quiet room', () => {
    const said = diagnoses([5, SPEECH], [99, ROOM], [FRAMES_IN_3_S, DEAD], [1, ROOM]);
    expect(said).toEqual([null, null, 'silent', null]);
  });

  test('without an engine any sound is heard, and nothing is said of speech', () => {
    const notInferred = { isSpeaking: true, isInferred: false };
    const quiet = { ...ROOM, ...notInferred, highBandDbfs: -100 };
    expect(diagnoses([99, quiet], [FRAMES_IN_3_S, { ...DEAD, ...notInferred }])).toEqual([
      null,
      'silent',
    ]);
  });
});

test('clipping: three frames of the last two seconds of speech, and gone after them', () => {
  const clipped = { ...SPEECH, peakDbfs: 0 };
  expect(diagnoses([2, clipped], [1, clipped], [20, SPEECH])).toEqual([null, 'clipping', null]);
});

test('too quiet: two seconds of faint speech, and gone with a louder word', () => {
  const faint = { ...SPEECH, levelDbfs: -56, highBandDbfs: -70 };
  expect(diagnoses([20, faint], [1, faint], [1, SPEECH])).toEqual([null, 'quiet', null]);
});

/** Real audio as frames; everything near the loudest frame counts as speech. */
function spoken(samples: Float32Array): DiagnosticFacts[] {
  const meter = createHighBandMeter();
  const frames = Array.from({ length: Math.floor(samples.length / FRAME) }, (_, index) => {
    const frame = samples.subarray(index * FRAME, (index + 1) * FRAME);
    const highBandDbfs = meter.measure(frame);
    return { levelDbfs: rmsDbfs(frame), peakDbfs: peakDbfs(frame), highBandDbfs };
  });
  const loudest = Math.max(...frames.map(({ levelDbfs }) => levelDbfs));
  return frames.map((frame) => {
    return { ...frame, isSpeaking: frame.levelDbfs > loudest - 30, isInferred: true };
  });
}

/** All that was found in a stretch of audio, said three times over. */
function found(samples: Float32Array): Set<string | null> {
  const diagnostics = createMicrophoneDiagnostics();
  const frames = spoken(samples);
  return new Set([...frames, ...frames, ...frames].map((frame) => diagnostics.examine(frame)));
}

function at16Bits(samples: Float32Array, gain: number): Float32Array {
  return samples.map((sample) => Math.round(sample * gain * 32_767) / 32_767);
}

describe.each([
  ['speech-en', 1],
  ['dictation-one', 3],
  ['dictation-two', 3],
] as const)("a telephone's band: %s", (name, everySamples) => {
  const { buffer } = Uint8Array.from(readFileSync(`tests/fixtures/${name}.wav`));
  const wide = readWave(buffer, everySamples);

  test('is not heard in a microphone of full band, be it dull or faint', () => {
    expect(found(wide)).not.toContain('narrow-band');
    expect(found(lowPass(wide, 5_500))).not.toContain('narrow-band');
    expect(found(at16Bits(wide, 0.03))).not.toContain('narrow-band');
  });

  test('is heard in 3.4 kHz, once 5 s of speech are there', () => {
    const narrow = at16Bits(lowPass(wide, 3_400), 1);
    expect(found(narrow)).toContain('narrow-band');
  });
});

describe("a telephone's band", () => {
  const narrow = { ...SPEECH, highBandDbfs: -95 };

  test('wants 5 s of speech, forgives two clicks, and is gone with three sounds of s', () => {
    const click = { ...narrow, highBandDbfs: -35 };
    expect(diagnoses([52, narrow], [1, narrow], [2, click], [1, click])).toEqual([
      null,
      'narrow-band',
      'narrow-band',
      null,
    ]);
  });

  test('is never heard in a quiet room, however little is above it', () => {
    const hum = { ...ROOM, levelDbfs: -40, highBandDbfs: -100 };
    expect(diagnoses([3, SPEECH], [300, hum])).toEqual([null, null]);
  });
});
