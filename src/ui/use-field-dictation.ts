import { useCallback, useEffect, useRef, useState } from 'react';
import type { Dictation, StartOptions } from '../core/dictation.ts';
import { DICTATION_FIELD_OPTIONS } from '../core/dictation-options.ts';
import type { SessionPhase } from '../core/snapshot.ts';
import type { SavedCursor } from '../field/cursor-keeper.ts';
import type { EditableField, InsertOptions } from '../field/editable-field.ts';
import { watchRemoval } from '../field/watch-removal.ts';
import { isOwner as isOwnerOf, takeOwnership, useIsLatest, useIsOwner } from './field-owner.ts';
import type { FieldCommands } from './field-props.ts';
import { useSnapshot } from './use-snapshot.ts';

/** Dictation into one field. */
export type FieldDictation = FieldCommands & {
  /** As far as this field is concerned: `idle` while another one is dictated into. */
  readonly phase: SessionPhase;
  /** Another field is dictated into. */
  readonly isBusyElsewhere: boolean;
  /** This field was the last one to ask for the microphone. */
  readonly isLatest: boolean;
};

type FieldDictationSetup = {
  readonly dictation: Dictation;
  readonly field: EditableField;
  readonly options: Omit<StartOptions, 'deliver'>;
  readonly insertOptions: InsertOptions;
};

export function useFieldDictation(setup: FieldDictationSetup): FieldDictation {
  const { dictation, field } = setup;
  const latest = useRef(setup);
  latest.current = setup;
  const [self] = useState(() => Symbol('field'));
  const isOwner = useIsOwner(dictation, self);
  const running = useSnapshot(dictation, ({ session }) => session.phase);
  const isAtRest = running === 'idle' || running === 'stopped';

  const start = useCallback(() => {
    const { phase } = dictation.getSnapshot().session;
    if (phase !== 'idle' && phase !== 'stopped') return;
    const { options, insertOptions } = latest.current;
    const cursor = field.saveCursor();
    const giveBack = takeOwnership(dictation, self);
    void dictation
      .start({
        ...DICTATION_FIELD_OPTIONS,
        ...options,
        deliver: ({ transcription }) => insertAt(field, cursor, transcription, insertOptions),
      })
      .then((isStarted) => {
        if (isStarted) return;
        cursor?.release();
        giveBack();
      });
  }, [dictation, field, self]);

  const stop = useCallback(async () => {
    if (isOwnerOf(dictation, self)) await dictation.stop();
  }, [dictation, self]);
  // A microphone that is open with nothing to see of it would be a spy.
  useEffect(() => () => void stop(), [stop]);
  useEffect(() => {
    if (!isOwner || isAtRest) return;
    return watchRemoval(field.element, () => void stop());
  }, [isOwner, isAtRest, field, stop]);

  return {
    phase: isOwner ? running : 'idle',
    isBusyElsewhere: !isOwner && !isAtRest,
    isLatest: useIsLatest(dictation, self),
    start,
    stop,
  };
}

/** True when the text is in the field, or there was none (empty transcriptions are ignored). */
async function insertAt(
  field: EditableField,
  cursor: SavedCursor | null,
  text: string,
  options: InsertOptions,
): Promise<boolean> {
  const { kind } = await field.insert(text, cursor, options);
  cursor?.release();
  return kind === 'inserted' || kind === 'empty';
}
