import type { AudioEncoderPort, SoundPacker } from '../src/core/audio/audio-types.ts';
import { samplesOf } from '../src/core/audio/samples.ts';
import type { Clock, Random } from '../src/core/clock.ts';
import type { WorkerSetup } from '../src/core/contracts/worker-api.ts';
import { toErrorInfo } from '../src/core/errors.ts';
import type { Logger } from '../src/core/logger.ts';
import type { SessionOptions } from '../src/core/options/dictation-options.ts';
import { createOwnerScope, ownerName } from '../src/core/queue/owner.ts';
import { createQueueReporter } from '../src/core/session/queue-notices.ts';
import type { SnapshotEvent } from '../src/core/session/snapshot-events.ts';
import type { EngineChoice, SpeechEngine } from '../src/core/speech/speech-engine.ts';
import {
  createDictationLocks,
  createVisibleTabs,
  isPlaceHeld,
  takeClaim,
  takeTurnToSend,
} from '../src/platform/locks.ts';
import { createEngineCache } from './audio/engine-cache.ts';
import { writeWav } from './audio/wav-file.ts';
import { createRecordingsChannel } from './recordings/known-recordings.ts';
import { createRecordings } from './recordings/recordings.ts';
import { createHealthCheck, createServerWatch } from './server-watch.ts';
import { createEarlyAnswers, createEarlyRequest, isLinkFast } from './session/early-request.ts';
import { createLettingGo } from './session/letting-go.ts';
import { createRecovery } from './session/recovery.ts';
import { createSampleAccounts } from './session/sample-accounts.ts';
import { createChunkStore } from './store/chunk-store.ts';
import { createDatabase, isFull } from './store/database.ts';
import { createDiskWatch } from './store/disk-watch.ts';
import { createJournal, createOrphanCheck } from './store/journal.ts';
import { claimUnowned } from './store/owned-records.ts';
import { createRecordingStore } from './store/recording-store.ts';
import { dictationAudio } from './upload/dictation-audio.ts';
import { DictationEntries } from './upload/dictation-entry.ts';
import {
  createFittedRequest,
  earlyOptions,
  inLikelyLanguage,
  inSpokenLanguage,
} from './upload/fitted-request.ts';
import { createQueueChannel } from './upload/queue-tabs.ts';
import { createTranscribeRequest } from './upload/transcribe-request.ts';
import { createUploadQueue } from './upload/upload-queue.ts';

export type AssemblyPorts = {
  readonly clock: Clock;
  readonly log: Logger;
  readonly dispatch: (event: SnapshotEvent) => void;
};

/** What comes from outside, beside IndexedDB, Web Locks and BroadcastChannel. */
export type WorkerEdges = {
  readonly loadEngine: (choice: EngineChoice) => Promise<SpeechEngine>;
  readonly encoder: AudioEncoderPort & SoundPacker;
  readonly fetch: typeof globalThis.fetch;
  readonly random: Random;
};

/** What a worker is made of, once it knows where things are. */
export type WorkerParts = ReturnType<typeof assembleWorker>;

/** Puts the worker's parts together. */
export function assembleWorker(
  setup: Pick<WorkerSetup, 'engine' | 'transcriptionUrl' | 'account' | 'keeping'>,
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
      const { code, message } = error;
      const notice = isFull(error) ? 'storage-full' : 'storage-failed';
      dispatch({ kind: 'notice-raised', notice, error: { code, message } });
      if (isFull(error)) dispatch({ kind: 'end-wanted', cause: 'disk-full' });
    },
    // A full disk has ended the recording: that stays said until the next one begins.
    onRecovered: () => dispatch({ kind: 'notice-cleared', notice: 'storage-failed' }),
    spareOthers: () => recordings.makeRoom(),
  });

  const entries = new DictationEntries();
  const readKept = async (dictationId: string): Promise<Float32Array | null> => {
    const recording = entries.of(dictationId).unencodable
      ? await journal.read(dictationId, 'cut')
      : undefined;
    const parts = recording?.parts ?? [];
    const pieces = parts.flatMap((part) => (part.kind === 'audio' ? [part.pcm] : []));
    return pieces.length > 0 ? samplesOf(pieces) : null;
  };

  const answers = createEarlyAnswers(
    createFittedRequest({
      request: createTranscribeRequest({
        url: transcriptionUrl,
        clock,
        fetch,
        takesKeys: () => server.offer().takesKeys,
        account,
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
    request: inLikelyLanguage(answers.request, () => server.known()),
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
      optionsNow: (options) => earlyOptions(options, server.state),
    }),
    answers,
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
    /** The audio of a session's waiting chunks as one file. */
    audioOf: (dictationId: string) =>
      dictationAudio(dictationId, { cache: queue.cache, encoder, readKept, writeWhole: writeWav }),
    recovery,
    /** What was dictated before anybody had signed in is this person's. Never rejects. */
    claimUnowned: claim,
    server,
    visibleTabs,
  };
}
