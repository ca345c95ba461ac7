import { assertNever } from '../assert-never.ts';
import { samplesToMs } from '../audio/audio-format.ts';
import { joinTranscripts } from '../queue/queue-item.ts';
import {
  type ChunkTranscribed,
  EMPTY_LIVE_TEXT,
  type FrameFacts,
  IDLE_SESSION,
  type LiveText,
  type Notice,
  type NoticeKind,
  type PreviewText,
  type SessionPhase,
  type SessionState,
  type Snapshot,
  type SnapshotEvent,
} from './snapshot.ts';

/** Notices that outlive a recording; all others are about the one at hand. */
const LASTING_NOTICES: readonly NoticeKind[] = [
  'engine-failed',
  'upload-failed',
  'uploads-unauthorised',
  'chunk-refused',
  'text-needs-review',
  'recording-kept',
  'audio-damaged',
  'storage-failed',
  'storage-low',
  'storage-not-kept',
  'text-not-inserted',
  'disposed',
];

const isOfSession = ({ kind }: Notice): boolean => !LASTING_NOTICES.includes(kind);

/**
 * The snapshot after an event. Pure; the same object if nothing changed, and each part of it that
 * did not change is the same object too: what is drawn for it is not drawn again.
 */
export function reduceSnapshot(snapshot: Snapshot, event: SnapshotEvent): Snapshot {
  const next = applyEvent(snapshot, event);
  return next === snapshot ? snapshot : { ...next, version: snapshot.version + 1 };
}

function applyEvent(snapshot: Snapshot, event: SnapshotEvent): Snapshot {
  switch (event.kind) {
    case 'engine-changed':
      return changed(snapshot, { engine: event.engine });
    case 'queue-changed':
      return changed(snapshot, { queue: event.queue });
    case 'kept-changed':
      return changed(snapshot, { kept: event.kept });
    case 'recordings-changed':
      return changed(snapshot, { recordings: event.recordings });
    case 'server-changed':
      return changed(snapshot, { server: event.server });
    case 'ledger-changed':
      return changed(snapshot, { ledger: event.ledger });
    case 'notice-cleared':
      return withoutNotices(snapshot, [event.notice]);
    case 'session-taken-over':
      return withNotices(changed(snapshot, { session: event.session }), event.notices);
    case 'session-opened':
      return withoutNotices(
        changed(snapshot, { session: reduceSession(snapshot.session, event) }),
        ['start-delayed'],
      );
    case 'notice-raised':
    case 'session-began':
    case 'session-released':
    case 'worker-lost':
      return reduceInPage(snapshot, event);
    default:
      return changed(snapshot, { session: reduceSession(snapshot.session, event) });
  }
}

/** Events that the page tells by itself. */
export type OwnSnapshotEvent = Extract<
  SnapshotEvent,
  { readonly kind: 'notice-raised' | 'session-began' | 'session-released' | 'worker-lost' }
>;

/** The same for what the page sees while no worker can tell it; its snapshot counts by itself. */
export function reduceInPage(snapshot: Snapshot, event: OwnSnapshotEvent): Snapshot {
  switch (event.kind) {
    case 'notice-raised':
      return withNotice(snapshot, noticeOf(event));
    case 'session-began':
      return withoutNotices(
        { ...snapshot, session: inPhase(newSession(event), 'starting') },
        snapshot.notices.filter(isOfSession).map(({ kind }) => kind),
      );
    case 'session-released':
      return withoutNotices(changed(snapshot, { session: IDLE_SESSION }), [
        'already-recording',
        'start-delayed',
      ]);
    case 'worker-lost':
      return withNotice(
        { ...snapshot, session: IDLE_SESSION, engine: { kind: 'idle' } },
        { kind: 'worker-crashed', error: event.error },
      );
  }
}

type SessionEvent = Exclude<
  SnapshotEvent,
  {
    readonly kind:
      | 'engine-changed'
      | 'queue-changed'
      | 'kept-changed'
      | 'recordings-changed'
      | 'server-changed'
      | 'ledger-changed'
      | 'notice-raised'
      | 'notice-cleared'
      | 'session-began'
      | 'session-taken-over'
      | 'session-released'
      | 'worker-lost';
  }
>;

function reduceSession(session: SessionState, event: SessionEvent): SessionState {
  switch (event.kind) {
    case 'session-opened':
      return inPhase(changed(session, { device: event.device }), 'recording');
    case 'device-changed':
      return changed(session, { device: event.device });
    case 'recording-paused':
      return session.phase === 'recording'
        ? inPhase(changed(session, { isSpeaking: false }), 'paused')
        : session;
    case 'recording-resumed':
      return session.phase === 'paused' ? inPhase(session, 'recording') : session;
    case 'end-wanted':
      return session.phase === 'idle' ? session : changed(session, { endCause: event.cause });
    case 'finishing-began':
      return inPhase(session, 'finishing');
    case 'transcribing-began':
      return inPhase(changed(session, { isSpeaking: false }), 'transcribing');
    case 'session-stopped':
      return inPhase(changed(session, { isSpeaking: false }), 'stopped');
    case 'frame-processed':
      return withFrame(session, event);
    case 'input-lost':
      return changed(session, {
        lostInputFrames: session.lostInputFrames + event.inputFrames,
      });
    case 'chunk-cut':
      return {
        ...session,
        // Counted, not read off the number: a journal that cannot be read makes the numbers jump.
        chunkCounter: session.chunkCounter + 1,
        chunkEnds: new Map(session.chunkEnds).set(event.number, event.endSample),
        pendingTranscriptions: session.pendingTranscriptions + 1,
      };
    case 'chunk-transcribed':
      return withText(session, event);
    case 'chunk-left':
      return {
        ...session,
        pendingTranscriptions: session.pendingTranscriptions - 1,
        failedChunks: session.failedChunks + 1,
        live: withPreview(session.live, event.preview),
      };
    case 'preview-changed':
      return changed(session, { live: withPreview(liveOf(session), event.preview) });
    default:
      return assertNever(event);
  }
}

/** With these values in place of its own; the same object if it has them already. */
function changed<Whole extends object>(whole: Whole, values: Partial<Whole>): Whole {
  const keys = Object.keys(values) as (keyof Whole)[];
  return keys.every((key) => Object.is(whole[key], values[key])) ? whole : { ...whole, ...values };
}

/** `isRecording` and `isPaused` follow from the phase: a paused recording is still a recording. */
function inPhase(session: SessionState, phase: SessionPhase): SessionState {
  const isPaused = phase === 'paused';
  const isRecording = phase === 'recording' || phase === 'finishing' || isPaused;
  return changed(session, { phase, isRecording, isPaused });
}

function newSession({ id, isLive }: Extract<SnapshotEvent, { kind: 'session-began' }>) {
  return { ...IDLE_SESSION, id, live: isLive ? EMPTY_LIVE_TEXT : null };
}

function withText(
  session: SessionState,
  { number, text, needsReview = null, snippets = [], preview }: ChunkTranscribed,
): SessionState {
  const transcriptions = new Map(session.transcriptions).set(number, text);
  return {
    ...session,
    pendingTranscriptions: session.pendingTranscriptions - 1,
    transcriptions,
    snippets: [...session.snippets, ...snippets],
    needsReview:
      needsReview === null
        ? session.needsReview
        : new Map(session.needsReview).set(number, needsReview),
    live: session.live && {
      ...session.live,
      ...preview,
      finalText: joinTranscripts(transcriptions, 'running'),
    },
  };
}

/** The words, of a session that shows them from now on too. */
function liveOf({ live, transcriptions }: SessionState): LiveText {
  return live ?? { ...EMPTY_LIVE_TEXT, finalText: joinTranscripts(transcriptions, 'running') };
}

/** The same object if nothing changed. */
function withPreview(live: LiveText | null, preview: PreviewText | undefined): LiveText | null {
  return live && preview ? changed(live, preview) : live;
}

function withFrame(session: SessionState, facts: FrameFacts): SessionState {
  return {
    ...session,
    accumulatedRecordingMs: samplesToMs(facts.recordedSamples),
    speechMs: samplesToMs(facts.speechSamples),
    speechSegments: facts.speechSegments,
    isSpeaking: facts.isSpeaking,
    speechProbability: facts.probability,
    levelDbfs: facts.levelDbfs,
    microphoneProblem: facts.microphoneProblem,
    processedFrames: session.processedFrames + 1,
    lagFrames: facts.lagFrames,
    maxLagFrames: facts.maxLagFrames,
  };
}

type NoticeRaised = Extract<SnapshotEvent, { readonly kind: 'notice-raised' }>;

function noticeOf({ notice: kind, error, durationMs }: NoticeRaised): Notice {
  return durationMs === undefined ? { kind, error } : { kind, error, durationMs };
}

function withNotice(snapshot: Snapshot, notice: Notice): Snapshot {
  const last = snapshot.notices.at(-1);
  if (last && last.kind === notice.kind && changed(last, notice) === last) return snapshot;
  const others = snapshot.notices.filter((other) => other.kind !== notice.kind);
  return { ...snapshot, notices: [...others, notice] };
}

/** With those of the notices that are about a session. */
function withNotices(snapshot: Snapshot, notices: readonly Notice[]): Snapshot {
  return notices.filter(isOfSession).reduce(withNotice, snapshot);
}

function withoutNotices(snapshot: Snapshot, kinds: readonly NoticeKind[]): Snapshot {
  const notices = snapshot.notices.filter((notice) => !kinds.includes(notice.kind));
  return notices.length === snapshot.notices.length ? snapshot : { ...snapshot, notices };
}

/**
 * The parts of a snapshot that changed. Sent instead of the whole, so that what did not change
 * keeps its identity on the other side of the thread, and nothing is drawn again for it.
 */
export type SnapshotPatch = { readonly version: number } & Partial<Omit<Snapshot, 'version'>>;

/**
 * The patch that turns `before` into `after`: each part that is not the same object any more,
 * whichever there are.
 */
export function diffSnapshots(before: Snapshot, after: Snapshot): SnapshotPatch {
  const keys = Object.keys(after) as (keyof Snapshot)[];
  const changed = keys.filter((key) => before[key] !== after[key]);
  const parts: Partial<Snapshot> = Object.fromEntries(changed.map((key) => [key, after[key]]));
  return { ...parts, version: after.version };
}

/** The snapshot with a patch's parts in place of its own. */
export function applyPatch(snapshot: Snapshot, patch: SnapshotPatch): Snapshot {
  return { ...snapshot, ...patch };
}
