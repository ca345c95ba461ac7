import { whenDrawn } from '../capture/capture-ports.ts';
import { createDeferred } from '../core/async.ts';
import type { Dictation, StartOptions, StartResult } from '../core/contracts/dictation.ts';
import { createUnchecked } from '../create-dictation.ts';
import type { EarlyRecording, EarlyTools } from './early-tools.ts';
import { pageAccount, type SettingsStore, sessionOptionsOf } from './settings.ts';

/** Beside the page, wherever that is. */
const TRANSCRIPTION_PATH = 'api/asr/vad';

/**
 * The page's dictation. The parts that a press needs are started at once, before the page is drawn;
 * and a press is acknowledged before they keep the thread busy.
 */
export async function openDictation(
  { getSettings }: SettingsStore,
  early: EarlyTools | null,
): Promise<Dictation> {
  await pressSeen(early);
  const { deviceId, tabSound, keepRecordings } = getSettings();
  // Kept no longer than was chosen, also where the page that says so never comes.
  const { dictation, early: recording } = createEarlyRecording(
    createUnchecked({
      transcriptionUrl: TRANSCRIPTION_PATH,
      keepRecordings,
      account: pageAccount(),
      rules: 'stored',
    }),
    () => sessionOptionsOf(getSettings()),
  );
  // Which microphone that is, and whether tabs can be heard, is the page's to find out.
  if (deviceId === '' && !tabSound) early?.beginWith(recording);
  await pressSeen(early);
  return dictation;
}

/** Fulfilled when it is to be seen that a press waits, if one does. */
async function pressSeen(early: EarlyTools | null): Promise<void> {
  // Presses made while the thread was busy come first.
  await new Promise((resolve) => setTimeout(resolve));
  if (early?.state() === 'waiting') await whenDrawn();
}

/** The receiver of its text. */
type Receiver = Pick<StartOptions, 'deliver' | 'deliverPiece'>;

/**
 * The page's dictation, whose first `start` after `begin` takes over what was begun, with the
 * receiver that it names; texts wait for that. `options` are what the field would start with.
 */
export function createEarlyRecording(
  dictation: Dictation,
  options: () => Omit<StartOptions, keyof Receiver>,
): { readonly early: EarlyRecording; readonly dictation: Dictation } {
  const receiver = createDeferred<Receiver>();
  let begun: Promise<StartResult> | null = null;
  return {
    early: {
      begin() {
        begun = dictation.start({
          ...options(),
          deliver: async (...text) => (await receiver.promise).deliver?.(...text) ?? false,
          deliverPiece: async (...text) =>
            (await receiver.promise).deliverPiece?.(...text) ?? false,
        });
        return begun;
      },
      end: () => void dictation.stop(),
      cancel: dictation.cancel,
    },
    dictation: {
      ...dictation,
      start(given) {
        const taken = begun ?? dictation.start(given);
        if (begun) receiver.resolve(given ?? {});
        begun = null;
        return taken;
      },
    },
  };
}
