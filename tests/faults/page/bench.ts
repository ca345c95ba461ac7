import { assetAddresses } from '../../../src/assets/addresses.ts';
import { connectDictation } from '../../../src/client/connect-dictation.ts';
import { SAMPLE_RATE_HZ } from '../../../src/core/audio/audio-format.ts';
import type { StartOptions } from '../../../src/core/contracts/dictation.ts';
import { DICTATION_FIELD_OPTIONS } from '../../../src/core/options/dictation-options.ts';
import { DEFAULT_KEEPING } from '../../../src/core/recordings/recording.ts';
import type { Snapshot } from '../../../src/core/session/snapshot.ts';
import { lateItems } from '../../../src/core/session/text-state.ts';
import { createEditableField } from '../../../src/field/create-editable-field.ts';
import { type PieceTrail, verdictOf } from '../../../src/field/editable-field.ts';
import { numberedWord, WORD_SAMPLES } from '../../helpers/numbered-words.ts';
import { createFedMicrophone } from './fed-microphone.ts';
import { createHeardMicrophone, type Suspension } from './heard-microphone.ts';

/** More frames than this waiting, and the worker would begin to keep audio without inference. */
const MAX_WAITING_FRAMES = 200;

const element = document.getElementById('field') as HTMLElement;
const field = createEditableField(element);
const query = new URLSearchParams(location.search);
const kept = query.get('kept');
const isInsertedLive = query.get('live') === 'at-pause';
const heard = query.has('heard') ? createHeardMicrophone() : null;
const microphone = heard ?? createFedMicrophone(kept === null ? undefined : Number(kept));
const { worker, forWorker } = assetAddresses();
const dictation = connectDictation(microphone.capture, () => worker, {
  assets: forWorker,
  transcriptionUrl: new URL('/api/asr/vad', location.href).href,
  engine: 'auto',
  keeping: { ...DEFAULT_KEEPING, keepRecordings: 24 },
});
const speech = fetchSpeech();
let heldDelivery: Promise<void> | null = null;
let letGo = (): void => {};
let heldAnswer: Promise<void> | null = null;
let isInserting = false;
let isUnreachable = false;
let takesPieces = true;
let lastPiece = '';

async function fetchSpeech(): Promise<Float32Array> {
  const bytes = await (await fetch('/speech.wav')).arrayBuffer();
  const pcm = new Int16Array(bytes.slice(44));
  return Float32Array.from(pcm, (sample) => sample / 32_768);
}

/** The commands for tests. */
const bench = {
  /** Records into the field, at its end; true when the microphone is open. */
  async start(chunkMs: number): Promise<boolean> {
    const cursor = saveEnd();
    const trail = cursor && isInsertedLive ? (field.trail?.(cursor) ?? null) : null;
    const { ok } = await dictation.start({
      ...DICTATION_FIELD_OPTIONS,
      chunkMs,
      ...liveOptions(trail),
      deliver: async ({ text }, withdrawn) => {
        await heldDelivery;
        if (isUnreachable) {
          await dictation.holdPlace(dictation.getSnapshot().session.id ?? '');
          return false;
        }
        const how = { withdrawn };
        const outcome = await (trail ? trail.insert(text, how) : field.insert(text, cursor, how));
        cursor?.release();
        return verdictOf(outcome);
      },
    });
    return ok;
  },
  /** Speaks words `first` and on, then is silent for a while. */
  async speak(
    first: number,
    count: number,
    { speed = 1, silentMs = 0, wordSamples = WORD_SAMPLES } = {},
  ): Promise<void> {
    const voice = await speech;
    const silence = Math.round((silentMs / 1_000) * SAMPLE_RATE_HZ);
    const samples = new Float32Array(count * wordSamples + silence);
    for (let index = 0; index < count; index += 1) {
      samples.set(numberedWord(first + index, voice, wordSamples), index * wordSamples);
    }
    await microphone.feed(samples, speed, isBehind);
  },
  fedSamples: () => microphone.fedSamples,
  loseMicrophone: () => microphone.lose(),
  suspendSound: (how: Suspension) => heard?.suspend(how),
  allowSound: () => heard?.allow(),
  stop: () => dictation.stop(),
  prepare: () => dictation.prepare(),
  text: () => element.innerText,
  retry: () => dictation.retry(null),
  wipe: () => dictation.wipe(),
  recordings: () => dictation.getSnapshot().recordings.list,
  /** Has the first recording written down again. */
  writeAgain: () =>
    dictation.recordings.transcribeAgain(dictation.getSnapshot().recordings.list[0]?.id ?? ''),
  /** The newest text of the first recording. */
  newestText: async () => {
    const [first] = dictation.getSnapshot().recordings.list;
    return (await dictation.recordings.transcripts(first?.id ?? '')).at(-1)?.text ?? '';
  },
  async take(dictationId: string): Promise<boolean> {
    const verdict = await dictation.takeText(dictationId, async (text) => {
      isInserting = true;
      await heldDelivery;
      return (await field.insert(text, saveEnd())).kind === 'inserted';
    });
    return verdict !== false;
  },
  /** Holds texts back right before they go into the field, until `letGo`. */
  holdDelivery(): void {
    heldDelivery = new Promise((resolve) => {
      letGo = resolve;
    });
  },
  /** Holds back that a live piece stands in the field, until `letGo`. */
  holdAnswer(): void {
    heldAnswer = new Promise((resolve) => {
      letGo = resolve;
    });
  },
  letGo: () => letGo(),
  /** No text can go in yet: its place is held for it, as a field's interface does. */
  deferDelivery(): void {
    isUnreachable = true;
  },
  /** Takes no live pieces any more; what stands here, and the piece that went in last. */
  endPieces() {
    takesPieces = false;
    return { text: element.innerText, lastPiece };
  },
  /** True if `take` has been given a text. */
  isInserting: () => isInserting,
  snapshot: (): Snapshot => dictation.getSnapshot(),
  late,
  /** Nothing waits. Of a new worker that is known only when it has read its queue. */
  hasNoneLate: () => dictation.getSnapshot().queue.isLoaded && late().length === 0,
};

/** All that is not in the field, also what is about to be. */
function late() {
  return lateItems({ ...dictation.getSnapshot(), awaited: [] });
}

/** The cursor at the field's end. */
function saveEnd() {
  element.focus();
  getSelection()?.selectAllChildren(element);
  getSelection()?.collapseToEnd();
  return field.saveCursor();
}

/** Live pieces if the address says so, inserted when it says, behind each other as in a field. */
function liveOptions(trail: PieceTrail | null): StartOptions {
  if (!query.has('live')) return {};
  if (!trail) return { live: true };
  return {
    live: true,
    insert: 'at-pause',
    async deliverPiece(text, withdrawn) {
      await heldDelivery;
      if (isUnreachable || !takesPieces) return false;
      lastPiece = text;
      const outcome = await trail.insert(text, { withdrawn });
      await heldAnswer;
      return verdictOf(outcome);
    },
  };
}

function isBehind(): boolean {
  const { session } = dictation.getSnapshot();
  return (
    microphone.fedSamples / 1_536 - session.processedFrames > MAX_WAITING_FRAMES ||
    session.lagFrames > MAX_WAITING_FRAMES
  );
}

export type Bench = typeof bench;

Object.assign(globalThis, { bench });
