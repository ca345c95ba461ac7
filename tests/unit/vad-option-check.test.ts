import { describe, expect, test } from 'vitest';
import {
  checkVadOptions,
  DEFAULT_VAD_OPTIONS,
  RECORDING_VAD_OPTIONS,
  type VadOptions,
} from '../../src/core/speech/vad-options.ts';

/** Checks options as a JavaScript caller might give them, and keeps the log lines. */
function check(options: Record<string, unknown>, base: VadOptions = DEFAULT_VAD_OPTIONS) {
  const errors: string[] = [];
  const warnings: string[] = [];
  const log = {
    error: (message: string) => errors.push(message),
    warn: (message: string) => warnings.push(message),
    info: () => expect.unreachable('nothing is logged as information'),
  };
  const checked = checkVadOptions(options as Partial<VadOptions>, base, log);
  return { checked, errors, warnings };
}

describe('good options', () => {
  test.each([
    ['none, default preset', {}, DEFAULT_VAD_OPTIONS],
    ['none, recording preset', {}, RECORDING_VAD_OPTIONS],
  ])('%s: the preset, and not a word', (_name, options, base) => {
    expect(check(options, base)).toEqual({ checked: base, errors: [], warnings: [] });
  });

  test('every limit is allowed', () => {
    const low = {
      positiveSpeechThreshold: 0,
      negativeSpeechThreshold: 0,
      redemptionFrames: 0,
      minSpeechFrames: 0,
      preSpeechPadFrames: 0,
    };
    const high = { positiveSpeechThreshold: 1, negativeSpeechThreshold: 1 };
    expect(check(low)).toEqual({
      checked: { ...low, frameSamples: 1_536 },
      errors: [],
      warnings: [],
    });
    expect(check(high).errors).toEqual([]);
    expect(check(high).checked).toMatchObject(high);
  });

  test('undefined is not given', () => {
    expect(check({ redemptionFrames: undefined, frameSamples: undefined })).toEqual({
      checked: DEFAULT_VAD_OPTIONS,
      errors: [],
      warnings: [],
    });
  });
});

describe('bad options are logged and replaced', () => {
  const count = 'a finite number, 0 or more';
  test.each<[Record<string, unknown>, string, Partial<VadOptions>]>([
    [
      { positiveSpeechThreshold: 1.01 },
      'positiveSpeechThreshold should be a number from 0 to 1, not 1.01; using 0.5',
      { positiveSpeechThreshold: 0.5 },
    ],
    [
      { positiveSpeechThreshold: -0.1 },
      'positiveSpeechThreshold should be a number from 0 to 1, not -0.1; using 0.5',
      { positiveSpeechThreshold: 0.5 },
    ],
    [
      { positiveSpeechThreshold: Number.NaN },
      'positiveSpeechThreshold should be a number from 0 to 1, not NaN; using 0.5',
      { positiveSpeechThreshold: 0.5 },
    ],
    [
      { positiveSpeechThreshold: '0.8' },
      'positiveSpeechThreshold should be a number from 0 to 1, not "0.8"; using 0.5',
      { positiveSpeechThreshold: 0.5 },
    ],
    [
      { positiveSpeechThreshold: 0.8, negativeSpeechThreshold: 0.81 },
      'negativeSpeechThreshold should be a number from 0 to 0.8, not 0.81; using 0.35',
      { positiveSpeechThreshold: 0.8, negativeSpeechThreshold: 0.35 },
    ],
    [
      { negativeSpeechThreshold: -1 },
      'negativeSpeechThreshold should be a number from 0 to 0.5, not -1; using 0.35',
      { negativeSpeechThreshold: 0.35 },
    ],
    [
      { positiveSpeechThreshold: 0.2 },
      'negativeSpeechThreshold should be a number from 0 to 0.2, not 0.35; using 0.2',
      { positiveSpeechThreshold: 0.2, negativeSpeechThreshold: 0.2 },
    ],
    [
      { redemptionFrames: -1 },
      `redemptionFrames should be ${count}, not -1; using 8`,
      { redemptionFrames: 8 },
    ],
    [
      { redemptionFrames: Number.POSITIVE_INFINITY },
      `redemptionFrames should be ${count}, not Infinity; using 8`,
      { redemptionFrames: 8 },
    ],
    [
      { preSpeechPadFrames: -2 },
      `preSpeechPadFrames should be ${count}, not -2; using 1`,
      { preSpeechPadFrames: 1 },
    ],
    [
      { preSpeechPadFrames: null },
      `preSpeechPadFrames should be ${count}, not null; using 1`,
      { preSpeechPadFrames: 1 },
    ],
    [
      { minSpeechFrames: -3 },
      `minSpeechFrames should be ${count}, not -3; using 3`,
      { minSpeechFrames: 3 },
    ],
    [
      { minSpeechFrames: {} },
      `minSpeechFrames should be ${count}, not object; using 3`,
      { minSpeechFrames: 3 },
    ],
  ])('%j', (options, line, changed) => {
    expect(check(options)).toEqual({
      checked: { ...DEFAULT_VAD_OPTIONS, ...changed },
      errors: [line],
      warnings: [],
    });
  });

  test('the negative threshold is held against the positive one that is used', () => {
    const { checked, errors } = check(
      { positiveSpeechThreshold: 7, negativeSpeechThreshold: 0.9 },
      RECORDING_VAD_OPTIONS,
    );
    expect(checked).toEqual(RECORDING_VAD_OPTIONS);
    expect(errors).toEqual([
      'positiveSpeechThreshold should be a number from 0 to 1, not 7; using 0.8',
      'negativeSpeechThreshold should be a number from 0 to 0.8, not 0.9; using 0.35',
    ]);
  });
});

describe('frame size', () => {
  test.each<[unknown, string]>([
    [512, 'frameSamples 512 is not used here; frames hold 1536 samples'],
    [1_024, 'frameSamples 1024 is not used here; frames hold 1536 samples'],
    [700, 'frameSamples 700 is unusual (usual are 512, 1024, 1536); frames hold 1536 samples'],
    [-1, 'frameSamples -1 is unusual (usual are 512, 1024, 1536); frames hold 1536 samples'],
    [
      Number.NaN,
      'frameSamples NaN is unusual (usual are 512, 1024, 1536); frames hold 1536 samples',
    ],
    [
      '1536',
      'frameSamples "1536" is unusual (usual are 512, 1024, 1536); frames hold 1536 samples',
    ],
  ])('%s is a warning', (frameSamples, line) => {
    expect(check({ frameSamples })).toEqual({
      checked: DEFAULT_VAD_OPTIONS,
      errors: [],
      warnings: [line],
    });
  });

  test('1536 is what we use', () => {
    expect(check({ frameSamples: 1_536 }).warnings).toEqual([]);
  });
});
