import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { FRAME_SAMPLES, SAMPLE_RATE_HZ, type SampleRange } from '../core/audio/audio-format.ts';
import { RECORDING_VAD_OPTIONS } from '../core/speech/vad-options.ts';
import { type BenchmarkRow, findSegments, outline, rowId } from './report.ts';
import type { BenchmarkOutcome } from './run-benchmark.ts';
import type { BenchmarkAudio } from './use-benchmark.ts';
import { FORMAT, STRINGS, shortRowName } from './words.ts';

const HEIGHT = 300;
/** Below this width the names under the bars are turned, and the table must do for the numbers. */
const NARROW = 640;

type SpeedPlotProps = { readonly rows: readonly BenchmarkRow[]; readonly plotting: Plotting };

/**
 * Times real time as bars, ours in the accent's colour; the scale is logarithmic, since the engines
 * are worlds apart.
 */
export function SpeedPlot({ rows, plotting }: SpeedPlotProps) {
  const recipe = useMemo(() => speedRecipe(rows, plotting), [rows, plotting]);
  const holder = usePlot(plotting, recipe);
  return (
    <figure className="benchmark-figure">
      <figcaption>{STRINGS.speedTitle}</figcaption>
      <div ref={holder} role="img" aria-label={STRINGS.speedAlt} />
    </figure>
  );
}

function speedRecipe(rows: readonly BenchmarkRow[], plotting: Plotting): PlotRecipe {
  const speeds = rows.map(({ xRealtime }) => xRealtime);
  const ours = rows.map(({ engine, xRealtime }) => (engine === 'kernel' ? xRealtime : null));
  const others = rows.map(({ engine, xRealtime }) => (engine === 'kernel' ? null : xRealtime));
  const positions = rows.map((_, index) => index);
  const top = 10 ** Math.ceil(Math.log10(Math.max(10, ...speeds) * 1.2));
  const paths = plotting.paths.bars?.({ size: [0.6, 64] });
  const style = { width: 0, points: { show: false }, ...(paths ? { paths } : {}) };
  return (colours, width) => ({
    data: [positions, ours, others],
    options: {
      width,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: [-0.6, rows.length - 0.4] },
        y: { distr: 3, range: [10, top] },
      },
      axes: [
        plotAxis(colours, {
          splits: positions,
          values: (_plot, splits) =>
            rows
              .slice(0, splits.length)
              .map((row) => shortRowName(row).join(width < NARROW ? ' ' : '\n')),
          grid: { show: false },
          size: 48,
          ...(width < NARROW ? { rotate: -60, size: 96 } : {}),
        }),
        plotAxis(colours, {
          size: 64,
          splits: powersOfTen(top),
          values: (_plot, splits) => splits.map(FORMAT.times),
        }),
      ],
      series: [{}, { fill: colours.accent, ...style }, { fill: colours.inkSoft, ...style }],
      hooks: width < NARROW ? {} : { draw: [(plot) => drawNumbers(plot, speeds, colours)] },
    },
  });
}

/** Each bar's number above it. */
function drawNumbers(
  plot: uPlot,
  speeds: readonly number[],
  { ink, font }: { readonly ink: string; readonly font: string },
): void {
  const { ctx } = plot;
  ctx.save();
  ctx.fillStyle = ink;
  ctx.font = font.replace(/^\d+/, String(12 * devicePixelRatio));
  ctx.textAlign = 'center';
  ctx.textBaseline = 'bottom';
  speeds.forEach((speed, index) => {
    const x = plot.valToPos(index, 'x', true);
    const y = plot.valToPos(speed, 'y', true);
    ctx.fillText(FORMAT.times(speed), x, y - 4 * devicePixelRatio);
  });
  ctx.restore();
}

function powersOfTen(top: number): number[] {
  const powers: number[] = [];
  for (let power = 10; power <= top; power *= 10) powers.push(power);
  return powers;
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
