import { startChild } from '../children/start-child.ts';
import type { EnginePlan, EngineReply, EngineRequest } from './engine-protocol.ts';
import { ModelUnloadable } from './model-unloadable.ts';
import { EngineEnded, type RunningRecogniser } from './recogniser.ts';

/** How a process is started. */
export type EngineProcessOptions = {
  /** Utterances recognised at once. @default Node's own number of threads */
  readonly threads?: number;
  /** Told how far a download is, 0 to 100. @default nobody */
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
    { resolve: (text: string) => void; reject: (e: Error) => void }
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
    if (reply.kind === 'heard') waiter?.resolve(reply.text);
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
        // What is lost on the way is told by its end.
        child.send(request, () => undefined);
      }),
    end: () => void child.kill('SIGKILL'),
  };
}
