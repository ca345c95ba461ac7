import { FRAME_SAMPLES } from '../../src/core/audio/audio-format.ts';
import { DEFAULT_SESSION_OPTIONS } from '../../src/core/options/dictation-options.ts';
import {
  JOURNAL_SCHEMA_VERSION,
  type JournalHeader,
  type JournalPart,
} from '../../src/core/session/journal.ts';

/** A header with everything in it. */
export function testHeader(dictationId: string, startedAtMs = 1_700_000_000_000): JournalHeader {
  return {
    dictationId,
    startedAtMs,
    options: { ...DEFAULT_SESSION_OPTIONS, language: 'sv', removePii: false },
    isCancelled: true,
    schemaVersion: JOURNAL_SCHEMA_VERSION,
  };
}

/** A frame of noise that is the same for the same number, unlike its neighbours. */
export function noiseFrame(number: number, samples = FRAME_SAMPLES): Int16Array {
  let state = (number + 1) * 2_654_435_761;
  return Int16Array.from({ length: samples }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state >> 16;
  });
}

/** The audio parts of a recording as `[startSample, endSample]`, marks and holes by name. */
export function outline(parts: readonly JournalPart[] | undefined): readonly unknown[] | undefined {
  return parts?.map((part) => {
    if (part.kind === 'audio') return [part.startSample, part.startSample + part.pcm.length];
    if (part.kind === 'hole') return `hole ${part.startSample}-${part.endSample}`;
    return `${part.kind} ${part.atSample}`;
  });
}
