import { expect, test } from 'vitest';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import { newRecord, type RecordingRecord } from '../../src/core/recordings/recording-record.ts';
import {
  recordingsFromTheFuture,
  recordingsToClear,
} from '../../workers/recordings/housekeeping.ts';

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;
const KEEPING = { keepRecordings: 24, keepRecordingsBytes: 100 };

/** Delivered so many hours ago. */
function aged(id: string, hours: number, changes: Partial<RecordingRecord> = {}): RecordingRecord {
  const atMs = NOW - hours * HOUR;
  const start = { id, startedAtMs: atMs, options: DEFAULT_SESSION_OPTIONS };
  return { ...newRecord(start), bytes: 40, endedAtMs: atMs, deliveredAtMs: atMs, ...changes };
}

const never = () => false;
const clear = (records: readonly RecordingRecord[], isWaiting: (id: string) => boolean = never) =>
  recordingsToClear(records, KEEPING, NOW, isWaiting);

test('a recording stays for its hours, counted from when its text was delivered', () => {
  expect(clear([aged('a', 23.9)])).toEqual([]);
  expect(clear([aged('a', 24)])).toEqual(['a']);
  expect(clear([aged('a', 30, { deliveredAtMs: NOW - 2 * HOUR })])).toEqual([]);
  expect(clear([aged('a', 30, { deliveredAtMs: null })])).toEqual(['a']);
});

test('with no hours nothing stays that is delivered', () => {
  const keeping = { ...KEEPING, keepRecordings: 0 };
  expect(recordingsToClear([aged('a', 0), aged('b', 1)], keeping, NOW, never)).toEqual(['b', 'a']);
});

test('beyond the bytes the oldest delivered go, and no more of them than must', () => {
  expect(clear([aged('a', 3), aged('b', 2)])).toEqual([]);
  expect(clear([aged('b', 2), aged('a', 3), aged('c', 1)])).toEqual(['a']);
  expect(clear([aged('a', 3), aged('b', 2), aged('c', 1, { bytes: 90 })])).toEqual(['a', 'b']);
});

test('what is undelivered counts and is never cleared, nor what is recorded, asked for or binned', () => {
  const huge = { bytes: 1_000 };
  expect(clear([aged('a', 99, huge)], () => true)).toEqual([]);
  expect(clear([aged('a', 99, { ...huge, endedAtMs: null })])).toEqual([]);
  expect(clear([aged('a', 99, { ...huge, isInBin: true })])).toEqual([]);
  const asked = { number: 1, atMs: NOW, options: DEFAULT_SESSION_OPTIONS };
  expect(clear([aged('a', 99, { ...huge, asked })])).toEqual([]);
  expect(clear([aged('a', 2, huge), aged('b', 1)], (id) => id === 'a')).toEqual(['b']);
});

test('a clock that is set back, or was ahead, takes nothing early and keeps nothing for ever', () => {
  const ahead = aged('a', -5_000);
  expect(clear([ahead])).toEqual([]);
  expect(recordingsFromTheFuture([ahead, aged('b', 1), aged('c', 0)], NOW)).toEqual(['a']);
});
