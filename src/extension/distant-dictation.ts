import type { LevelPort, LevelReading } from '../core/audio/level-meter.ts';
import type {
  DeliveryVerdict,
  Dictation,
  StartOptions,
  StartResult,
} from '../core/contracts/dictation.ts';
import { DikteraError, type ErrorInfo, toErrorInfo } from '../core/errors.ts';
import {
  IDLE_SESSION,
  INITIAL_SNAPSHOT,
  type Notice,
  type Snapshot,
} from '../core/session/snapshot.ts';
import { newId } from '../platform/ids.ts';
import { stateOfText } from '../widget/insertions.ts';
import { ask, DICTATION_PORT } from './messages.ts';
import { connectCalls, type FarFunction } from './port-calls.ts';
import type { SnapshotChange } from './serve-dictation.ts';

/** A dictation that is elsewhere: the offscreen document's, as a page's frame or the popup has it. */
export type DistantDictation = ReturnType<typeof createDistantDictation>;

type Calls = ReturnType<typeof connectCalls>;

const GONE: ErrorInfo = {
  code: 'worker-crashed',
  message: 'The extension’s recorder is gone; another one goes on',
};

/** The extension was updated, reloaded or removed: this script is cut off from it for good. */
export function isCutOff(): boolean {
  return chrome.runtime?.id === undefined;
}

/** By then a script knows that it is cut off, and this often it is asked. */
const CUT_OFF_MS = 500;

/** The answer; rejects when the extension is gone, which answers nothing any more. */
function unlessCutOff<Answer>(answer: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setInterval(() => {
      if (!isCutOff()) return;
      clearInterval(timer);
      reject(new DikteraError('disposed', 'The extension is gone'));
    }, CUT_OFF_MS);
    void answer.then(resolve, reject).finally(() => clearInterval(timer));
  });
}

/**
 * The dictation of the offscreen document. It is started, and this is connected to it, by the first
 * command. If it goes, the next one takes its place: what was being dictated here is recovered from
 * its journal, and goes to its place as a late text does.
 */
export function createDistantDictation(ports: {
  /** Called when the extension is gone, and nothing can be dictated here any more. */
  readonly onCutOff: () => void;
}) {
  const listeners = new Set<() => void>();
  let told = INITIAL_SNAPSHOT;
  let snapshot = INITIAL_SNAPSHOT;
  /** The dictation that was asked for and is not told of yet: seen as starting. */
  let expectedId: string | null = null;
  let link: Promise<Calls> | null = null;
  /** Dictations begun here, ever. */
  const begun = new Set<string>();
  /** Those who are to be given the texts of dictations begun here. */
  const receivers = new Map<string, NonNullable<StartOptions['deliver']>>();

  function show(): void {
    const { version: _, ...parts } = told;
    if (told.session.id === expectedId) expectedId = null;
    const session =
      expectedId === null
        ? told.session
        : { ...IDLE_SESSION, id: expectedId, phase: 'starting' as const };
    snapshot = { ...parts, session, version: snapshot.version + 1 };
    for (const listener of [...listeners]) listener();
  }

  function hear(change: SnapshotChange): void {
    const { session, ...others } = change;
    told = { ...told, ...others, session: { ...told.session, ...session } };
    show();
  }

  async function open(): Promise<Calls> {
    const isAwake = await unlessCutOff(ask<'wake'>({ kind: 'wake' }));
    if (isAwake !== true) throw new DikteraError('worker-crashed', 'No recorder was started');
    const calls = connectCalls(chrome.runtime.connect({ name: DICTATION_PORT }), {
      handle: () => {
        throw new DikteraError('bad-option', 'Nothing can be asked for here');
      },
      hear: (value) => hear(value as SnapshotChange),
      onEnd: recover,
    });
    // Answered by all there is to know of these.
    void calls.call('know', [...begun]).catch(() => {});
    return calls;
  }

  function connected(): Promise<Calls> {
    link ??= open().catch((error) => {
      link = null;
      if (isCutOff()) ports.onCutOff();
      throw error;
    });
    return link;
  }

  /** The offscreen document is gone, or a page that was left comes back from the cache. */
  function recover(): void {
    link = null;
    expectedId = null;
    const left = [...receivers];
    receivers.clear();
    const notice: Notice = { kind: 'worker-crashed', error: GONE };
    const { queue, notices } = told;
    told = {
      ...told,
      session: IDLE_SESSION,
      // The queue is unknown until the next offscreen document has read it.
      queue: { ...queue, isLoaded: false, isRecovered: false },
      notices: left.length === 0 ? notices : [...notices.filter(isAnother), notice],
    };
    show();
    // The port ends a moment before the script is cut off.
    setTimeout(() => {
      if (isCutOff()) ports.onCutOff();
    }, CUT_OFF_MS);
    for (const [id, deliver] of left) void deliverLater(id, deliver);
    if (left.length > 0) void connected().catch(() => {});
  }

  /** Brings the recovered text to its place, unless somebody has taken it out of the list. */
  async function deliverLater(
    id: string,
    deliver: NonNullable<StartOptions['deliver']>,
  ): Promise<void> {
    const isThere = await new Promise<boolean>((resolve) => {
      const look = (): void => {
        const state = stateOfText(dictation, id);
        if (state !== 'ready' && state !== 'none') return;
        stop();
        resolve(state === 'ready');
      };
      const stop = dictation.subscribe(look);
      look();
    });
    const whole = { failedChunks: 0, chunksToReview: 0 };
    // Without a text there is nothing to insert: the place is given up.
    if (!isThere) await deliver({ ...whole, text: '' }, new AbortController().signal);
    else
      await dictation.takeText(id, async (text, withdrawn) =>
        deliver({ ...whole, text }, withdrawn),
      );
  }

  const isAllWell = (): boolean => told.notices.every(isAnother);

  /** A notice of this side's own, until the other side tells again what it has. */
  function addNotice(notice: Notice): void {
    const others = told.notices.filter(({ kind }) => kind !== notice.kind);
    told = { ...told, notices: [...others, notice] };
    show();
  }

  async function call<Answer>(name: string, ...args: readonly unknown[]): Promise<Answer> {
    return (await (await connected()).call(name, ...args)) as Answer;
  }

  /** A command whose outcome is seen in the snapshot. */
  function command(name: string, ...args: readonly unknown[]): void {
    call(name, ...args).catch((error) => console.error(`Diktera: ${name} was not done`, error));
  }

  async function start(options: StartOptions = {}): Promise<StartResult> {
    const { deliver, deliverPiece, ...others } = options;
    const id = newId();
    expectedId = id;
    begun.add(id);
    show();
    if (deliver) receivers.set(id, deliver);
    const receive: typeof deliver = async (result, withdrawn) => {
      const verdict = await deliver?.(result, withdrawn);
      receivers.delete(id);
      return verdict ?? false;
    };
    const result = await call<StartResult>('start', {
      ...others,
      id,
      ...(deliver && { deliver: receive }),
      ...(deliverPiece && { deliverPiece }),
    }).catch((error) => {
      console.error('Diktera: recording was not started', error);
      const failed = toErrorInfo(error, 'worker-crashed');
      // One whose recorder went away says so already.
      if (isAllWell()) addNotice({ kind: 'audio-graph-failed', error: failed });
      return { ok: false, reason: 'worker-crashed' } as const;
    });
    // One that was begun and is not told of yet is still to come.
    if (!result.ok) {
      receivers.delete(id);
      if (expectedId === id) expectedId = null;
      show();
    }
    return result;
  }

  const dictation: Dictation = {
    start,
    getSnapshot: (): Snapshot => snapshot,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    prepare: () => command('prepare'),
    pause: () => command('pause'),
    resume: () => command('resume'),
    stop: (options) =>
      call<Awaited<ReturnType<Dictation['stop']>>>('stop', options).catch(() => null),
    cancel: () => command('cancel'),
    undoCancel: () => command('undoCancel'),
    stopWaiting: () => command('stopWaiting'),
    levels: (framesPerReading = 1) => levelsOf((tell) => call('levels', framesPerReading, tell)),
    retry: (itemId) => command('retry', itemId),
    discard: (itemId) => command('discard', itemId),
    retryKept: (dictationId) => call('retryKept', dictationId),
    discardKept: (dictationId) => command('discardKept', dictationId),
    takeText: (dictationId, insert) =>
      call<DeliveryVerdict>('takeText', dictationId, insert).catch(() => false),
    async holdPlace(dictationId) {
      const letGo = await call<FarFunction>('holdPlace', dictationId).catch(() => null);
      return () => void letGo?.().catch(() => {});
    },
    audio: (dictationId) => call('audio', dictationId),
    wipe: () => call('wipe'),
    recordings: {
      transcripts: (id) => call('recordings.transcripts', id),
      audio: (id) => call('recordings.audio', id),
      transcribeAgain: (id, options) => call('recordings.transcribeAgain', id, options ?? {}),
      applyRules: (id) => call('recordings.applyRules', id),
      delete: (id) => call('recordings.delete', id),
      deleteAll: () => call('recordings.deleteAll'),
      undoDelete: (id) => call('recordings.undoDelete', id),
      keep: (keeping) => command('recordings.keep', keeping),
      storage: () => call('recordings.storage'),
    },
    dismissNotice(kind) {
      told = { ...told, notices: told.notices.filter((notice) => notice.kind !== kind) };
      show();
      // Without a link there is no recorder to tell.
      if (link) command('dismissNotice', kind);
    },
    // The extension's options are for all pages.
    setOptions: () => false,
    dispose() {},
  };
  return {
    ...dictation,
    /** Records without a field: the text waits in the list. */
    startWithoutField: () => command('startWithoutField'),
  };
}

function isAnother({ kind }: Notice): boolean {
  return kind !== 'worker-crashed';
}

/** Readings that come by calls, in the shape of a port. */
function levelsOf(begin: (tell: (reading: LevelReading) => void) => Promise<unknown>): LevelPort {
  let listener: Parameters<LevelPort['addEventListener']>[1] = () => {};
  let end: Promise<unknown> | null = null;
  const stop = (): void => {
    void end?.then((letGo) => (letGo as FarFunction)()).catch(() => {});
    end = null;
  };
  return {
    addEventListener(_message, next) {
      listener = next;
    },
    start() {
      end ??= begin((data) => listener({ data })).catch(() => null);
    },
    postMessage: stop,
    close: stop,
  };
}
