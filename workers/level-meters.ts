import {
  createLevelMeter,
  type LevelMeter,
  type LevelReading,
  type MeterOrder,
} from '../src/core/audio/level-meter.ts';

/** Level meters, past the snapshots and the page's main thread. */
export type LevelMeters = ReturnType<typeof createLevelMeters>;

/** A message from the page that shows a meter. */
type MeterMessage = MeterOrder<OffscreenCanvas> | 'end';

type Meter = {
  readonly framesPerReading: number;
  readonly port: MessagePort;
  drawing: LevelMeter | null;
  /** The frames and the reading that it has not been sent yet. */
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
    } else if (message.kind === 'draw') meter.drawing = drawingOn(message);
    else meter.drawing?.recolour(message.colour);
  }

  function tellOne(meter: Meter, frame: LevelReading): void {
    meter.frames += 1;
    meter.reading = {
      levelDbfs: Math.max(meter.reading.levelDbfs, frame.levelDbfs),
      isSpeaking: meter.reading.isSpeaking || frame.isSpeaking,
    };
    if (meter.frames < meter.framesPerReading) return;
    if (meter.drawing) meter.drawing.show(meter.reading);
    else meter.port.postMessage(meter.reading);
    meter.frames = 0;
    meter.reading = NOTHING;
  }

  return {
    /**
     * Sends the port a reading of every `framesPerReading` frames; once it brings a canvas, the
     * meter is drawn there instead, until it brings `end`.
     */
    add(port: MessagePort, framesPerReading: number) {
      // The first frame is sent at once, to show that the microphone is heard.
      const frames = framesPerReading - 1;
      const meter: Meter = { framesPerReading, port, drawing: null, frames, reading: NOTHING };
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
function drawingOn(order: Extract<MeterOrder<OffscreenCanvas>, { kind: 'draw' }>) {
  const pen = order.canvas.getContext('2d', { willReadFrequently: true });
  return pen && createLevelMeter(pen, order.scale, order.colour);
}
