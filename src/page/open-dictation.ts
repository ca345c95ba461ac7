import { whenDrawn } from '../capture/capture-ports.ts';
import type { Dictation } from '../core/contracts/dictation.ts';
import { createDictation } from '../create-dictation.ts';
import { pageAccount } from './account.ts';
import { createEarlyRecording } from './early-recording.ts';
import type { EarlyTools } from './early-tools.ts';
import { type SettingsStore, sessionOptionsOf } from './settings.ts';

/** Beside the page, wherever that is. */
const TRANSCRIPTION_PATH = 'api/asr/vad';

/**
 * The page's dictation. What a press waits for is begun at once, before there is a page to see it;
 * and a press is seen to be taken before the thread is busy with either.
 */
export async function openDictation(
  { getSettings }: SettingsStore,
  early: EarlyTools | null,
): Promise<Dictation> {
  await pressSeen(early);
  const { deviceId, tabSound, keepRecordings } = getSettings();
  // Kept no longer than was chosen, also where the page that says so never comes.
  const { dictation, early: recording } = createEarlyRecording(
    createDictation({
      transcriptionUrl: TRANSCRIPTION_PATH,
      keepRecordings,
      account: pageAccount(),
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
  // What was pressed while the thread was busy is heard first.
  await new Promise((resolve) => setTimeout(resolve));
  if (early?.state() === 'waiting') await whenDrawn();
}
