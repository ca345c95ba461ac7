import { expect, test } from 'vitest';
import {
  completeOptions,
  DEFAULT_SESSION_OPTIONS,
  type GivenSessionOptions,
} from '../../src/core/options/dictation-options.ts';
import { VAD_PRESETS } from '../../src/core/speech/vad-options.ts';

test('one option of the speech gate may be given without the others', () => {
  const options = completeOptions({ vad: { redemptionFrames: 4 } }, DEFAULT_SESSION_OPTIONS);
  expect(options).toEqual({
    ...DEFAULT_SESSION_OPTIONS,
    vad: { ...DEFAULT_SESSION_OPTIONS.vad, redemptionFrames: 4 },
  });
});

test('a preset may be given as it is', () => {
  const { vad } = completeOptions({ vad: VAD_PRESETS.sensitive }, DEFAULT_SESSION_OPTIONS);
  expect(vad).toEqual(VAD_PRESETS.sensitive);
});

test('what is named without a value counts as left out; null is a value', () => {
  const given = {
    language: undefined,
    vad: { redemptionFrames: undefined },
    maxAudioDurationMs: null,
  } as unknown as GivenSessionOptions;
  const base = { ...DEFAULT_SESSION_OPTIONS, language: 'sv', maxAudioDurationMs: 1_000 };
  expect(completeOptions(given, base)).toEqual({ ...base, maxAudioDurationMs: null });
});
