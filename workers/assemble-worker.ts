import { sleep } from '../src/core/async.ts';
import type { AudioEncoderPort, SoundPacker } from '../src/core/audio/audio-types.ts';
import { concatSamples, samplesOf } from '../src/core/audio/samples.ts';
import { writeWav } from '../src/core/audio/wav-file.ts';
import type { Clock, Random } from '../src/core/clock.ts';
import type { AudioFile } from '../src/core/contracts/dictation.ts';
import type { WorkerSetup } from '../src/core/contracts/worker-api.ts';
import { toErrorInfo } from '../src/core/errors.ts';
import type { Logger } from '../src/core/logger.ts';
import type { SessionOptions } from '../src/core/options/dictation-options.ts';
import { createOwnerScope, ownerName } from '../src/core/queue/owner.ts';
import type { SnapshotEvent } from '../src/core/session/snapshot.ts';
import type { EngineChoice, SpeechEngine } from '../src/core/speech/speech-engine.ts';
import { deadline } from '../src/platform/deadline.ts';
import {
  createDictationLocks,
  createVisibleTabs,
  isPlaceHeld,
  takeClaim,
  takeTurnToSend,
} from '../src/platform/locks.ts';
import { createEngineCache } from './audio/engine-cache.ts';
import { createRecordingsChannel } from './recordings/known-recordings.ts';
import { createRecordings } from './recordings/recordings.ts';
import { createHealthCheck, createServerWatch } from './server-watch.ts';
import { createLettingGo } from './session/letting-go.ts';
import { createEarlyAnswers, createEarlyRequest, isLinkFast } from './session/live-speech.ts';
import { createRecovery } from './session/recovery.ts';
import { createSampleAccounts } from './session/sample-accounts.ts';
import { createQueueReporter } from './snapshot-publisher.ts';
import { claimUnowned, createChunkStore } from './store/chunk-store.ts';
import { createDatabase, createDiskWatch, isFull } from './store/database.ts';
import { createJournal, createOrphanCheck } from './store/journal.ts';
import { createRecordingStore } from './store/recording-store.ts';
import { DictationEntries } from './upload/dictation-entry.ts';
import {
  createFittedRequest,
  earlyOptions,
  inLikelyLanguage,
  inSpokenLanguage,
} from './upload/fitted-request.ts';
import { createQueueChannel } from './upload/queue-tabs.ts';
import { createWorkerRules, withTextRules } from './upload/ruled-request.ts';
import { createTranscribeRequest } from './upload/transcribe-request.ts';
import { createUploadQueue } from './upload/upload-queue.ts';

type AssemblyPorts = {
  readonly clock: Clock;
  readonly log: Logger;
  readonly dispatch: (event: SnapshotEvent) => void;
};

/** A text does not wait longer for the operator's names and snippets. */
const SHARED_WITHIN_MS = 3_000;

/** The worker's edges, beside IndexedDB, Web Locks and BroadcastChannel. */
export type WorkerEdges = {
  readonly loadEngine: (choice: EngineChoice) => Promise<SpeechEngine>;
  readonly encoder: AudioEncoderPort & SoundPacker;
  readonly fetch: typeof globalThis.fetch;
  readonly random: Random;
};

/** The parts of a worker that knows where things are. */
export type WorkerParts = ReturnType<typeof assembleWorker>;

/** Puts the worker's parts together. */
export function assembleWorker(
  setup: Pick<WorkerSetup, 'engine' | 'transcriptionUrl' | 'account' | 'keeping' | 'textRules'>,
  edges: WorkerEdges,
  ports: AssemblyPorts,
) {
  const { clock, log, dispatch } = ports;
  const { loadEngine, encoder, fetch, random } = edges;
  const { transcriptionUrl } = setup;
  const scope = createOwnerScope(
    { account: setup.account ?? null, address: transcriptionUrl.replace(/#.*$/, '') },
    setup.account !== undefined,
  );
  const account = () => scope.owner.account;
  const engines = createEngineCache({ load: loadEngine, log, dispatch });
  // The engine's file is fetched while the rest is put together.
  void engines.get(setup);
  const locks = createDictationLocks(clock);
  const visibleTabs = createVisibleTabs();
  // Until the page reports otherwise.
  visibleTabs.set(true);
  const senders = ownerName(scope.owner);

  const accounts = createSampleAccounts();
  const reporter = createQueueReporter(dispatch);
  const publishLedger = (): void =>
    dispatch({ kind: 'ledger-changed', ledger: accounts.ledger(queue.cache.list()) });
  const disk = createDiskWatch({
    estimate: () => navigator.storage.estimate(),
    clock,
    dispatch,
  });

  const database = createDatabase({ clock });
  const journal = createJournal({
    database,
    clock,
    scope,
    onFailure: (error) => {
      log.error('The journal cannot be written', error);
      const notice = isFull(error) ? 'storage-full' : 'storage-failed';
      dispatch({ kind: 'notice-raised', notice, error: toErrorInfo(error, 'storage-failed') });
      if (isFull(error)) dispatch({ kind: 'end-wanted', cause: 'disk-full' });
    },
    // A full disk has ended the recording: that stays said until the next one begins.
    onRecovered: () => dispatch({ kind: 'notice-cleared', notice: 'storage-failed' }),
    spareOthers: () => recordings.makeRoom(),
  });

  const entries = new DictationEntries();
  /**
   * One file of a dictation's chunks in the queue, in order, and of the speech that could not be
   * encoded; null if there is neither. Rejects with `storage-failed` or `encoding-failed`.
   */
  async function audioOf(dictationId: string): Promise<AudioFile | null> {
    const heads = queue.cache.list().filter((head) => head.dictationId === dictationId);
    const fetched = await Promise.all(heads.map(({ id }) => queue.cache.fetch(id)));
    const audios = fetched.flatMap((item) => (item ? [item.audio] : []));
    const isRestRaw = entries.of(dictationId).unencodable !== null;
    const parts = (isRestRaw && (await journal.read(dictationId, 'cut'))?.parts) || [];
    const raw = parts.flatMap((part) => (part.kind === 'audio' ? [part.pcm] : []));
    const [first] = audios;
    if (first && audios.length === 1 && raw.length === 0) {
      return { type: first.type, bytes: first.bytes };
    }
    const pieces = await Promise.all(audios.map((audio) => encoder.decode(audio)));
    if (raw.length > 0) pieces.push(samplesOf(raw));
    if (pieces.length === 0) return null;
    return { type: 'audio/wav', bytes: writeWav(concatSamples(pieces)) };
  }

  const rules = createWorkerRules(setup.textRules ?? {}, {
    clock,
    log,
    sharedVersion: () => server.offer().sharedVocabulary,
    async fetchShared() {
      const { signal, end } = deadline(clock, SHARED_WITHIN_MS);
      const address = new URL('../vocabulary', transcriptionUrl).href;
      const answer = await fetch(address, { cache: 'no-store', signal }).finally(end);
      if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
      return answer.json();
    },
  });
  const vocabulary = () => rules.vocabulary(server.offer().vocabularyCharacters);
  const tellsTimes = () => server.offer().tellsTimes;
  const answers = createEarlyAnswers(
    createFittedRequest({
      request: createTranscribeRequest({
        url: transcriptionUrl,
        clock,
        fetch,
        takesKeys: () => server.offer().takesKeys,
        account,
        vocabulary,
        tellsTimes,
      }),
      serverTypes: () => server.offer().audioTypes,
      async toWav(audio) {
        const samples = await encoder.decode(audio);
        const { durationSamples } = audio;
        const bytes = writeWav(samples.subarray(0, durationSamples));
        return { type: 'audio/wav', bytes, durationSamples };
      },
      log,
    }),
  );
  const queue = createUploadQueue({
    entries,
    store: createChunkStore(database, journal, () => recordings.makeRoom(), scope),
    request: inLikelyLanguage(withTextRules(answers.request, rules), () => server.known()),
    clock,
    random,
    log,
    onChange: (changed) => {
      // The account goes with what is told next: by itself it may wait.
      publishLedger();
      reporter.onChange(changed);
      lettingGo.look();
      recordings.queueChanged();
    },
    onStorage: reporter.onStorage,
    onSettled: (id, how) => accounts.settled(id, how),
    startOf: (id) => recordings.startOf(id),
    onDelivered: () => recordings.delivered(),
    onServerNeeded: () => server.need(),
    onAnswered: () => server.answered(),
    onLanguageMissed: () => server.missLanguage(),
    tabs: {
      ...createQueueChannel(scope),
      takeDrain: (signal, how) => takeTurnToSend(senders, signal, how),
      takeClaim: (dictationId) => takeClaim(dictationId, clock),
      isNeeded: async (dictationId) =>
        !(lettingGo.isHeld(dictationId) || (await locks.isOrphan(dictationId))) ||
        (await isPlaceHeld(dictationId)),
      isOrphan: createOrphanCheck({
        journal,
        locks,
        onUnread: (id) => void Object.assign(entries.of(id), { isUnread: true }),
      }),
    },
  });

  const recordings = createRecordings({
    store: createRecordingStore(database, scope),
    packer: encoder,
    journal,
    queue,
    locks,
    isPlaceHeld,
    rules,
    entries,
    channel: createRecordingsChannel(scope),
    keeping: setup.keeping,
    clock,
    random,
    log,
    dispatch,
  });

  const server = createServerWatch({
    log,
    look: createHealthCheck({
      address: new URL('../health', transcriptionUrl).href,
      clock,
      fetch,
    }),
    clock,
    random,
    dispatch,
    isNeeded: queue.needsServer,
    isLanguageMissed: queue.missesLanguage,
    isSeen: visibleTabs.isAny,
    onLook(sight, state) {
      const named = server.offer().account;
      if (named !== null && scope.learn(named)) void claim().then(lookAnew);
      queue.serverSeen(sight, state);
    },
  });

  const live = {
    ask: createEarlyRequest({
      url: transcriptionUrl,
      clock,
      fetch,
      account,
      vocabulary,
      tellsTimes,
      optionsNow: (options) => earlyOptions(options, server.state),
    }),
    answers,
    rules,
    isLinkFast,
    isSeen: () => visibleTabs.isThis,
    freePieces: () => server.offer().freePieces,
  };

  const lettingGo = createLettingGo({
    entries,
    queue,
    journal,
    locks,
    recordings,
    accounts,
    isPlaceHeld,
    clock,
    publishLedger,
    dispatch,
  });

  const recovery = createRecovery({
    journal,
    locks,
    queue,
    encoder,
    live,
    accounts,
    entries,
    lettingGo,
    recordings,
    dispatch,
    clock,
    log,
    loadEngine,
  });

  const claim = (): Promise<void> =>
    claimUnowned(database, scope).catch((thrown: unknown) =>
      log.error('What nobody owns is not claimed', toErrorInfo(thrown, 'storage-failed')),
    );

  /** It is somebody else's that is to be shown and sent. */
  async function lookAnew(): Promise<void> {
    await queue.look();
    await recordings.look();
  }

  return {
    engines,
    encoder,
    live,
    journal,
    locks,
    queue,
    accounts,
    entries,
    lettingGo,
    recordings,
    publishLedger,
    disk,
    spoken: (options: SessionOptions) => inSpokenLanguage(options, server.state),
    audioOf,
    recovery,
    /** Gives this person the dictations made before anybody had signed in. Never rejects. */
    claimUnowned: claim,
    server,
    visibleTabs,
  };
}

/** An engine that takes longer to load does not keep earlier dictations waiting. */
const HEAD_START_MS = 1_000;

/**
 * The press that started this worker has its first frame by then; what is not for it would only be
 * in its way.
 */
const FIRST_FRAME_MS = 250;

/**
 * A press as soon as the page is there has its first frame by then, on a slow network too;
 * whoever loses the network has what files are made with.
 */
const FILE_HEAD_START_MS = 2_000;

/**
 * Starts a new worker's own work: the engine first, since a press may come at any moment; then
 * how the server is, what earlier days have left, and the audio format; at last what files are made
 * with.
 */
export async function startUp(
  { engines, server, queue, recovery, recordings, encoder, claimUnowned }: WorkerParts,
  choice: EngineChoice,
  ports: { readonly clock: Clock },
): Promise<void> {
  await Promise.race([engines.get(choice), sleep(ports.clock, HEAD_START_MS)]);
  await sleep(ports.clock, FIRST_FRAME_MS);
  loadLocales();
  server.ask();
  await claimUnowned();
  queue.start();
  let isFirst = true;
  const onLooked = (): void => {
    queue.recovered();
    if (isFirst) void recordings.look();
    isFirst = false;
  };
  void recovery.watch(onLooked);
  // Starting a recording reports why there is none.
  await encoder.chooseType().catch(() => {});
  await sleep(ports.clock, FILE_HEAD_START_MS);
  await encoder.proveFiles().catch(() => {});
}

/**
 * The first number or time that is written in a language has Chromium load what it knows of all
 * languages, once a process: 12 ms, 87 on a processor slowed 6 times. Here nobody feels it; on the
 * page it would be in the way of a press. Whatever is shown with one in it comes later: how the
 * server is, what waits.
 */
function loadLocales(): void {
  new Intl.NumberFormat();
  new Intl.DateTimeFormat();
}
