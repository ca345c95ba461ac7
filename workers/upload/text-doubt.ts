import { SAMPLE_RATE_HZ, samplesToMs } from '../../src/core/audio/audio-format.ts';
import { hasWord } from '../../src/core/blank-text.ts';
import type { DeliveryVerdict } from '../../src/core/contracts/dictation.ts';
import type {
  DoubtedState,
  QueueItemHead,
  QueueItemState,
  TextDoubt,
} from '../../src/core/queue/queue-item.ts';
import type { TranscriptionAnswer } from './transcribe-answer.ts';

/** So much of detected speech has words in it. */
const WORDLESS_SPEECH_SAMPLES = SAMPLE_RATE_HZ;

/**
 * An answer without what its engine invented, over so much speech, where that is known. The rule is
 * fetched for servers that have none; where it cannot be, the words come as they are.
 */
export async function judged(
  answer: TranscriptionAnswer,
  speechSamples?: number,
): Promise<TranscriptionAnswer> {
  if (answer.isJudged) return answer;
  try {
    const { judgeAnswer } = await import('../../src/core/text/judge-answer.ts');
    const evidence = speechSamples === undefined ? {} : { speechMs: samplesToMs(speechSamples) };
    const { text, isComplete } = judgeAnswer(answer.text, evidence);
    return { text, isComplete: answer.isComplete && isComplete };
  } catch {
    return answer;
  }
}

/** Why an answer cannot be all that was said in a chunk; null if it can. */
export function doubtOf(
  { text, isComplete }: TranscriptionAnswer,
  { speechSamples }: Pick<QueueItemHead, 'speechSamples'>,
): TextDoubt | null {
  if (!hasWord(text) && speechSamples > WORDLESS_SPEECH_SAMPLES) return 'empty';
  return isComplete ? null : 'incomplete';
}

/** What a chunk is after its text was handed over; null if nothing needs it any more. */
export function afterDelivery(
  state: QueueItemState,
  verdict: Exclude<DeliveryVerdict, false>,
): DoubtedState | null {
  if (state.kind === 'doubted') return state;
  if (state.kind !== 'transcribed') return null;
  const why = state.doubt ?? (verdict === 'altered' ? 'altered' : null);
  return why && { kind: 'doubted', why, text: state.text };
}
