import { describe, expect, test } from 'vitest';
import {
  INITIAL_SNAPSHOT,
  type Snapshot,
  type SnapshotEvent,
} from '../../src/core/session/snapshot.ts';
import {
  applyPatch,
  diffSnapshots,
  reduceSnapshot,
} from '../../src/core/session/snapshot-reducer.ts';

function snapshotAfter(...events: SnapshotEvent[]): Snapshot {
  return events.reduce(reduceSnapshot, INITIAL_SNAPSHOT);
}

const BEGAN: SnapshotEvent = { kind: 'session-began', id: 's' };
const OPENED: SnapshotEvent = { kind: 'session-opened', device: { deviceId: 'd', label: 'Mic' } };
const ERROR = { code: 'http-network', message: 'no' } as const;

describe('phases and their booleans', () => {
  test.each([
    [[BEGAN], 'starting', false, false],
    [[BEGAN, OPENED], 'recording', true, false],
    [[BEGAN, OPENED, { kind: 'recording-paused' }], 'paused', true, true],
    [
      [BEGAN, OPENED, { kind: 'recording-paused' }, { kind: 'recording-resumed' }],
      'recording',
      true,
      false,
    ],
    [[BEGAN, OPENED, { kind: 'finishing-began' }], 'finishing', true, false],
    [
      [BEGAN, OPENED, { kind: 'finishing-began' }, { kind: 'recording-paused' }],
      'finishing',
      true,
      false,
    ],
    [[BEGAN, OPENED, { kind: 'transcribing-began' }], 'transcribing', false, false],
    [[BEGAN, OPENED, { kind: 'session-stopped' }], 'stopped', false, false],
    [[BEGAN, OPENED, { kind: 'session-released' }], 'idle', false, false],
  ] as const)('%j', (events, phase, isRecording, isPaused) => {
    expect(snapshotAfter(...events).session).toMatchObject({ phase, isRecording, isPaused });
  });

  test('a frame’s facts become times for people', () => {
    const { session } = snapshotAfter(BEGAN, OPENED, {
      kind: 'frame-processed',
      recordedSamples: 32_000,
      speechSamples: 16_000,
      speechSegments: [{ startSample: 0, endSample: 16_000 }],
      isSpeaking: true,
      probability: 0.9,
      levelDbfs: -20,
      microphoneProblem: null,
      lagFrames: 1,
      maxLagFrames: 2,
    });
    expect(session.accumulatedRecordingMs).toBe(2_000);
    expect(session.speechMs).toBe(1_000);
    expect(session.processedFrames).toBe(1);
  });
});

describe('chunks', () => {
  test('pending rises when one is cut and falls with its answer or its failure', () => {
    const cut = snapshotAfter(
      BEGAN,
      OPENED,
      { kind: 'chunk-cut', number: 0, endSample: 5 },
      { kind: 'chunk-cut', number: 1, endSample: 9 },
    );
    expect(cut.session).toMatchObject({ chunkCounter: 2, pendingTranscriptions: 2 });
    const answered = reduceSnapshot(cut, { kind: 'chunk-transcribed', number: 1, text: 'b' });
    const left = reduceSnapshot(answered, { kind: 'chunk-left', number: 0 });
    expect(left.session).toMatchObject({ pendingTranscriptions: 0, failedChunks: 1 });
    expect([...left.session.transcriptions]).toEqual([[1, 'b']]);
    expect(cut.session.transcriptions.size).toBe(0);
  });
});

describe('the words of a live session', () => {
  const LIVE = { ...BEGAN, isLive: true } as const;

  test('are there only where they are shown, or from then on', () => {
    const text = { kind: 'chunk-transcribed', number: 0, text: 'Ett.', needsReview: null } as const;
    expect(snapshotAfter(BEGAN, OPENED, text).session.live).toBeNull();
    const preview = { firm: 'a', tentative: 'b' };
    const { live } = snapshotAfter(BEGAN, text, { kind: 'preview-changed', preview }).session;
    expect(live).toEqual({ finalText: 'Ett.', ...preview });
  });

  test('become final in the order of speech, and leave the preview in the same moment', () => {
    const { session } = snapshotAfter(
      LIVE,
      { kind: 'preview-changed', preview: { firm: 'ett två', tentative: 'tre' } },
      { kind: 'chunk-transcribed', number: 1, text: 'tre.', needsReview: 'incomplete' },
      {
        kind: 'chunk-transcribed',
        number: 0,
        text: 'Ett två',
        preview: { firm: 'fyra', tentative: '' },
      },
    );
    expect(session.live).toEqual({ finalText: 'Ett två tre.', firm: 'fyra', tentative: '' });
    expect([...session.needsReview]).toEqual([[1, 'incomplete']]);
  });

  test('of a piece that left are no longer shown', () => {
    const preview = { firm: '', tentative: '' };
    const { session } = snapshotAfter(
      LIVE,
      { kind: 'preview-changed', preview: { firm: 'ett', tentative: 'två' } },
      { kind: 'chunk-left', number: 0, preview },
    );
    expect(session.live).toEqual({ finalText: '', ...preview });
  });
});

describe('what changes nothing', () => {
  const opened = snapshotAfter(BEGAN, OPENED);
  test.each<[string, Snapshot, SnapshotEvent]>([
    ['a pause while nothing is recorded', INITIAL_SNAPSHOT, { kind: 'recording-paused' }],
    ['going on without a pause', opened, { kind: 'recording-resumed' }],
    ['the microphone that is open already', opened, OPENED],
    [
      'an end that is wanted of no recording',
      INITIAL_SNAPSHOT,
      { kind: 'end-wanted', cause: 'disk-full' },
    ],
    ['no input lost', opened, { kind: 'input-lost', inputFrames: 0 }],
    ['the same queue', opened, { kind: 'queue-changed', queue: opened.queue }],
    ['the same engine', opened, { kind: 'engine-changed', engine: opened.engine }],
    ['a release of what was released', INITIAL_SNAPSHOT, { kind: 'session-released' }],
  ])('%s gives the same object', (_name, snapshot, event) => {
    expect(reduceSnapshot(snapshot, event)).toBe(snapshot);
  });
});

describe('notices', () => {
  test('one of a kind, and a new recording starts without those of the last', () => {
    const raised = snapshotAfter(
      { kind: 'notice-raised', notice: 'microphone-lost', error: null },
      { kind: 'notice-raised', notice: 'upload-failed', error: null },
      { kind: 'notice-raised', notice: 'upload-failed', error: ERROR },
    );
    expect(raised.notices.map(({ kind }) => kind)).toEqual(['microphone-lost', 'upload-failed']);
    expect(raised.notices[1]?.error).toEqual(ERROR);
    const begun = reduceSnapshot(raised, BEGAN);
    expect(begun.notices.map(({ kind }) => kind)).toEqual(['upload-failed']);
  });

  test('clearing one that is not there changes nothing at all', () => {
    const same = reduceSnapshot(INITIAL_SNAPSHOT, { kind: 'notice-cleared', notice: 'lagging' });
    expect(same).toBe(INITIAL_SNAPSHOT);
  });

  test('one that is raised again just as it is changes nothing at all', () => {
    const RAISED: SnapshotEvent = { kind: 'notice-raised', notice: 'upload-failed', error: ERROR };
    const raised = snapshotAfter(RAISED);
    expect(reduceSnapshot(raised, RAISED)).toBe(raised);
  });

  test('a lost worker ends the session and says so', () => {
    const lost = reduceSnapshot(snapshotAfter(BEGAN, OPENED), {
      kind: 'worker-lost',
      error: ERROR,
    });
    expect(lost.session.phase).toBe('idle');
    expect(lost.notices).toEqual([{ kind: 'worker-crashed', error: ERROR }]);
  });
});

describe('patches', () => {
  test('hold what changed whatever it is: a part that is added to the snapshot is not forgotten', () => {
    const before = { ...INITIAL_SNAPSHOT, added: 'before' };
    const after = { ...before, version: 1, added: 'after' };
    expect(diffSnapshots(before, after)).toEqual({ version: 1, added: 'after' });
  });

  test('hold what changed and leave the identity of the rest', () => {
    const before = snapshotAfter(BEGAN);
    const changed = reduceSnapshot(before, OPENED);
    const patch = diffSnapshots(before, changed);
    expect(Object.keys(patch).sort()).toEqual(['session', 'version']);
    const rebuilt = applyPatch(before, structuredClone(patch));
    expect(rebuilt).toEqual(changed);
    expect(rebuilt.queue).toBe(before.queue);
  });
});
