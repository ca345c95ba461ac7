import { startChild } from '../children/children.ts';
import {
  EngineEnded,
  ModelUnloadable,
  type Recognised,
  type RunningRecogniser,
} from './engine-port.ts';

/** Which model and where it lies. */
export type WhisperSource = {
  readonly model: string;
  /** A folder with models, used without the network; null downloads on first use. */
  readonly localModelPath: string | null;
  /** Where downloads are kept. */
  readonly cacheDir: string;
};

/** A transducer's files, and how it is run. */
export type TransducerSource = {
  /** Absolute paths. */
  readonly encoder: string;
  readonly decoder: string;
  readonly joiner: string;
  readonly tokens: string;
  /** Bands of the features it hears by. */
  readonly featureBins: number;
  /** Cores for one utterance. */
  readonly threads: number;
  /** `exact` is for processors on which `plain` writes nothing or nonsense. */
  readonly precision: 'plain' | 'exact';
};

/** The model that an engine's process loads; the program's argument, as JSON. */
export type EnginePlan =
  | { readonly kind: 'moonshine' }
  | { readonly kind: 'whisper'; readonly source: WhisperSource }
  | { readonly kind: 'transducer'; readonly source: TransducerSource };

/** One utterance for the engine's process; several may be under way. */
export type EngineRequest = {
  readonly id: number;
  readonly utterance: Float32Array;
  readonly language: string;
};

/** Its messages: `ready` or `unloadable` once, then an answer to each request. */
export type EngineReply =
  /** The share of a download that is done, 0 to 100; only before `ready`. */
  | { readonly kind: 'progress'; readonly percent: number }
  | { readonly kind: 'ready' }
  /** The model cannot be loaded; `reason` may be shown to anybody, `message` is for the log. */
  | { readonly kind: 'unloadable'; readonly reason: string; readonly message: string }
  | ({ readonly kind: 'heard'; readonly id: number } & Recognised)
  | { readonly kind: 'failed'; readonly id: number };

/** The start of a process. */
type EngineProcessOptions = {
  /** Utterances recognised at once. @default Node's own number of threads */
  readonly threads?: number;
  /** Called with the progress of a download, 0 to 100. @default nothing */
  readonly onProgress?: (percent: number) => void;
};

/** Starts a process that loads what `plan` says. */
export function startEngineProcess(
  plan: EnginePlan,
  { threads, onProgress = () => undefined }: EngineProcessOptions = {},
): RunningRecogniser {
  const child = startChild({
    program: 'engine/engine-child',
    args: [JSON.stringify(plan)],
    ...(threads === undefined ? {} : { poolThreads: threads }),
    isHeard: true,
  });
  const waiting = new Map<
    number,
    { resolve: (heard: Recognised) => void; reject: (e: Error) => void }
  >();
  let lastId = 0;
  let end: (reason: EngineEnded) => void = () => undefined;
  const ended = new Promise<EngineEnded>((resolve) => {
    end = resolve;
  });
  child.on('error', (cause) => end(new EngineEnded('the engine cannot be started', { cause })));
  child.on('exit', (code, signal) => end(new EngineEnded(`the engine ended: ${signal ?? code}`)));

  const ready = new Promise<void>((resolve, reject) => {
    child.on('message', (message) => {
      const reply = message as EngineReply;
      if (reply.kind === 'ready') resolve();
      else if (reply.kind === 'progress') onProgress(reply.percent);
      else if (reply.kind === 'unloadable')
        reject(new ModelUnloadable(reply.reason, reply.message));
      else settle(reply);
    });
    void ended.then(reject);
  });
  void ended.then((reason) => {
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
  });

  function settle(reply: Extract<EngineReply, { readonly id: number }>): void {
    const waiter = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (reply.kind === 'heard')
      waiter?.resolve({
        text: reply.text,
        ...(reply.words !== undefined && { words: reply.words }),
      });
    else waiter?.reject(new Error('the decoder failed'));
  }

  return {
    id: child.pid,
    ready,
    ended,
    recognise: (utterance, language) =>
      new Promise((resolve, reject) => {
        const request: EngineRequest = { id: ++lastId, utterance, language };
        waiting.set(request.id, { resolve, reject });
        // A message lost on the way is told by the end of the process.
        child.send(request, () => undefined);
      }),
    end: () => void child.kill('SIGKILL'),
  };
}
