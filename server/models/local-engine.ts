import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { assertNever } from '../../src/core/assert-never.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { EngineState, RunningRecogniser, TranscriptionEngine } from '../engine/engine-port.ts';
import type { EnginePlan, TransducerSource } from '../engine/engine-process.ts';
import type { EngineOptions } from '../engine/engine-set.ts';
import { recogniseInPieces, TRANSDUCER_PIECES } from '../engine/pieces.ts';
import { type SupervisedRecogniser, superviseRecogniser } from '../engine/supervised-recogniser.ts';
import { CATALOGUE, modelFor } from './catalogue.ts';
import { ConversionImpossible, convertInThread } from './convert/convert-in-thread.ts';
import { type FetchOptions, fetchModel } from './download/fetch-model.ts';
import { diskProblem, type FetchFault, FetchProblem } from './download/open-download.ts';
import {
  codeOf,
  type FetchedModel,
  folderOf,
  type KnownModel,
  type ModelFolder,
  READY_FILES,
  readReady,
  removeVersion,
  totalBytes,
} from './layout/model-folder.ts';
import { clipsOf, keepTrial, readTrial, tryModel } from './try-model.ts';

/** The plan by which an engine runs a model that is ready; `threads` are cores for one utterance. */
export function sourceOf(
  { facts }: FetchedModel,
  { ready }: ModelFolder,
  threads: number,
  precision: TransducerSource['precision'],
): TransducerSource {
  const path = (part: keyof typeof READY_FILES) => join(ready, READY_FILES[part]);
  return {
    encoder: path('encoder'),
    decoder: path('decoder'),
    joiner: path('joiner'),
    tokens: path('tokens'),
    featureBins: facts.featureBins,
    threads,
    precision,
  };
}

/** The fault of a model that is not ready and is not coming. */
export type ModelFault =
  | FetchFault
  /** It is built otherwise than we can convert. */
  | 'not-convertible'
  /** It ended the engine, or wrote nothing, when it was tried. */
  | 'unusable'
  | 'unknown';

/** The progress of a model. */
export type ModelProgress =
  /** Nothing of it is wanted or here. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'fetching'; readonly doneBytes: number }
  | { readonly kind: 'paused'; readonly doneBytes: number }
  | { readonly kind: 'converting' }
  /** Loaded for the first time, on a clip. */
  | { readonly kind: 'trying' }
  | { readonly kind: 'ready' }
  /** It could not be had; asking again may help. `reason` is for people and holds no paths. */
  | { readonly kind: 'failed'; readonly fault: ModelFault; readonly reason: string }
  /** It ended the engine or wrote nothing when it was tried; it stays out until fetched anew. */
  | { readonly kind: 'quarantined'; readonly fault: ModelFault; readonly reason: string };

/** The share of the work before the first word that is done, 0 to 1; the download is nearly all of it. */
export function shareDone(progress: ModelProgress, totalBytes: number): number {
  switch (progress.kind) {
    case 'fetching':
    case 'paused':
      return Math.floor((95 * progress.doneBytes) / totalBytes) / 100;
    case 'converting':
      return 0.96;
    case 'trying':
      return 0.98;
    case 'ready':
      return 1;
    default:
      return 0;
  }
}

/** The same in words, for the log. */
export function progressText(progress: ModelProgress, totalBytes: number): string {
  const percent = `${Math.round(100 * shareDone(progress, totalBytes))} %`;
  switch (progress.kind) {
    case 'absent':
      return 'not here';
    case 'fetching':
      return `being fetched, ${percent} done (${Math.round(totalBytes / 1e6)} MB)`;
    case 'paused':
      return `paused, ${percent} done`;
    case 'converting':
      return `being made ready, ${percent} done`;
    case 'trying':
      return `being tried, ${percent} done`;
    case 'ready':
      return 'ready';
    case 'failed':
      return `could not be made ready: ${progress.reason}`;
    case 'quarantined':
      return `put aside: ${progress.reason}`;
    default:
      return assertNever(progress);
  }
}

/** The parts that an engine with a fetched model works with. */
export type LocalEnginePorts = Pick<FetchOptions, 'sources' | 'env' | 'room' | 'pause'> & {
  readonly model: FetchedModel;
  /** The folder of all models. */
  readonly modelsRoot: string;
  /** True if it is fetched at the start where it is missing. */
  readonly isWanted: boolean;
  /** Cores for one utterance. */
  readonly threads: number;
  readonly launch: (plan: EnginePlan) => RunningRecogniser;
  readonly clock: Clock;
  /** Called with each step, and with each hundredth of a download. */
  readonly onProgress: (progress: ModelProgress) => void;
  /** Called with the reason why an engine ended. */
  readonly onFailure: (error: Error) => void;
};

/** An engine whose model is fetched when somebody wants it. */
export type LocalEngine = TranscriptionEngine & {
  readonly model: FetchedModel;
  progress(): ModelProgress;
  /** The time since the last byte of a download, in ms; null when nothing is fetched. */
  stillMs(): number | null;
  /** True if clients are told of it: it is wanted, or here. */
  isOffered(): boolean;
  /** Fetches the model, or goes on, and what failed is tried again. Returns at once. */
  fetch(): void;
  /** Stops a download where it is. */
  pause(): void;
  /** Stops it and deletes what has come; does nothing to a model that is ready. */
  cancel(): Promise<void>;
};

/** An engine that ends more often than this within the time is out. */
const RESTARTS = { most: 3, withinMs: 600_000 } as const;

/** Loading reads 650 MB, and with exact sums takes minutes. */
const LOAD_MS = 300_000;

/** Makes the engine; `start` begins with what is here or wanted. */
export function createLocalEngine(ports: LocalEnginePorts): LocalEngine {
  const { model, launch, clock, onFailure } = ports;
  const folder = folderOf(ports.modelsRoot, model);
  const total = totalBytes(model);
  let progress: ModelProgress = { kind: 'absent' };
  /** When it last was another, by a byte or more. */
  let movedAtMs = clock.nowMs();
  let isOffered = ports.isWanted;
  let recogniser: SupervisedRecogniser | null = null;
  let stop = new AbortController();
  let running: Promise<void> | null = null;
  let isDisposed = false;

  function move(next: ModelProgress): void {
    const before = shareDone(progress, total);
    const isMoved = next.kind !== progress.kind || doneIn(next) !== doneIn(progress);
    if (isMoved) movedAtMs = clock.nowMs();
    const isStep = next.kind !== progress.kind || shareDone(next, total) > before;
    progress = next;
    if (isStep) ports.onProgress(next);
  }

  function run(before: Promise<unknown> = Promise.resolve()): Promise<void> {
    isOffered = true;
    stop = new AbortController();
    const { signal } = stop;
    const own = before
      .then(() => bringUp(signal))
      .catch((error: unknown) => {
        // Else it is begun anew already.
        if (stop.signal === signal) move(problemOf(error));
      })
      .finally(() => {
        if (running === own) running = null;
      });
    running = own;
    return own;
  }

  async function bringUp(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const onBytes = (doneBytes: number) => move({ kind: 'fetching', doneBytes });
    if ((await readReady(folder)) === null) {
      onBytes(0);
      await fetchModel({ ...ports, folder, signal, onBytes }, () => {
        move({ kind: 'converting' });
        return convertInThread({ model, folder }, signal);
      });
    }
    const kept = await readTrial(folder);
    if (kept === null) move({ kind: 'trying' });
    const [clip] = clipsOf(model.languages[0] ?? '');
    if (clip === undefined) throw new Error('there is no clip');
    const trial =
      kept ?? (await tryModel({ launch: (precision) => launch(planOf(precision)), clip, clock }));
    signal.throwIfAborted();
    if (kept === null) await keepTrial(folder, trial);
    if (trial.fault !== null) {
      move({ kind: 'quarantined', fault: 'unusable', reason: trial.fault });
      return;
    }
    recogniser = superviseRecogniser({
      launch: () => launch(planOf(trial.precision)),
      clock,
      onFailure,
      loadMs: LOAD_MS,
      restarts: RESTARTS,
    });
    if (isDisposed) recogniser.stop();
    else await recogniser.start();
    move({ kind: 'ready' });
  }

  function planOf(precision: TransducerSource['precision']): EnginePlan {
    return { kind: 'transducer', source: sourceOf(model, folder, ports.threads, precision) };
  }

  function problemOf(error: unknown): ModelProgress {
    if (stop.signal.aborted) {
      const doneBytes = progress.kind === 'fetching' ? progress.doneBytes : total;
      return stop.signal.reason === PAUSED ? { kind: 'paused', doneBytes } : { kind: 'absent' };
    }
    onFailure(error instanceof Error ? error : new Error(String(error)));
    if (error instanceof ConversionImpossible) {
      const other = 'ASR_ROUTES=sv=transformers or a server of your own does without it';
      const reason = `it cannot be converted (${error.message}); ${other}`;
      return { kind: 'quarantined', fault: 'not-convertible', reason };
    }
    const problem = error instanceof FetchProblem ? error : diskProblem(codeOf(error));
    if (problem === null) {
      return { kind: 'failed', fault: 'unknown', reason: 'it could not be made ready' };
    }
    return { kind: 'failed', fault: problem.fault, reason: problem.message };
  }

  function state(): EngineState {
    if (recogniser !== null) return recogniser.state();
    switch (progress.kind) {
      case 'absent':
        return isOffered ? { kind: 'loading', share: 0 } : failed('its model is not here');
      case 'failed':
      case 'quarantined':
        return failed(progress.reason);
      default:
        return { kind: 'loading', share: shareDone(progress, total) };
    }
  }

  return {
    model,
    description: {
      engine: 'transducer',
      model: model.id,
      languages: model.languages,
      defaultLanguage: model.languages[0] ?? null,
    },
    state,
    progress: () => progress,
    stillMs: () => (progress.kind === 'fetching' ? Math.max(0, clock.nowMs() - movedAtMs) : null),
    isOffered: () => isOffered,
    async start() {
      if (ports.isWanted || (await readReady(folder)) !== null) await run();
    },
    fetch() {
      const isAtWork = running !== null && !stop.signal.aborted;
      if (recogniser !== null || isAtWork || isDisposed) return;
      const isQuarantined = progress.kind === 'quarantined';
      // At once: whoever asked is answered with it.
      move({ kind: 'fetching', doneBytes: progress.kind === 'paused' ? progress.doneBytes : 0 });
      void run(Promise.all([running, isQuarantined && rm(folder.trial, { force: true })]));
    },
    pause: () => stop.abort(PAUSED),
    async cancel() {
      if (recogniser !== null) return;
      stop.abort(new Error('cancelled'));
      await running;
      isOffered = ports.isWanted;
      if ((await readReady(folder)) === null) await removeVersion(folder);
      move({ kind: 'absent' });
    },
    async transcribe(samples, { language }, signal, turn) {
      const asked = recogniser;
      if (asked === null) throw new Error('the model is not ready');
      const recognise = (utterance: Float32Array) => asked.recognise(utterance, language);
      const heard = await recogniseInPieces(recognise, samples, signal, turn, TRANSDUCER_PIECES);
      return { ...heard, language };
    },
    async dispose() {
      isDisposed = true;
      stop.abort(PAUSED);
      recogniser?.stop();
      await running;
    },
  };
}

const PAUSED = new Error('paused');

function doneIn(progress: ModelProgress): number | null {
  return 'doneBytes' in progress ? progress.doneBytes : null;
}

function failed(reason: string): EngineState {
  return { kind: 'failed', reason };
}

/** The engines with fetched models, and which language goes to which. */
type LocalEngines = {
  readonly engines: readonly LocalEngine[];
  readonly byLanguage: ReadonlyMap<string, LocalEngine>;
};

/**
 * Makes an engine of each model that may be of use: for languages that are wanted, and, where the
 * embedded engine is the main one, for all others nobody else writes, should one be fetched later.
 */
export function createLocalEngines(
  { main, routes, local }: Pick<EngineOptions, 'main' | 'routes' | 'local'>,
  make: (model: FetchedModel, isWanted: boolean) => LocalEngine,
  catalogue: readonly KnownModel[] = CATALOGUE,
): LocalEngines {
  const engines: LocalEngine[] = [];
  const byLanguage = new Map<string, LocalEngine>();
  for (const model of catalogue) {
    if (model.kind !== 'fetched') continue;
    const languages = model.languages.filter(
      (language) =>
        modelFor(language, catalogue) === model &&
        !routes.has(language) &&
        (main === 'embedded' || local.includes(language)),
    );
    if (languages.length === 0) continue;
    const engine = make(
      model,
      languages.some((language) => local.includes(language)),
    );
    engines.push(engine);
    for (const language of languages) byLanguage.set(language, engine);
  }
  return { engines, byLanguage };
}
