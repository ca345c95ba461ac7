import {
  createLevelRibbon,
  type LevelReading,
  type LevelRibbon,
  type RibbonOrder,
} from '../src/core/audio/level-meter.ts';

/** Level meters, past the snapshots and the page's main thread. */
export type LevelMeters = ReturnType<typeof createLevelMeters>;

/** What comes from a meter's place. */
type MeterMessage = RibbonOrder<OffscreenCanvas> | 'end';

type Meter = {
  readonly framesPerReading: number;
  readonly port: MessagePort;
  ribbon: LevelRibbon | null;
  /** What it has not been told yet. */
  frames: number;
  reading: LevelReading;
};

const NOTHING: LevelReading = { levelDbfs: Number.NEGATIVE_INFINITY, isSpeaking: false };

export function createLevelMeters() {
  const meters = new Set<Meter>();

  function obey(meter: Meter, message: MeterMessage): void {
    if (message === 'end') {
      meters.delete(meter);
      meter.port.close();
    } else if (message.kind === 'draw') meter.ribbon = ribbonOn(message);
    else meter.ribbon?.recolour(message.colour);
  }

  function tellOne(meter: Meter, frame: LevelReading): void {
    meter.frames += 1;
    meter.reading = {
      levelDbfs: Math.max(meter.reading.levelDbfs, frame.levelDbfs),
      isSpeaking: meter.reading.isSpeaking || frame.isSpeaking,
    };
    if (meter.frames < meter.framesPerReading) return;
    if (meter.ribbon) meter.ribbon.show(meter.reading);
    else meter.port.postMessage(meter.reading);
    meter.frames = 0;
    meter.reading = NOTHING;
  }

  return {
    /**
     * Tells the port a reading of so many frames, again and again; once it brings a canvas, the
     * ribbon is drawn there instead. Anything else that it brings ends that.
     */
    add(port: MessagePort, framesPerReading: number) {
      // The first frame is told at once: that one is heard is worth knowing.
      const frames = framesPerReading - 1;
      const meter: Meter = { framesPerReading, port, ribbon: null, frames, reading: NOTHING };
      meters.add(meter);
      port.onmessage = ({ data }: MessageEvent<MeterMessage>) => obey(meter, data);
    },
    /** Takes a frame's reading. */
    tell(reading: LevelReading) {
      for (const meter of meters) tellOne(meter, reading);
    },
  };
}

/** Drawn by the processor: frames on their way to the disk must not wait for a graphics driver. */
function ribbonOn(order: Extract<RibbonOrder<OffscreenCanvas>, { kind: 'draw' }>) {
  const pen = order.canvas.getContext('2d', { willReadFrequently: true });
  return pen && createLevelRibbon(pen, order.scale, order.colour);
}
