import { useCallback, useRef } from 'react';
import type { Dictation } from '../core/dictation.ts';
import { DICTATION_FIELD_OPTIONS, type SessionOptions } from '../core/dictation-options.ts';
import type { SavedCursor } from '../field/cursor-keeper.ts';
import type { EditableField } from '../field/editable-field.ts';

/** Starts a dictation into a field, or ends the one that runs; the text goes where the cursor was. */
export function useFieldDictation(
  dictation: Dictation,
  field: EditableField | null,
  options: Partial<SessionOptions> = {},
): () => void {
  const optionsRef = useRef(options);
  optionsRef.current = options;

  return useCallback(() => {
    const { phase } = dictation.getSnapshot().session;
    if (phase === 'recording' || phase === 'paused') {
      void dictation.stop();
      return;
    }
    if (!field || (phase !== 'idle' && phase !== 'stopped')) return;
    const cursor = field.saveCursor();
    const given = { ...DICTATION_FIELD_OPTIONS, ...optionsRef.current };
    void dictation
      .start({
        ...given,
        deliver: ({ transcription }) => insertAt(field, cursor, transcription),
      })
      .then((isStarted) => {
        if (!isStarted) cursor?.release();
      });
  }, [dictation, field]);
}

/** True when the text is in the field, or there was none (empty transcriptions are ignored). */
async function insertAt(
  field: EditableField,
  cursor: SavedCursor | null,
  text: string,
): Promise<boolean> {
  const { kind } = await field.insert(text, cursor);
  cursor?.release();
  return kind === 'inserted' || kind === 'empty';
}
