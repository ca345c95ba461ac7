import { expect, test } from 'vitest';
import { checkSessionOptions, checkVadOptions } from '../../src/core/options/check-options.ts';
import {
  completeOptions,
  DEFAULT_SESSION_OPTIONS,
  type GivenSessionOptions,
} from '../../src/core/options/dictation-options.ts';
import {
  DEFAULT_VAD_OPTIONS,
  RECORDING_VAD_OPTIONS,
  VAD_PRESETS,
  type VadOptions,
} from '../../src/core/speech/vad-options.ts';

test('one option of the speech gate, or a preset, may be given without the others', () => {
  const { vad } = DEFAULT_SESSION_OPTIONS;
  const one = completeOptions({ vad: { redemptionFrames: 4 } }, DEFAULT_SESSION_OPTIONS);
  expect(one).toEqual({ ...DEFAULT_SESSION_OPTIONS, vad: { ...vad, redemptionFrames: 4 } });
  const preset = completeOptions({ vad: VAD_PRESETS.sensitive }, DEFAULT_SESSION_OPTIONS);
  expect(preset.vad).toEqual(VAD_PRESETS.sensitive);
});

test('an option named without a value counts as left out; null is a value', () => {
  const given = {
    language: undefined,
    vad: { redemptionFrames: undefined },
    maxAudioDurationMs: null,
  } as unknown as GivenSessionOptions;
  const base = { ...DEFAULT_SESSION_OPTIONS, language: 'sv', maxAudioDurationMs: 1_000 };
  expect(completeOptions(given, base)).toEqual({ ...base, maxAudioDurationMs: null });
});

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

test.each<[string, Record<string, unknown>, VadOptions?]>([
  ['none', {}],
  ['none over another preset', {}, RECORDING_VAD_OPTIONS],
  ['undefined', { redemptionFrames: undefined, frameSamples: undefined }],
  ['the usual frame', { frameSamples: 1_536 }],
  ['zeros', { positiveSpeechThreshold: 0, negativeSpeechThreshold: 0, redemptionFrames: 0 }],
  ['no frames', { minSpeechFrames: 0, preSpeechPadFrames: 0 }],
  ['ones', { positiveSpeechThreshold: 1, negativeSpeechThreshold: 1 }],
])('good options of the gate are taken, and nothing is logged: %s', (_what, options, base) => {
  const { redemptionFrames = 8, ...given } = options;
  const wanted = base ?? {
    ...DEFAULT_VAD_OPTIONS,
    redemptionFrames,
    ...given,
    frameSamples: 1_536,
  };
  expect(check(options, base)).toEqual({ checked: wanted, errors: [], warnings: [] });
});

const COUNT = 'a finite number, 0 or more';
const POSITIVE = 'positiveSpeechThreshold';
const NEGATIVE = 'negativeSpeechThreshold';

test.each<[string, unknown, string]>([
  [POSITIVE, 1.01, 'a number from 0 to 1, not 1.01; using 0.5'],
  [POSITIVE, -0.1, 'a number from 0 to 1, not -0.1; using 0.5'],
  [POSITIVE, Number.NaN, 'a number from 0 to 1, not NaN; using 0.5'],
  [POSITIVE, '0.8', 'a number from 0 to 1, not "0.8"; using 0.5'],
  [NEGATIVE, -1, 'a number from 0 to 0.5, not -1; using 0.35'],
  ['redemptionFrames', -1, `${COUNT}, not -1; using 8`],
  ['redemptionFrames', Number.POSITIVE_INFINITY, `${COUNT}, not Infinity; using 8`],
  ['preSpeechPadFrames', null, `${COUNT}, not null; using 1`],
  ['minSpeechFrames', {}, `${COUNT}, not object; using 3`],
])('a bad one is logged and replaced: %s %s', (name, value, rest) => {
  const errors = [`${name} should be ${rest}`];
  expect(check({ [name]: value })).toEqual({ checked: DEFAULT_VAD_OPTIONS, errors, warnings: [] });
});

test.each<[number, number | undefined, VadOptions, number, number, string[]]>([
  [0.8, 0.81, DEFAULT_VAD_OPTIONS, 0.8, 0.35, [`${NEGATIVE} 0.8 0.81 0.35`]],
  [0.2, undefined, DEFAULT_VAD_OPTIONS, 0.2, 0.2, [`${NEGATIVE} 0.2 0.35 0.2`]],
  [7, 0.9, RECORDING_VAD_OPTIONS, 0.8, 0.35, [`${POSITIVE} 1 7 0.8`, `${NEGATIVE} 0.8 0.9 0.35`]],
])('the negative threshold is held against the positive one in use: %d, %d', (...row) => {
  const [positive, negative, base, usedPositive, usedNegative, faults] = row;
  const { checked, errors } = check({ [POSITIVE]: positive, [NEGATIVE]: negative }, base);
  expect(checked).toEqual({ ...base, [POSITIVE]: usedPositive, [NEGATIVE]: usedNegative });
  expect(errors).toEqual(
    faults.map((fault) => {
      const [name, max, given, used] = fault.split(' ');
      return `${name} should be a number from 0 to ${max}, not ${given}; using ${used}`;
    }),
  );
});

test.each<[unknown, string]>([
  [512, '512 is not used here'],
  [700, '700 is unusual (usual are 512, 1024, 1536)'],
  ['1536', '"1536" is unusual (usual are 512, 1024, 1536)'],
])('another frame size is a warning: %s', (frameSamples, words) => {
  const warnings = [`frameSamples ${words}; frames hold 1536 samples`];
  expect(check({ frameSamples })).toEqual({ checked: DEFAULT_VAD_OPTIONS, errors: [], warnings });
});

test('an option of a recording that is none, and a language that can be none, are logged', () => {
  const errors: string[] = [];
  const log = { error: (message: string) => errors.push(message), warn() {}, info() {} };
  const misspelt = { languge: 'en', language: 5 } as object;
  const complete = completeOptions(misspelt, DEFAULT_SESSION_OPTIONS);
  expect(checkSessionOptions(complete, log).language).toBe(DEFAULT_SESSION_OPTIONS.language);
  expect(errors).toEqual([
    expect.stringMatching(/^languge is no option; there are .*language/),
    'language is 5, must be a string',
  ]);
});
