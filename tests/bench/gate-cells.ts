import type { GateSceneOptions } from '../helpers/gate-scene.ts';
import type { SpeechClip } from '../helpers/labelled-speech.ts';
import * as sounds from '../helpers/made-sounds.ts';

type Sound = (samples: number) => Float32Array;

/** A kind of pause, and how loud what is heard all the time is (dBFS; null for digital silence). */
export type GateCell = Omit<GateSceneOptions, 'levelDbfs'> & {
  readonly name: string;
  readonly noiseDbfs: number | null;
};

const FAINT_DBFS = -75;
/** Speech this far above the noise is to be kept. */
const LEAST_SNR_DB = 10;
export const LEVELS_DBFS: readonly number[] = [-20, -30, -40, -45];

const faint: Sound = (samples) => sounds.whiteNoise(samples, FAINT_DBFS, 1);

/** The levels of speech that a cell asks for. */
export function levelsOf({ noiseDbfs }: GateCell): readonly number[] {
  return LEVELS_DBFS.filter((level) => noiseDbfs === null || level - noiseDbfs >= LEAST_SNR_DB);
}

/** Pauses of 0, 3, 12 and 60 s in silence and noise of three levels, then 12 s of other things. */
export function gateCells(babblers: readonly SpeechClip[]): GateCell[] {
  const cells: GateCell[] = [];
  for (const pauseSeconds of [0, 3, 12, 60]) {
    cells.push({ name: `${pauseSeconds} s, silence`, pauseSeconds, noiseDbfs: null });
    for (const noiseDbfs of [FAINT_DBFS, -65, -55]) {
      const under: Sound = (samples) => sounds.pinkNoise(samples, noiseDbfs, 2);
      cells.push({ name: `${pauseSeconds} s, noise ${noiseDbfs}`, pauseSeconds, noiseDbfs, under });
    }
  }
  const between: Readonly<Record<string, Sound>> = {
    clicks: (samples) => sounds.keyClicks(samples, -25, 3),
    breath: (samples) => sounds.breath(samples, -55, 4),
    'breath -50': (samples) => sounds.breath(samples, -50, 4),
    music: (samples) => sounds.music(samples, -55, 5),
    'music -45': (samples) => sounds.music(samples, -45, 5),
    babble: (samples) => babbleOf(babblers, samples, -60),
  };
  for (const [what, sound] of Object.entries(between)) {
    const name = `12 s, ${what}`;
    cells.push({ name, pauseSeconds: 12, noiseDbfs: FAINT_DBFS, under: faint, between: sound });
  }
  const under: Readonly<Record<string, Sound>> = {
    fan: (samples) => sounds.fan(samples, -55, 6),
    hum: (samples) => sounds.mainsHum(samples, -55),
  };
  for (const [what, sound] of Object.entries(under)) {
    cells.push({ name: `12 s, ${what}`, pauseSeconds: 12, noiseDbfs: -55, under: sound });
  }
  return cells;
}

/** What is no speech, to count the segments that it starts. */
export function falseStarts(
  babblers: readonly SpeechClip[],
  samples: number,
): ReadonlyMap<string, Float32Array> {
  const over = (sound: Float32Array) => sounds.together(sound, faint(samples));
  return new Map([
    ['silence', new Float32Array(samples)],
    ['noise -65', sounds.pinkNoise(samples, -65, 11)],
    ['noise -50', sounds.pinkNoise(samples, -50, 12)],
    ['noise -35', sounds.whiteNoise(samples, -35, 13)],
    ['clicks', over(sounds.keyClicks(samples, -20, 14))],
    ['breath', over(sounds.breath(samples, -45, 15))],
    ['fan', sounds.fan(samples, -45, 16)],
    ['hum', sounds.mainsHum(samples, -45)],
    ['music', over(sounds.music(samples, -35, 17))],
    ['sung tones', over(sounds.sungTones(samples, -30, 18))],
    ['sung, silence', sounds.sungTones(samples, -30, 19)],
    ['babble', babbleOf(babblers, samples, -50)],
  ]);
}

function babbleOf(babblers: readonly SpeechClip[], samples: number, levelDbfs: number) {
  const speech = babblers.map((clip) => clip.samples);
  return sounds.babble(samples, levelDbfs, { seed: 7, speech });
}
