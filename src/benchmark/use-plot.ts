import { type RefObject, useEffect, useRef, useState } from 'react';
import type uPlot from 'uplot';

/** The page's colours, for a canvas, which knows no style sheet. */
export type PlotColours = {
  readonly ink: string;
  readonly inkSoft: string;
  readonly line: string;
  readonly accent: string;
  readonly accentWash: string;
  readonly font: string;
};

/** The library's. */
export type Plotting = typeof uPlot;

/** What a plot is made of, given the page's colours and the width there is. */
export type PlotRecipe = (
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
export function usePlot(plotting: Plotting, recipe: PlotRecipe): RefObject<HTMLDivElement | null> {
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
export function plotAxis(colours: PlotColours, more: uPlot.Axis = {}): uPlot.Axis {
  return {
    stroke: colours.inkSoft,
    font: colours.font,
    labelFont: colours.font,
    ticks: { stroke: colours.line, width: 1 },
    grid: { stroke: colours.line, width: 1 },
    ...more,
  };
}
