import { createMicrophoneCapture } from '../../../src/capture/capture.ts';
import { browserCapturePorts } from '../../../src/capture/capture-ports.ts';
import { SAMPLE_RATE_HZ } from '../../../src/core/audio/audio-format.ts';
import type { FedMicrophone } from './fed-microphone.ts';

/** The real capture, graph and worklet; what is fed sounds in the microphone's place. */
export type HeardMicrophone = FedMicrophone & {
  /** Suspends the context that records. */
  suspend(how: Suspension): Promise<void>;
  allow(): void;
};

/** It can be resumed; or no context runs until `allow`; or another one would run. */
export type Suspension = 'resumable' | 'until-allowed' | 'for-good';

/** The browser does not let it run. */
async function forbid(context: AudioContext): Promise<void> {
  context.resume = () => Promise.reject(new DOMException('as a test wants it'));
  await context.suspend();
}

export function createHeardMicrophone(): HeardMicrophone {
  const voice = new AudioContext();
  const sound = voice.createMediaStreamDestination();
  let recording: AudioContext | null = null;
  const forbidden = new Set<AudioContext>();
  let isForbidden = false;
  let deviceId = '';
  let fedSamples = 0;

  const capture = createMicrophoneCapture({
    ...browserCapturePorts(),
    queryPermission: async () => 'granted',
    createContext() {
      const context = new AudioContext();
      if (isForbidden) {
        forbidden.add(context);
        void forbid(context);
      }
      recording = context;
      return context;
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
    async suspend(how) {
      if (!recording) return;
      isForbidden = how === 'until-allowed';
      if (isForbidden) forbidden.add(recording);
      await (how === 'resumable' ? recording.suspend() : forbid(recording));
    },
    allow() {
      isForbidden = false;
      for (const context of forbidden) Reflect.deleteProperty(context, 'resume');
    },
  };
}
