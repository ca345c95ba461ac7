/** One bar of a level meter: a frame, or a few. */
export type LevelReading = {
  /** Loudness (RMS), dB relative to full scale. */
  readonly levelDbfs: number;
  readonly isSpeaking: boolean;
};

/** A `MessagePort` that brings readings as they come, until it is sent `end`. */
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
 * A page sends this through the port of a level meter to have the worker draw the meter itself; no
 * reading is sent then. `Canvas` is the realm's OffscreenCanvas.
 */
export type MeterOrder<Canvas> =
  | {
      readonly kind: 'draw';
      readonly canvas: Canvas;
      /** Device pixels to a CSS pixel. */
      readonly scale: number;
      readonly colour: string;
    }
  | { readonly kind: 'recolour'; readonly colour: string };

/** The meter spans barely audible to full scale. */
const QUIETEST_DBFS = -60;
const BARS = 24;
const BAR_PX = 3;
const STEP_PX = 4;
/** Opacity of bars that are sound, but no speech. */
const FAINT = 0.35;

/** Size of a meter, in CSS pixels. */
export const METER_WIDTH_PX = BARS * STEP_PX;
export const METER_HEIGHT_PX = 24;

/** The part of a canvas's 2D context that a meter needs, on a page or in a worker. */
export type MeterPen = {
  fillStyle: unknown;
  globalAlpha: number;
  scale(x: number, y: number): void;
  clearRect(x: number, y: number, width: number, height: number): void;
  beginPath(): void;
  roundRect(x: number, y: number, width: number, height: number, radius: number): void;
  fill(): void;
};

/** A drawing of the last readings, one bar each. */
export type LevelMeter = ReturnType<typeof createLevelMeter>;

/** A meter on a canvas of `METER_WIDTH_PX` times `METER_HEIGHT_PX` times `scale` pixels. */
export function createLevelMeter(pen: MeterPen, scale: number, colour: string) {
  let readings: readonly LevelReading[] = [];
  /** The bars as they were last drawn: in a quiet room the next ones are the same. */
  let drawn = '';
  pen.scale(scale, scale);
  pen.fillStyle = colour;

  function draw(): void {
    pen.clearRect(0, 0, METER_WIDTH_PX, METER_HEIGHT_PX);
    fill(true, 1);
    fill(false, FAINT);
  }

  /** One path for all bars of one opacity: a path for each bar would be most of the cost. */
  function fill(isSpeaking: boolean, alpha: number): void {
    const from = BARS - readings.length;
    pen.globalAlpha = alpha;
    pen.beginPath();
    for (let slot = 0; slot < BARS; slot += 1) {
      const reading = readings[slot - from];
      if ((reading?.isSpeaking ?? false) !== isSpeaking) continue;
      const height = heightPxOf(reading);
      pen.roundRect(slot * STEP_PX, (METER_HEIGHT_PX - height) / 2, BAR_PX, height, BAR_PX / 2);
    }
    pen.fill();
  }

  draw();
  return {
    /** Takes the next reading and draws, the newest on the right. */
    show(reading: LevelReading) {
      readings = [...readings.slice(1 - BARS), reading];
      const bars = readings.map(shapeOf).join();
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
  return Math.max(BAR_PX, Math.round(share * METER_HEIGHT_PX));
}

function shapeOf(reading: LevelReading): string {
  return `${reading.isSpeaking}${heightPxOf(reading)}`;
}
