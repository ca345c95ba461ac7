import * as Comlink from 'comlink';
import { sleep } from '../../../src/core/async.ts';
import type { EncodedAudio } from '../../../src/core/audio/audio-types.ts';
import { concatSamples } from '../../../src/core/audio/samples.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { DikteraError } from '../../../src/core/errors.ts';
import type { Logger } from '../../../src/core/logger.ts';
import { DEFAULT_KEEPING } from '../../../src/core/recordings/recording.ts';
import type { SpeechEngine } from '../../../src/core/speech/speech-engine.ts';
import type { GivenTextRules } from '../../../src/core/text/text-rules.ts';
import { holdLife } from '../../../src/platform/locks.ts';
import { assembleWorker, startUp, type WorkerEdges } from '../../../workers/assemble-worker.ts';
import { createDictationWorker } from '../../../workers/dictation-worker.ts';
import { createSnapshotPublisher } from '../../../workers/snapshot-publisher.ts';
import { NOBODY, type Owner } from '../owners.ts';
import type { Realm, Scheduler } from '../scheduler.ts';
import { isSpeech } from '../words.ts';
import { FakePort } from './ports.ts';

export type WorkerPorts = {
  readonly scheduler: Scheduler;
  readonly fetch: typeof globalThis.fetch;
  readonly log: Logger;
  /** @default nobody's */
  readonly owner?: Owner;
  /** @default the usual ones */
  readonly textRules?: GivenTextRules;
  /** True if encoder or engine fail now. */
  readonly isBroken: (part: 'encoder' | 'engine') => boolean;
  /** Not null if its script fails to load now, with or without an error event. */
  readonly unloadable: () => { readonly isSaid: boolean } | null;
  /** The least time that packing audio takes. @default no time */
  readonly encodingMs?: () => number;
};

/** A worker as its page has it, and its realm. */
export type FakeWorker = { readonly realm: Realm; readonly worker: Worker };

const SETUP = {
  engine: 'auto',
  keeping: { ...DEFAULT_KEEPING, keepRecordings: 24 },
} as const;

/** Starts the real worker in a realm of its own; only its edges are made. */
export function startFakeWorker(name: string, page: Realm, ports: WorkerPorts): FakeWorker {
  const { scheduler, log } = ports;
  const realm = scheduler.newRealm(name);
  const owner = { realm };
  page.onDeath.push(() => scheduler.kill(realm));
  const [outside, inside] = FakePort.pair(scheduler, page, realm);
  outside.start();
  const worker = outside as unknown as Worker;
  worker.terminate = () => scheduler.kill(realm);
  const unloadable = ports.unloadable();
  if (unloadable) {
    const say = (): void => outside.tell('error', { message: 'Made not to load' });
    if (unloadable.isSaid) scheduler.after(5 + scheduler.random() * 500, { realm: page }, say);
    return { realm, worker };
  }
  scheduler.after(10 + scheduler.random() * 150, owner, () => {
    const clock = scheduler.clockOf(realm);
    const publisher = createSnapshotPublisher(clock);
    const basics = { clock, log, dispatch: publisher.dispatch };
    const { account, address } = ports.owner ?? NOBODY;
    const { textRules = {} } = ports;
    const setup = { ...SETUP, account, transcriptionUrl: address, textRules };
    const parts = assembleWorker(setup, edgesOf(clock, ports), basics);
    const api = createDictationWorker({
      publisher,
      clock,
      log,
      async holdLock(lockName) {
        await holdLife(lockName);
      },
      parts,
    });
    Comlink.expose(api, inside as unknown as Comlink.Endpoint);
    void startUp(parts, SETUP, basics);
  });
  return { realm, worker };
}

function edgesOf(
  clock: Clock,
  { scheduler, fetch, isBroken, encodingMs = () => 0 }: WorkerPorts,
): WorkerEdges {
  const work = (mostMs: number): Promise<void> => sleep(clock, scheduler.random() * mostMs);
  return {
    fetch,
    random: scheduler.random,
    async loadEngine() {
      await work(200);
      if (isBroken('engine')) throw new DikteraError('engine-failed', 'Made to fail');
      return createEngine(() => isBroken('engine'));
    },
    encoder: {
      chooseType: async () => 'audio/webm',
      proveFiles: async () => {},
      async encode(samples) {
        await work(30);
        if (isBroken('encoder')) throw new DikteraError('encoding-failed', 'Made to fail');
        return encodedOf(samples);
      },
      async decode({ bytes }) {
        await work(30);
        return new Float32Array(bytes);
      },
      async pack(samples) {
        await sleep(clock, encodingMs());
        await work(30);
        if (isBroken('encoder')) throw new DikteraError('encoding-failed', 'Made to fail');
        const { bytes, type, durationSamples } = encodedOf(samples);
        const sizes = [bytes.byteLength];
        return { type, codec: null, bytes, sizes, packetSamples: durationSamples, durationSamples };
      },
      async join(parts) {
        const sounds = parts.map(({ bytes }) => new Float32Array(bytes));
        return encodedOf(concatSamples(sounds));
      },
    },
  };
}

function encodedOf(samples: Float32Array): EncodedAudio {
  const { buffer } = samples.slice();
  return { type: 'audio/webm', bytes: buffer, durationSamples: samples.length };
}

function createEngine(isBroken: () => boolean): SpeechEngine {
  return {
    kind: 'ort',
    infer(samples) {
      if (isBroken()) throw new Error('Made to fail');
      return isSpeech(samples) ? 1 : 0;
    },
    reset() {},
    dispose() {},
  };
}
