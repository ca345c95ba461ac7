import { useCallback, useEffect, useMemo } from 'react';
import type { DeliveryVerdict, Dictation, StartOptions } from '../core/contracts/dictation.ts';
import type { DictationResult } from '../core/contracts/worker-api.ts';
import {
  DICTATION_FIELD_OPTIONS,
  type GivenSessionOptions,
} from '../core/options/dictation-options.ts';
import type { SessionPhase } from '../core/session/snapshot.ts';
import {
  type EditableField,
  type InsertOptions,
  mayComeLater,
  verdictOf,
} from '../field/editable-field.ts';
import { watchRemoval } from '../field/field-watches.ts';
import { isOwner as isOwnerOf, takeOwnership, useIsLatest, useIsOwner } from './field-owner.ts';
import type { FieldCommands } from './field-props.ts';
import { createKeptPlaces } from './kept-places.ts';
import { type TakeBack, useFieldPieces } from './use-field-pieces.ts';
import { useLatest } from './use-latest.ts';
import { useSnapshot } from './use-snapshot.ts';

/** Dictation into one field. */
export type FieldDictation = FieldCommands & {
  /** As far as this field is concerned: `idle` while another one is dictated into. */
  readonly phase: SessionPhase;
  /** Another field is dictated into. */
  readonly isBusyElsewhere: boolean;
  /** Somebody speaks into another field, or is about to. */
  readonly isSpokenElsewhere: boolean;
  /** This field was the last one to ask for the microphone. */
  readonly isLatest: boolean;
  /** The last dictation that went in piece by piece, while any of it stands; else null. */
  readonly taken: TakeBack | null;
};

type FieldDictationSetup = {
  readonly dictation: Dictation;
  readonly field: EditableField;
  readonly options: Omit<StartOptions, 'deliver'>;
  readonly insertOptions: InsertOptions;
};

export function useFieldDictation(setup: FieldDictationSetup): FieldDictation {
  const { dictation, field } = setup;
  const latest = useLatest(setup);
  const isOwner = useIsOwner(dictation, field);
  const running = useSnapshot(dictation, ({ session }) => session.phase);
  const isAtRest = running === 'idle' || running === 'stopped';

  const places = useMemo(() => createKeptPlaces({ dictation, field }), [dictation, field]);
  const pieces = useFieldPieces(field);

  const start = useCallback(() => {
    const { phase } = dictation.getSnapshot().session;
    // While the text before is fetched the next one begins: whoever holds the key down speaks. For
    // another field the dictation refuses it, and says so.
    if (isSpokenIn(phase) && isOwnerOf(dictation, field)) return;
    const { options, insertOptions } = latest();
    // The press leaves the caret in the text, so an input method does not hear of it.
    field.endComposition?.();
    const cursor = field.saveCursor();
    const giveBack = takeOwnership(dictation, field);
    const trail = cursor && isInsertedLive(options) ? pieces.begin(cursor) : null;
    let dictationId: string | null = null;

    const deliver = async (
      { text }: DictationResult,
      withdrawn: AbortSignal,
    ): Promise<DeliveryVerdict> => {
      const how = { ...insertOptions, withdrawn };
      const outcome = await (trail ? trail.insert(text, how) : field.insert(text, cursor, how));
      if (mayComeLater(outcome) && cursor !== null && dictationId !== null) {
        const isOffered = withdrawn.aborted;
        await places.keep({ dictationId, cursor, options: insertOptions, isOffered });
      } else cursor?.release();
      if (trail) pieces.end(trail);
      return verdictOf(outcome);
    };
    const deliverPiece = async (text: string, withdrawn: AbortSignal): Promise<DeliveryVerdict> =>
      trail ? verdictOf(await trail.insert(text, { ...insertOptions, withdrawn })) : false;
    const begin = async (): Promise<void> => {
      const starting = dictation.start({
        ...DICTATION_FIELD_OPTIONS,
        likelyLanguages: likelyLanguages(field.element),
        ...options,
        deliver,
        ...(trail && { deliverPiece }),
      });
      // Now: by the time it has begun, another may be shown, or none.
      dictationId = dictation.getSnapshot().session.id;
      if (await starting) return;
      cursor?.release();
      giveBack();
    };
    void begin();
  }, [dictation, field, places, pieces, latest]);

  const stop = useCallback(async () => {
    if (!isOwnerOf(dictation, field)) return;
    const { isRecording } = dictation.getSnapshot().session;
    if (isRecording) field.endComposition?.();
    await dictation.stop();
  }, [dictation, field]);
  // A microphone that is open with nothing to see of it would be a spy.
  useEffect(() => () => void stop(), [stop]);
  useEffect(() => {
    if (!isOwner || isAtRest) return;
    return watchRemoval(field.element, () => void stop());
  }, [isOwner, isAtRest, field, stop]);

  return {
    phase: isOwner ? running : 'idle',
    isBusyElsewhere: !isOwner && !isAtRest,
    isSpokenElsewhere: !isOwner && isSpokenIn(running),
    isLatest: useIsLatest(dictation, field),
    taken: pieces.taken,
    start,
    stop,
  };
}

/** That of the text around it, or of the page; then the browser's. */
function likelyLanguages(element: HTMLElement): readonly string[] {
  const { lang } = element.closest<HTMLElement>('[lang]') ?? document.documentElement;
  return [lang || document.documentElement.lang, navigator.language];
}

/** Whether a recording's text goes in at each pause. */
function isInsertedLive({ live, insert }: GivenSessionOptions): boolean {
  return live !== false && insert === 'at-pause';
}

function isSpokenIn(phase: SessionPhase): boolean {
  return phase === 'starting' || phase === 'recording' || phase === 'paused';
}
