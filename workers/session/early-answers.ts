import { untilAborted } from '../../src/core/async.ts';
import { doubtOf, judged } from '../upload/text-doubt.ts';
import type { TranscriptionAnswer } from '../upload/transcribe-answer.ts';
import type { TranscribeRequest } from '../upload/transcribe-request.ts';

/** Answers that were asked for before their chunk was one. */
export type EarlyAnswers = {
  /**
   * The text of this very file has been asked for; null if none comes. It is taken once, and not
   * before the chunk with that file is sent, so that it is stored by then.
   */
  expect(bytes: ArrayBuffer, answer: Promise<TranscriptionAnswer | null>): void;
  /** Asks once for the text of a chunk, unless it has been asked for already. */
  readonly request: TranscribeRequest;
};

/** Nothing was asked for yet; what was not is asked for by `request`. */
export function createEarlyAnswers(request: TranscribeRequest): EarlyAnswers {
  // By the file itself: another one, be it as long, is another question.
  const expected = new WeakMap<ArrayBuffer, Promise<TranscriptionAnswer | null>>();

  return {
    expect: (bytes, answer) => void expected.set(bytes, answer),
    async request(item, signal) {
      const { bytes } = item.audio;
      const early = expected.get(bytes);
      expected.delete(bytes);
      const answer = early && (await untilAborted(early, signal).catch(() => null));
      if (!answer) return request(item, signal);
      const known = await judged(answer, item.speechSamples);
      return { kind: 'transcribed', text: known.text, doubt: doubtOf(known, item) };
    },
  };
}
