import { createMicrophoneCapture } from '../../../src/capture/capture.ts';
import { browserCapturePorts } from '../../../src/capture/capture-ports.ts';
import { SAMPLE_RATE_HZ } from '../../../src/core/audio/audio-format.ts';
import type { FedMicrophone } from './fed-microphone.ts';

/** The real capture, graph and worklet; what is fed sounds in the microphone's place, in real time. */
export type HeardMicrophone = FedMicrophone & {
  /** Suspends the context that records. With `isForbidden` the browser lets nobody resume it until `allow`. */
  suspend(isForbidden: boolean): Promise<void>;
  allow(): void;
};

export function createHeardMicrophone(): HeardMicrophone {
  const voice = new AudioContext();
  const sound = voice.createMediaStreamDestination();
  let recording: AudioContext | null = null;
  let deviceId = '';
  let fedSamples = 0;

  const capture = createMicrophoneCapture({
    ...browserCapturePorts(),
    queryPermission: async () => 'granted',
    createContext() {
      recording = new AudioContext();
      return recording;
    },
    mediaDevices: {
      async getUserMedia() {
        const stream = sound.stream.clone();
        deviceId = stream.getAudioTracks()[0]?.getSettings().deviceId ?? '';
        return stream;
      },
      async enumerateDevices() {
        const device = { deviceId, groupId: '', kind: 'audioinput', label: 'Heard' } as const;
        return [{ ...device, toJSON: () => device }];
      },
    },
  });

  return {
    capture,
    get fedSamples() {
      return fedSamples;
    },
    async feed(samples) {
      await voice.resume();
      const buffer = new AudioBuffer({ length: samples.length, sampleRate: SAMPLE_RATE_HZ });
      buffer.copyToChannel(Float32Array.from(samples), 0);
      const source = new AudioBufferSourceNode(voice, { buffer });
      source.connect(sound);
      source.start();
      await new Promise((resolve) => source.addEventListener('ended', resolve));
      fedSamples += samples.length;
    },
    lose() {
      for (const track of sound.stream.getTracks()) track.stop();
    },
    async suspend(isForbidden) {
      if (!recording) return;
      if (isForbidden)
        recording.resume = () => Promise.reject(new DOMException('as a test wants it'));
      await recording.suspend();
    },
    allow() {
      if (recording) Reflect.deleteProperty(recording, 'resume');
    },
  };
}
