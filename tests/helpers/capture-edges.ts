import { browserCapturePorts, type CapturePorts } from '../../src/capture/capture-ports.ts';
import { isFirefox } from './engine.ts';

/**
 * Has a test tell of a track what the browser would: Firefox gives those who listen to a track no
 * event but its own. What listens is told of both from here on.
 */
export function letTestsTell(track: MediaStreamTrack): void {
  if (!isFirefox) return;
  const told = new EventTarget();
  for (const type of ['ended', 'mute', 'unmute']) {
    track.addEventListener(type, () => told.dispatchEvent(new Event(type)));
  }
  track.addEventListener = told.addEventListener.bind(told);
  track.removeEventListener = told.removeEventListener.bind(told);
  track.dispatchEvent = told.dispatchEvent.bind(told);
}

/** The browser's ports, with what went through them kept, and a quiet log. */
export type WatchedPorts = {
  readonly ports: CapturePorts;
  readonly contexts: AudioContext[];
  readonly streams: MediaStream[];
  /** The constraints of each `getUserMedia`. */
  readonly asked: MediaTrackConstraints[];
  /** Lists of devices that have come. */
  listed(): number;
  /** The first words of each line logged. */
  readonly logged: string[];
};

/** `fakes` stands in for single edges; everything else is the real browser. */
export function watchedPorts(fakes: Partial<CapturePorts> = {}): WatchedPorts {
  const ports = { ...browserCapturePorts(), ...fakes };
  const contexts: AudioContext[] = [];
  const streams: MediaStream[] = [];
  const asked: MediaTrackConstraints[] = [];
  const logged: string[] = [];
  let lists = 0;
  const mediaDevices = ports.mediaDevices;
  const log = (message: string) => logged.push(message);
  return {
    contexts,
    streams,
    asked,
    listed: () => lists,
    logged,
    ports: {
      ...ports,
      log: { error: log, warn: log, info: log },
      createContext() {
        const context = ports.createContext();
        contexts.push(context);
        return context;
      },
      mediaDevices: mediaDevices && {
        ...(mediaDevices.getDisplayMedia && {
          getDisplayMedia: (options) => mediaDevices.getDisplayMedia!(options),
        }),
        async enumerateDevices() {
          const devices = await mediaDevices.enumerateDevices();
          lists += 1;
          return devices;
        },
        async getUserMedia(constraints) {
          asked.push(constraints?.audio as MediaTrackConstraints);
          const stream = await mediaDevices.getUserMedia(constraints);
          for (const track of stream.getTracks()) letTestsTell(track);
          streams.push(stream);
          return stream;
        },
      },
    },
  };
}

/** True if every microphone is off and every context closed. */
export function isAllClosed({ contexts, streams }: WatchedPorts): boolean {
  const tracks = streams.flatMap((stream) => stream.getTracks());
  return (
    tracks.every((track) => track.readyState === 'ended') &&
    contexts.every((context) => context.state === 'closed')
  );
}

/** Lets every microphone go. */
export function stopAll({ streams }: WatchedPorts): void {
  for (const stream of streams) for (const track of stream.getTracks()) track.stop();
}

/** The address of a script or file made on the spot. */
export function blobUrl(content: BlobPart, type: string): string {
  return URL.createObjectURL(new Blob([content], { type }));
}
