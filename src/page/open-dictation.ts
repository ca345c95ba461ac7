import { whenDrawn } from '../capture/when-drawn.ts';
import type { Dictation } from '../core/contracts/dictation.ts';
import { createDictation } from '../create-dictation.ts';
import { createEarlyRecording } from './early-recording.ts';
import type { EarlyTools } from './early-tools.ts';
import { type SettingsStore, sessionOptionsOf } from './settings.ts';

/**
 * The page's dictation. What a press waits for is begun at once, before there is a page to see it;
 * and the press is seen to be taken before the thread is busy with that page.
 */
export async function openDictation(
  { getSettings }: SettingsStore,
  early: EarlyTools | null,
): Promise<Dictation> {
  const { deviceId, tabSound, keepRecordings } = getSettings();
  // Kept no longer than was chosen, also where the page that says so never comes.
  const { dictation, early: recording } = createEarlyRecording(
    createDictation({ keepRecordings }),
    () => sessionOptionsOf(getSettings()),
  );
  // Which microphone that is, and whether tabs can be heard, is the page's to find out.
  if (deviceId === '' && !tabSound) early?.beginWith(recording);
  if (early && early.state() !== 'at-rest') await whenDrawn();
  return dictation;
}
