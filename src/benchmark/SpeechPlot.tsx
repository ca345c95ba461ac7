import { useMemo } from 'react';
import type uPlot from 'uplot';
import { FRAME_SAMPLES, SAMPLE_RATE_HZ, type SampleRange } from '../core/audio/audio-format.ts';
import { RECORDING_VAD_OPTIONS } from '../core/speech/vad-options.ts';
import type { BenchmarkAudio } from './benchmark-audio.ts';
import { STRINGS } from './benchmark-strings.ts';
import { FORMAT } from './figures.ts';
import { findSegments } from './find-segments.ts';
import { rowId } from './report.ts';
import type { BenchmarkOutcome } from './run-benchmark.ts';
import { type PlotColours, type PlotRecipe, type Plotting, plotAxis, usePlot } from './use-plot.ts';
import { outline } from './waveform.ts';

const PROBABILITY_HEIGHT = 170;
const WAVEFORM_HEIGHT = 130;
/** The same room on the left for both, so that the seconds stand above one another. */
const LEFT_AXIS = 48;
/** Plots with the same key show the same stretch of time. */
const SYNC = { key: 'diktera-benchmark', setSeries: false } as const;

type SpeechPlotProps = {
  readonly audio: BenchmarkAudio;
  readonly outcome: BenchmarkOutcome;
  readonly plotting: Plotting;
};

/** The probability of speech over time, above the sound, with the segments found. */
export function SpeechPlot({ audio, outcome, plotting }: SpeechPlotProps) {
  const { segments, probability, waveform } = useMemo(() => {
    const [first] = outcome.rows;
    const probabilities = (first && outcome.probabilities.get(rowId(first))) ?? [];
    const found = findSegments(probabilities, audio.samples.length);
    const seconds = audio.samples.length / SAMPLE_RATE_HZ;
    return {
      segments: found,
      probability: probabilityRecipe(probabilities, found, seconds),
      waveform: waveformRecipe(audio.samples, found, seconds),
    };
  }, [audio, outcome]);
  const above = usePlot(plotting, probability);
  const below = usePlot(plotting, waveform);
  return (
    <figure className="benchmark-figure">
      <figcaption>{STRINGS.speechTitle}</figcaption>
      <div role="img" aria-label={STRINGS.speechAlt(segments.length)}>
        <div ref={above} />
        <div ref={below} />
      </div>
    </figure>
  );
}

function probabilityRecipe(
  probabilities: readonly number[],
  segments: readonly SampleRange[],
  seconds: number,
): PlotRecipe {
  const times = probabilities.map((_, frame) => ((frame + 0.5) * FRAME_SAMPLES) / SAMPLE_RATE_HZ);
  const { positiveSpeechThreshold, negativeSpeechThreshold } = RECORDING_VAD_OPTIONS;
  return (colours, width) => ({
    data: [times, [...probabilities]],
    options: {
      ...timeOptions(colours, width, seconds, segments),
      height: PROBABILITY_HEIGHT,
      scales: { x: { time: false, range: [0, seconds] }, y: { range: [0, 1.02] } },
      axes: [
        plotAxis(colours, { size: 8, values: () => [] }),
        plotAxis(colours, {
          size: LEFT_AXIS,
          splits: [0, negativeSpeechThreshold, positiveSpeechThreshold, 1],
          values: (_plot, splits) => splits.map((value) => FORMAT.place(value)),
        }),
      ],
      series: [{}, { stroke: colours.accent, width: 2, points: { show: false } }],
    },
  });
}

function waveformRecipe(
  samples: Float32Array,
  segments: readonly SampleRange[],
  seconds: number,
): PlotRecipe {
  return (colours, width) => {
    const { seconds: times, low, high } = outline(samples, SAMPLE_RATE_HZ, width);
    const largest = Math.max(0.01, ...high, ...low.map((value) => -value));
    const line = { stroke: colours.inkSoft, width: 1, points: { show: false } };
    return {
      data: [[...times], [...high], [...low]],
      options: {
        ...timeOptions(colours, width, seconds, segments),
        height: WAVEFORM_HEIGHT,
        scales: { x: { time: false, range: [0, seconds] }, y: { range: [-largest, largest] } },
        axes: [
          plotAxis(colours, {
            values: (_plot, splits) => splits.map((value) => `${FORMAT.place(value)} s`),
          }),
          plotAxis(colours, { size: LEFT_AXIS, values: () => [], grid: { show: false } }),
        ],
        series: [{}, line, line],
        bands: [{ series: [1, 2], fill: colours.inkSoft }],
      },
    };
  };
}

/** What both plots share: their width, the tinted segments and the common cursor. */
function timeOptions(
  { accentWash }: PlotColours,
  width: number,
  seconds: number,
  segments: readonly SampleRange[],
) {
  return {
    width,
    legend: { show: false },
    cursor: { sync: SYNC, y: false, drag: { x: false, y: false } },
    hooks: {
      drawClear: [
        (plot: uPlot) => {
          const { ctx, bbox } = plot;
          ctx.save();
          ctx.fillStyle = accentWash;
          for (const { startSample, endSample } of segments) {
            const from = plot.valToPos(startSample / SAMPLE_RATE_HZ, 'x', true);
            const to = plot.valToPos(Math.min(seconds, endSample / SAMPLE_RATE_HZ), 'x', true);
            // A thin gap, so that neighbours can be told apart.
            ctx.fillRect(from, bbox.top, to - from - 2 * devicePixelRatio, bbox.height);
          }
          ctx.restore();
        },
      ],
    },
  } satisfies Partial<uPlot.Options>;
}
