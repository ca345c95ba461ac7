import { parentPort, workerData } from 'node:worker_threads';
import {
  ConversionImpossible,
  type ConversionReply,
  type ConversionTask,
} from './convert-in-thread.ts';
import { makeReady } from './make-ready.ts';

// The program of the thread in which models are converted.
const { model, folder } = workerData as ConversionTask;
const reply = await makeReady(model, folder).then(
  (): ConversionReply => ({ kind: 'done' }),
  (error: unknown): ConversionReply => ({
    kind: error instanceof ConversionImpossible ? 'impossible' : 'failed',
    message: error instanceof Error ? error.message : String(error),
    code: error instanceof Error && 'code' in error ? String(error.code) : '',
  }),
);
parentPort?.postMessage(reply);
