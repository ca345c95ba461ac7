import { useMemo } from 'react';
import type uPlot from 'uplot';
import { STRINGS } from './benchmark-strings.ts';
import { FORMAT } from './figures.ts';
import type { BenchmarkRow } from './report.ts';
import { shortRowName } from './row-name.ts';
import { type PlotRecipe, type Plotting, plotAxis, usePlot } from './use-plot.ts';

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
            splits.map((position) => shortNameOf(rows[position], width < NARROW ? ' ' : '\n')),
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

/** Between engine and threads a line's end, where names stand side by side. */
function shortNameOf(row: BenchmarkRow | undefined, between: string): string {
  return row ? shortRowName(row).join(between) : '';
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
