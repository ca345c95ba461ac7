import type { Dictation } from '../core/contracts/dictation.ts';
import { createDictation } from '../create-dictation.ts';
import { createEarlyRecording } from './early-recording.ts';
import type { EarlyTools } from './early-tools.ts';
import { type SettingsStore, sessionOptionsOf } from './settings.ts';

/** The page's dictation. What a press waits for is begun at once, before there is a page to see it. */
export function openDictation({ getSettings }: SettingsStore, early: EarlyTools | null): Dictation {
  const { dictation, early: recording } = createEarlyRecording(createDictation(), () =>
    sessionOptionsOf(getSettings()),
  );
  const { deviceId, tabSound } = getSettings();
  // Which microphone that is, and whether tabs can be heard, is the page's to find out.
  if (deviceId === '' && !tabSound) early?.beginWith(recording);
  return dictation;
}
