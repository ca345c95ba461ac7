import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { FRAME_SAMPLES, SAMPLE_RATE_HZ, type SampleRange } from '../core/audio/audio-format.ts';
import { RECORDING_VAD_OPTIONS } from '../core/speech/vad-options.ts';
import { type BenchmarkRow, findSpeech, outline, rowId } from './report.ts';
import type { BenchmarkOutcome } from './run-benchmark.ts';
import type { BenchmarkAudio } from './use-benchmark.ts';
import { FORMAT, rowName, STRINGS } from './words.ts';

/**
 * Times real time as bars that begin at 1, ours in the accent's colour. The scale is logarithmic,
 * since the engines are worlds apart: each line is ten times the one before.
 */
export function SpeedBars({ rows }: { readonly rows: readonly BenchmarkRow[] }) {
  const decades = Math.ceil(Math.log10(Math.max(10, ...rows.map(({ xRealtime }) => xRealtime))));
  const shareOf = (times: number): number => Math.max(0, Math.log10(times)) / decades;
  const lines = Array.from({ length: decades + 1 }, (_, power) => 10 ** power);
  return (
    <figure className="benchmark-figure">
      <figcaption>{STRINGS.speedTitle}</figcaption>
      <dl className="speed-bars">
        {rows.map((row) => (
          <div key={rowId(row)} data-is-ours={row.engine === 'kernel'}>
            <dt>{rowName(row)}</dt>
            <dd>
              <span className="speed-bar" style={{ width: `${100 * shareOf(row.xRealtime)}%` }} />
              <span className="speed-figure">{FORMAT.times(row.xRealtime)}</span>
            </dd>
          </div>
        ))}
      </dl>
      <p className="speed-axis" aria-hidden>
        {lines.map((line) => (
          <span key={line}>{FORMAT.times(line)}</span>
        ))}
      </p>
    </figure>
  );
}

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
    const found = findSpeech(probabilities, audio.samples.length);
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
    const isSpoken = times.map((time) =>
      segments.some(
        ({ startSample, endSample }) =>
          time * SAMPLE_RATE_HZ >= startSample && time * SAMPLE_RATE_HZ < endSample,
      ),
    );
    const only = (values: readonly number[], isWanted: boolean) =>
      values.map((value, at) => (isSpoken[at] === isWanted ? value : null));
    const line = (stroke: string) => ({ stroke, width: 1, points: { show: false } });
    return {
      data: [
        [...times],
        ...[true, false].flatMap((isWanted) => [only(high, isWanted), only(low, isWanted)]),
      ] as uPlot.AlignedData,
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
        series: [
          {},
          ...[colours.accent, colours.accent, colours.inkSoft, colours.inkSoft].map(line),
        ],
        bands: [
          { series: [1, 2], fill: colours.accent },
          { series: [3, 4], fill: colours.inkSoft },
        ],
      },
    };
  };
}

/** Options of both plots: width, tinted segments and the common cursor. */
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

/** The page's colours, for a canvas, which knows no style sheet. */
type PlotColours = {
  readonly ink: string;
  readonly inkSoft: string;
  readonly line: string;
  readonly accent: string;
  readonly accentWash: string;
  readonly font: string;
};

/** The library's. */
type Plotting = typeof uPlot;

/** Makes a plot of the page's colours and the width there is. */
type PlotRecipe = (
  colours: PlotColours,
  width: number,
) => { readonly options: uPlot.Options; readonly data: uPlot.AlignedData };

/**
 * Fetches the library; null until it is there. Where it does not run that is forever: it counts in
 * `navigator.language`, which in WebKitGTK may be one that is none (`C`).
 */
export function usePlotting(): Plotting | null {
  const [plotting, setPlotting] = useState<Plotting | null>(null);
  useEffect(() => {
    import('uplot').then(
      ({ default: library }) => setPlotting(() => library),
      (error) => console.warn('Nothing is plotted here', error),
    );
  }, []);
  return plotting;
}

/**
 * Draws a plot into the element of the returned reference, and draws it anew when the width or the
 * colour scheme changes, or the recipe (which must stay the same object while nothing has changed).
 */
function usePlot(plotting: Plotting, recipe: PlotRecipe): RefObject<HTMLDivElement | null> {
  const holder = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    return keepDrawn(element, recipe, plotting);
  }, [plotting, recipe]);
  return holder;
}

/** Answers how it ends. */
function keepDrawn(element: HTMLElement, recipe: PlotRecipe, plotting: Plotting): () => void {
  let plot: uPlot | null = null;
  let drawnWidth = 0;
  const draw = () => {
    drawnWidth = element.clientWidth;
    if (drawnWidth === 0) return;
    plot?.destroy();
    const { options, data } = recipe(readColours(element), drawnWidth);
    plot = new plotting(options, data, element);
  };
  const watch = new ResizeObserver(() => {
    if (element.clientWidth !== drawnWidth) draw();
  });
  const darkness = matchMedia('(prefers-color-scheme: dark)');
  darkness.addEventListener('change', draw);
  watch.observe(element);
  draw();
  return () => {
    darkness.removeEventListener('change', draw);
    watch.disconnect();
    plot?.destroy();
  };
}

/** Tokens are `light-dark(...)`: a probe element turns them into colours. */
function readColours(element: HTMLElement): PlotColours {
  const probe = document.createElement('span');
  element.append(probe);
  const colour = (token: string) => {
    probe.style.color = `var(--${token})`;
    return getComputedStyle(probe).color;
  };
  const colours = {
    ink: colour('ink'),
    inkSoft: colour('ink-soft'),
    line: colour('line'),
    accent: colour('accent'),
    accentWash: colour('accent-wash'),
    font: `12px ${getComputedStyle(element).fontFamily}`,
  };
  probe.remove();
  return colours;
}

/** An axis in the page's colours; `grid` only where lines help the eye. */
function plotAxis(colours: PlotColours, more: uPlot.Axis = {}): uPlot.Axis {
  return {
    stroke: colours.inkSoft,
    font: colours.font,
    labelFont: colours.font,
    ticks: { stroke: colours.line, width: 1 },
    grid: { stroke: colours.line, width: 1 },
    ...more,
  };
}
