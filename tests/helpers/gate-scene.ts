import { FRAME_SAMPLES, type SampleRange } from '../../src/core/audio/audio-format.ts';
import type { SpeechEngine } from '../../src/core/speech/speech-engine.ts';
import { createSpeechGate } from '../../src/core/speech/speech-gate.ts';
import { RECORDING_VAD_OPTIONS } from '../../src/core/speech/vad-options.ts';
import { LABEL_SAMPLES, runsOf, type SpeechClip } from './labelled-speech.ts';
import { amplitudeOf } from './made-sounds.ts';

/** Speech whose place is known, among pauses that were made. Whole frames. */
export type GateScene = {
  readonly samples: Float32Array;
  /** One for each 10 ms. */
  readonly isSpeech: readonly boolean[];
  /** Where each clip begins, in 10 ms. */
  readonly starts: readonly number[];
};

/** The score of a gate in a scene. */
export type GateScore = {
  /** Of all labelled speech, percent outside every segment. */
  readonly lostPercent: number;
  /** Clips of whose first 250 ms more than 50 are lost. */
  readonly firstSyllablesLost: number;
  /** Of silences longer than 2.5 s, without a second at each end, percent inside a segment. */
  readonly silenceSentPercent: number;
};

export type GateSceneOptions = {
  readonly levelDbfs: number;
  readonly pauseSeconds: number;
  /** Makes what is heard all the time. @default digital silence */
  readonly under?: ((samples: number) => Float32Array) | undefined;
  /** Makes what is heard in the pauses only. */
  readonly between?: ((samples: number) => Float32Array) | undefined;
};

/** Each clip behind a pause; 300 ms of quiet follow, or 150 where there is no pause. */
export function makeScene(clips: readonly SpeechClip[], options: GateSceneOptions): GateScene {
  const { levelDbfs, pauseSeconds, under, between } = options;
  const pause = pauseSeconds * 100;
  const tail = pauseSeconds > 0 ? 30 : 15;
  const cells = clips.reduce((sum, { isSpeech }) => sum + pause + isSpeech.length + tail, 0);
  const length = Math.ceil((cells * LABEL_SAMPLES) / FRAME_SAMPLES) * FRAME_SAMPLES;
  const samples = under?.(length) ?? new Float32Array(length);
  const meanwhile = between?.(length);
  const isSpeech: boolean[] = Array(Math.ceil(length / LABEL_SAMPLES)).fill(false);
  const starts: number[] = [];
  const gain = amplitudeOf(levelDbfs);
  let at = 0;
  for (const clip of clips) {
    for (let n = at * LABEL_SAMPLES; meanwhile && n < (at + pause) * LABEL_SAMPLES; n++) {
      samples[n]! += meanwhile[n] ?? 0;
    }
    at += pause;
    starts.push(at);
    for (const [n, value] of clip.samples.entries())
      samples[at * LABEL_SAMPLES + n]! += gain * value;
    for (const [i, value] of clip.isSpeech.entries()) isSpeech[at + i] = value;
    at += clip.isSpeech.length + tail;
  }
  return { samples, isSpeech, starts };
}

/** The segments an engine keeps at the recording preset, from a clean state. */
export async function segmentsOf(
  engine: SpeechEngine,
  samples: Float32Array,
): Promise<SampleRange[]> {
  const segments: SampleRange[] = [];
  const gate = createSpeechGate(RECORDING_VAD_OPTIONS, (event) => {
    if (event.kind === 'segment-ended') segments.push(event.range);
  });
  engine.reset();
  for (let start = 0; start + FRAME_SAMPLES <= samples.length; start += FRAME_SAMPLES) {
    const answer = engine.infer(samples.subarray(start, start + FRAME_SAMPLES));
    gate.accept(start, FRAME_SAMPLES, typeof answer === 'number' ? answer : await answer);
  }
  gate.endSegment();
  return segments;
}

export function scoreOf(scene: GateScene, segments: readonly SampleRange[]): GateScore {
  const isKept: boolean[] = Array(scene.isSpeech.length).fill(false);
  for (const { startSample, endSample } of segments) {
    isKept.fill(
      true,
      Math.floor(startSample / LABEL_SAMPLES),
      Math.ceil(endSample / LABEL_SAMPLES),
    );
  }
  const isLost = scene.isSpeech.map((speech, i) => speech && !isKept[i]);
  const count = (grid: readonly boolean[]) => grid.filter(Boolean).length;
  const silences = runsOf(scene.isSpeech)
    .filter(({ from, to, value }) => !value && to - from > 250)
    .flatMap(({ from, to }) => isKept.slice(from + 100, to - 110));
  return {
    lostPercent: (100 * count(isLost)) / Math.max(1, count(scene.isSpeech)),
    firstSyllablesLost: scene.starts.filter((at) => count(isLost.slice(at, at + 25)) > 5).length,
    silenceSentPercent: (100 * count(silences)) / Math.max(1, silences.length),
  };
}
