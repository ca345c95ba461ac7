/** What a level meter shows of a frame, or a few. */
export type LevelReading = {
  /** Loudness (RMS), dB relative to full scale. */
  readonly levelDbfs: number;
  /** Whether it was heard as speech. */
  readonly isSpeaking: boolean;
};

/** A `MessagePort` that tells readings as they come, until it is told `end`. */
export type LevelPort = {
  addEventListener(
    kind: 'message',
    listener: (event: { readonly data: LevelReading }) => void,
  ): void;
  postMessage(end: 'end'): void;
  start(): void;
  close(): void;
};

/**
 * What a page tells, through the port of a level meter, so that the worker draws the ribbon itself
 * and no reading is sent. `Canvas` is the realm's OffscreenCanvas.
 */
export type RibbonOrder<Canvas> =
  | {
      readonly kind: 'draw';
      readonly canvas: Canvas;
      /** Device pixels to a CSS pixel. */
      readonly scale: number;
      readonly colour: string;
    }
  | { readonly kind: 'recolour'; readonly colour: string };

/** From barely audible to full scale: what the ribbon spans. */
const QUIETEST_DBFS = -60;
const BARS = 24;
const BAR_PX = 3;
const STEP_PX = 4;
/** What is heard but not as speech is drawn faint. */
const FAINT = 0.35;

/** How large a ribbon is drawn, in CSS pixels. */
export const RIBBON_WIDTH_PX = BARS * STEP_PX;
export const RIBBON_HEIGHT_PX = 24;

/** As much of a canvas's 2D context as a ribbon needs, on a page or in a worker. */
export type RibbonPen = {
  fillStyle: unknown;
  globalAlpha: number;
  scale(x: number, y: number): void;
  clearRect(x: number, y: number, width: number, height: number): void;
  beginPath(): void;
  roundRect(x: number, y: number, width: number, height: number, radius: number): void;
  fill(): void;
};

/** The last readings, one bar each: how loud, and whether heard as speech. */
export type LevelRibbon = ReturnType<typeof createLevelRibbon>;

/** A ribbon on a canvas of `RIBBON_WIDTH_PX` times `RIBBON_HEIGHT_PX` times `scale` pixels. */
export function createLevelRibbon(pen: RibbonPen, scale: number, colour: string) {
  let readings: readonly LevelReading[] = [];
  /** The bars as they are drawn: in a quiet room the next ones look alike. */
  let drawn = '';
  pen.scale(scale, scale);
  pen.fillStyle = colour;

  function draw(): void {
    pen.clearRect(0, 0, RIBBON_WIDTH_PX, RIBBON_HEIGHT_PX);
    fill(true, 1);
    fill(false, FAINT);
  }

  /** One path for all bars that look alike: a path for each is what drawing would cost most. */
  function fill(isSpeaking: boolean, alpha: number): void {
    const from = BARS - readings.length;
    pen.globalAlpha = alpha;
    pen.beginPath();
    for (let slot = 0; slot < BARS; slot += 1) {
      const reading = readings[slot - from];
      if ((reading?.isSpeaking ?? false) !== isSpeaking) continue;
      const height = heightPxOf(reading);
      pen.roundRect(slot * STEP_PX, (RIBBON_HEIGHT_PX - height) / 2, BAR_PX, height, BAR_PX / 2);
    }
    pen.fill();
  }

  draw();
  return {
    /** Takes the next reading and draws, the newest on the right. */
    show(reading: LevelReading) {
      readings = [...readings.slice(1 - BARS), reading];
      const bars = readings.map(lookOf).join();
      if (bars !== drawn) draw();
      drawn = bars;
    },
    /** Draws in another colour from now on. */
    recolour(next: string) {
      pen.fillStyle = next;
      draw();
    },
  };
}

function heightPxOf(reading: LevelReading | undefined): number {
  if (!reading) return BAR_PX;
  const share = Math.min(1, (reading.levelDbfs - QUIETEST_DBFS) / -QUIETEST_DBFS);
  return Math.max(BAR_PX, Math.round(share * RIBBON_HEIGHT_PX));
}

function lookOf(reading: LevelReading): string {
  return `${reading.isSpeaking}${heightPxOf(reading)}`;
}
