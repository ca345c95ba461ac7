import { describe, expect, test } from 'vitest';
import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { createSpeechGate, type SpeechGateEvent } from '../../src/core/speech/speech-gate.ts';
import { DEFAULT_VAD_OPTIONS, type VadOptions } from '../../src/core/speech/vad-options.ts';

/** 0.5 / 0.35, two low frames end, one speech frame is enough, no padding. */
const SIMPLE: VadOptions = {
  ...DEFAULT_VAD_OPTIONS,
  redemptionFrames: 2,
  minSpeechFrames: 1,
  preSpeechPadFrames: 0,
};

/**
 * What a letter stands for: H at or above the positive threshold, m between the two, l below the
 * negative one, N not a number, | a pause (`endSegment`), > a hole of half a frame in the samples.
 */
const PROBABILITIES: Record<string, number> = { H: 0.9, m: 0.4, l: 0.1, N: Number.NaN };

/**
 * Feeds a string of such letters and writes down what the gate said, in frames: `+2@3` a start at
 * frame 2 told during frame 3, `=2-6@5` a segment of frames 2 to 5, `x2-6@5` a misfire.
 */
function run(
  script: string,
  { tailFrames, ...options }: Partial<VadOptions> & { readonly tailFrames?: number } = {},
): string {
  const said: string[] = [];
  let frame = 0;
  let sample = 0;
  const inFrames = (samples: number) => samples / FRAME_SAMPLES;
  const how = tailFrames === undefined ? {} : { tailFrames };
  const onEvent = (event: SpeechGateEvent) => {
    said.push(`${write(event, inFrames)}@${frame}`);
    expect(gate.isSpeaking).toBe(event.kind === 'speech-started');
    expect(gate.runningStartSample).toBe(
      event.kind === 'speech-started' ? event.startSample : null,
    );
  };
  const gate = createSpeechGate({ ...SIMPLE, ...options }, onEvent, how);
  for (const letter of script) {
    const probability = PROBABILITIES[letter];
    if (letter === '|') gate.endSegment();
    else if (letter === '>') sample += FRAME_SAMPLES / 2;
    else if (probability === undefined) throw new Error(`No such letter: ${letter}`);
    else {
      gate.accept(sample, FRAME_SAMPLES, probability);
      sample += FRAME_SAMPLES;
      frame++;
    }
  }
  return said.join(' ');
}

function write(event: SpeechGateEvent, inFrames: (samples: number) => number): string {
  if (event.kind === 'speech-started') return `+${inFrames(event.startSample)}`;
  const { startSample, endSample } = event.range;
  const sign = event.kind === 'segment-ended' ? '=' : 'x';
  return `${sign}${inFrames(startSample)}-${inFrames(endSample)}`;
}

describe('with a tail of two quiet frames', () => {
  const REDEMPTION = { redemptionFrames: 4, tailFrames: 2 };

  test.each<[string, string, string]>([
    ['a segment ends behind them', 'HHllll', '+0@0 =0-4@5'],
    ['they count from the last frame that was none', 'Hlmlmlll', '+0@0 =0-7@6'],
    ['all is kept where there are not so many', 'Hlmlmlml', '+0@0 =0-8@7'],
    ['a pause keeps no more of them', 'Hlll|', '+0@0 =0-3@4'],
    ['a pause keeps what was heard where there are not so many', 'Hl|', '+0@0 =0-2@2'],
  ])('%s', (_what, script, said) => {
    expect(run(script, REDEMPTION)).toBe(said);
  });

  test('what lies behind may pad the next segment', () => {
    expect(run('HllllH', { ...REDEMPTION, preSpeechPadFrames: 5 })).toBe('+0@0 =0-3@4 +3@5');
  });
});

describe('onset, redemption, end', () => {
  test.each<[string, string, string]>([
    ['silence says nothing', 'lllmmmlll', ''],
    ['speech starts with the first frame at the positive threshold', 'lmHHH', '+2@2'],
    ['redemption frames in a row end it, and the tail belongs to it', 'HHlll', '+0@0 =0-4@3'],
    ['a frame at the positive threshold clears the count', 'HlHlHll', '+0@0 =0-7@6'],
    ['frames between the thresholds neither count nor clear', 'Hlml', '+0@0 =0-4@3'],
    ['a probability between the thresholds for ever goes on', 'Hmmmmmmmmmmm', '+0@0'],
    ['a new segment follows at once', 'HllHll', '+0@0 =0-3@2 +3@3 =3-6@5'],
  ])('%s', (_rule, script, expected) => {
    expect(run(script)).toBe(expected);
  });

  test.each<[string, number, string]>([
    ['redemption 0 counts as 1', 0, '+0@0 =0-2@1'],
    ['redemption 1', 1, '+0@0 =0-2@1'],
    ['redemption 2.9 is 2', 2.9, '+0@0 =0-3@2'],
    ['redemption 8 is not reached', 8, '+0@0'],
  ])('%s', (_rule, redemptionFrames, expected) => {
    expect(run('Hlll', { redemptionFrames })).toBe(expected);
  });

  test('thresholds: at the positive is speech, at the negative is not low', () => {
    const said: SpeechGateEvent[] = [];
    const gate = createSpeechGate({ ...SIMPLE, redemptionFrames: 1 }, (e) => said.push(e));
    gate.accept(0, FRAME_SAMPLES, 0.4999);
    expect(gate.isSpeaking).toBe(false);
    gate.accept(FRAME_SAMPLES, FRAME_SAMPLES, 0.5);
    expect(gate.isSpeaking).toBe(true);
    gate.accept(2 * FRAME_SAMPLES, FRAME_SAMPLES, 0.35);
    expect(gate.isSpeaking).toBe(true);
    gate.accept(3 * FRAME_SAMPLES, FRAME_SAMPLES, 0.3499);
    expect(gate.isSpeaking).toBe(false);
  });

  test('equal thresholds leave no frame in between', () => {
    expect(run('Hmm', { negativeSpeechThreshold: 0.5 })).toBe('+0@0 =0-3@2');
  });

  test('what has no probability is speech', () => {
    expect(run('lNll')).toBe('+1@1 =1-4@3');
  });
});

describe('misfires', () => {
  test.each<[string, number, string]>([
    ['too few speech frames', 3, '+0@0 x0-5@4'],
    ['exactly enough', 2, '+0@0 =0-5@4'],
    ['none needed', 0, '+0@0 =0-5@4'],
    ['2.9 is 2', 2.9, '+0@0 =0-5@4'],
  ])('%s', (_rule, minSpeechFrames, expected) => {
    expect(run('HmHll', { minSpeechFrames })).toBe(expected);
  });

  test('a misfire does not count towards the next segment', () => {
    expect(run('HllHHll', { minSpeechFrames: 2 })).toBe('+0@0 x0-3@2 +3@3 =3-7@6');
  });
});

describe('padding', () => {
  const pad2 = { preSpeechPadFrames: 2 };
  test.each<[string, string, string]>([
    ['frames before the onset belong to it', 'lllHll', '+1@3 =1-6@5'],
    ['as far as they exist', 'lHll', '+0@1 =0-4@3'],
    ['none at the very start', 'Hll', '+0@0 =0-3@2'],
    ['never into the segment before', 'HlllHll', '+0@0 =0-3@2 +3@4 =3-7@6'],
    ['all of it after a long silence', 'HlllllHll', '+0@0 =0-3@2 +4@6 =4-9@8'],
  ])('%s', (_rule, script, expected) => {
    expect(run(script, pad2)).toBe(expected);
  });

  test('never into a misfire before', () => {
    expect(run('HlllHll', { ...pad2, minSpeechFrames: 2 })).toBe('+0@0 x0-3@2 +3@4 x3-7@6');
  });

  test('1.9 frames are 1', () => {
    expect(run('lllHll', { preSpeechPadFrames: 1.9 })).toBe('+2@3 =2-6@5');
  });
});

describe('pause, stop and gaps', () => {
  test.each<[string, string, string]>([
    ['the running segment is kept', 'lHm|', '+0@1 =0-3@3'],
    ['twice is harmless', 'H||', '+0@0 =0-1@1'],
    ['in silence it says nothing', 'll|ll', ''],
    ['padding does not reach across it', 'lll|lHll', '+3@4 =3-7@6'],
    ['speech starts afresh after it', 'H|H', '+0@0 =0-1@1 +1@1'],
    ['low frames before it do not count after it', 'Hl|Hl', '+0@0 =0-2@2 +2@2'],
    ['a hole ends the segment before it', 'lH>lll', '+0@1 =0-2@2'],
    ['padding does not reach across a hole', 'lll>lHll', '+3.5@4 =3.5-7.5@6'],
  ])('%s', (_rule, script, expected) => {
    expect(run(script, { preSpeechPadFrames: 4 })).toBe(expected);
  });

  test('too few speech frames are a misfire there, too', () => {
    expect(run('HH|HHH|', { minSpeechFrames: 3 })).toBe('+0@0 x0-2@2 +2@2 =2-5@5');
  });

  test('the last frame may be shorter', () => {
    const said: SpeechGateEvent[] = [];
    const gate = createSpeechGate({ ...SIMPLE, preSpeechPadFrames: 1 }, (e) => said.push(e));
    gate.accept(0, FRAME_SAMPLES, 0);
    gate.accept(FRAME_SAMPLES, 100, 0.9);
    gate.endSegment();
    gate.accept(FRAME_SAMPLES + 100, FRAME_SAMPLES, 0.9);
    gate.endSegment();
    expect(said).toEqual([
      { kind: 'speech-started', startSample: 0 },
      { kind: 'segment-ended', range: { startSample: 0, endSample: 1_636 } },
      { kind: 'speech-started', startSample: 1_636 },
      { kind: 'segment-ended', range: { startSample: 1_636, endSample: 3_172 } },
    ]);
  });

  test('a session may begin at any sample', () => {
    const said: SpeechGateEvent[] = [];
    const gate = createSpeechGate({ ...SIMPLE, preSpeechPadFrames: 10 }, (e) => said.push(e));
    gate.accept(5_000, FRAME_SAMPLES, 0.9);
    expect(said).toEqual([{ kind: 'speech-started', startSample: 5_000 }]);
  });
});
