import { attachDictation } from '../../../src/attach-dictation.tsx';
import { pageDictation } from '../../../src/create-dictation.ts';

const dictation = pageDictation();
const field = document.querySelector('textarea');
if (!field) throw new Error('Where is the text area?');
field.focus();
attachDictation(field, { dictation, levelMeter: false }).start();
dictation.subscribe(() => {
  if (dictation.getSnapshot().session.accumulatedRecordingMs > 0) {
    document.querySelector('#state')?.replaceChildren('recording');
  }
});
