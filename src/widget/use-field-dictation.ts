import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type {
  DeliveryVerdict,
  Dictation,
  DictationResult,
  StartOptions,
  StartResult,
} from '../core/contracts/dictation.ts';
import {
  DICTATION_FIELD_OPTIONS,
  type GivenSessionOptions,
} from '../core/options/dictation-options.ts';
import type { SessionPhase } from '../core/session/snapshot.ts';
import {
  type EditableField,
  type InsertOptions,
  mayComeLater,
  type PieceTrail,
  verdictOf,
} from '../field/editable-field.ts';
import { watchRemoval } from '../field/field-watches.ts';
import type { SavedCursor } from '../field/saved-cursors.ts';
import { useLatest, useSnapshot } from './hooks.ts';
import { FieldPlaces, insertLater } from './insertions.ts';
import type { FieldCommands } from './options.ts';

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
  /** Where texts are to land in it. */
  readonly places: FieldPlaces;
  /** True while a cancelled dictation of this field can be brought back. */
  readonly isCancelled: boolean;
  /**
   * Removes the last dictation that was inserted piece by piece; null when none of it is in the
   * field.
   */
  readonly takeBack: (() => void) | null;
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
  const isCancelled = useSnapshot(dictation, ({ cancelled }) => cancelled !== null);

  const pieces = useFieldPieces(field);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another field has other places.
  const places = useMemo(() => new FieldPlaces(), [field]);

  const start = useCallback(async (): Promise<StartResult> => {
    const { phase } = dictation.getSnapshot().session;
    // While the text before is fetched the next one begins: whoever holds the key down speaks. For
    // another field the dictation refuses it, and says so.
    if (isSpokenIn(phase) && owns(dictation, field))
      return { ok: false, reason: 'already-recording' };
    const { options, insertOptions } = latest();
    // The press leaves the caret in the text, so an input method does not hear of it.
    field.endComposition?.();
    // A press beside a field that nobody has been in yet means its end.
    const cursor = field.saveCursor(true, insertOptions.spacing);
    const giveBack = takeOwnership(dictation, field);
    const trail = cursor && isInsertedLive(options) ? pieces.begin(cursor) : null;
    let dictationId: string | null = null;
    /** The pieces as the trail counts them, and after a cancel those that were taken out of it. */
    let standing: readonly string[] = [];
    let takenOut: readonly string[] = [];
    let takingOut: Promise<void> | null = null;

    const ruled = (): InsertOptions => {
      const { snippets } = dictation.getSnapshot().session;
      return {
        ...insertOptions,
        snippets,
        language: options.language || likelyLanguages(field.element)[0],
      };
    };
    /** Pieces of a cancelled dictation that are to come back: none of one that is thrown away. */
    const hadBack = async ({ aborted }: AbortSignal): Promise<readonly string[]> => {
      await takingOut;
      if (takingOut && aborted) await takeOut();
      const isBack = takenOut.some((text) => text !== '') && trail?.goBehindUndone?.() === true;
      return aborted || isBack ? [] : takenOut;
    };
    const deliver = async (
      result: DictationResult,
      withdrawn: AbortSignal,
    ): Promise<DeliveryVerdict> => {
      endCancelWatch();
      const text = [...(await hadBack(withdrawn)), result.text]
        .filter((part) => part !== '')
        .join(' ');
      const how = { ...ruled(), withdrawn };
      const outcome = await (trail ? trail.insert(text, how) : field.insert(text, cursor, how));
      if (mayComeLater(outcome) && cursor !== null && dictationId !== null) {
        const isOffered = withdrawn.aborted;
        await insertLater(dictation, field, {
          dictationId,
          cursor,
          options: ruled(),
          isOffered,
          onOver: () => places.forget(cursor),
        });
      } else if (cursor) {
        cursor.release();
        places.forget(cursor);
      }
      if (trail) pieces.end(trail);
      return verdictOf(outcome);
    };
    const deliverPiece = async (
      text: string,
      withdrawn: AbortSignal,
      surplus: number,
    ): Promise<DeliveryVerdict> => {
      if (!trail) return false;
      if (surplus > 0) {
        await takingOut;
        if (!(await trail.takeBackLast?.(surplus, withdrawn))) return false;
        standing = standing.slice(0, -surplus);
        takenOut = takenOut.slice(0, standing.length);
        return true;
      }
      const verdict = verdictOf(await trail.insert(text, { ...ruled(), withdrawn }));
      if (verdict !== false) standing = [...standing, text];
      return verdict;
    };
    /** Those that the field did not let go of still stand, and are not to come back. */
    const takeOut = async (): Promise<void> => {
      const out = (await trail?.takeBack()) ?? [];
      takenOut = standing.map((text, number) =>
        out.includes(number) ? text : (takenOut[number] ?? ''),
      );
    };
    const endCancelWatch = dictation.subscribe(() => {
      if (dictationId === null || dictation.getSnapshot().cancelled !== dictationId) return;
      endCancelWatch();
      takingOut = takeOut();
    });
    const starting = dictation.start({
      ...DICTATION_FIELD_OPTIONS,
      likelyLanguages: likelyLanguages(field.element),
      ...options,
      deliver,
      ...(trail && { deliverPiece }),
    });
    // Now: by the time it has begun, another may be shown, or none.
    dictationId = dictation.getSnapshot().session.id;
    if (cursor) places.name(cursor, dictationId);
    const result = await starting;
    if (result.ok) return result;
    endCancelWatch();
    if (trail) pieces.end(trail);
    cursor?.release();
    if (cursor) places.forget(cursor);
    giveBack();
    return result;
  }, [dictation, field, pieces, places, latest]);

  const stop = useCallback(async () => {
    if (!owns(dictation, field)) return;
    const { isRecording } = dictation.getSnapshot().session;
    if (isRecording) field.endComposition?.();
    await dictation.stop();
  }, [dictation, field]);
  const cancel = useCallback(() => {
    if (owns(dictation, field)) dictation.cancel();
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
    isCancelled: isOwner && isAtRest && isCancelled,
    places,
    takeBack: pieces.takeBack,
    start,
    stop,
    cancel,
  };
}

/** The language of the text around the field, else of the page; then the browser's. */
function likelyLanguages(element: HTMLElement): readonly string[] {
  const { lang } = element.closest<HTMLElement>('[lang]') ?? document.documentElement;
  return [lang || document.documentElement.lang, navigator.language];
}

/** True if the text goes in at each pause. */
function isInsertedLive({ live, insert }: GivenSessionOptions): boolean {
  return live !== false && insert === 'at-pause';
}

function isSpokenIn(phase: SessionPhase): boolean {
  return phase === 'starting' || phase === 'recording' || phase === 'paused';
}

/** Keeps the last live dictation of a field, so that it can be taken back whole. */
function useFieldPieces(field: EditableField) {
  const current = useRef<PieceTrail | null>(null);
  /** Those of dictations whose text is still to come, late perhaps. */
  const [open] = useState(() => new Set<PieceTrail>());
  const [standing, setStanding] = useState<PieceTrail | null>(null);

  const forget = useCallback((): void => {
    current.current?.release();
    current.current = null;
    setStanding(null);
  }, []);
  const begin = useCallback(
    (cursor: SavedCursor): PieceTrail | null => {
      if (current.current && open.has(current.current)) current.current = null;
      forget();
      const trail = field.trail?.(cursor) ?? null;
      current.current = trail;
      if (trail) open.add(trail);
      return trail;
    },
    [field, forget, open],
  );
  const end = useCallback(
    (trail: PieceTrail): void => {
      open.delete(trail);
      if (trail !== current.current) trail.release();
      else if (trail.stands()) setStanding(trail);
      else forget();
    },
    [forget, open],
  );
  useEffect(
    () => () => {
      for (const trail of open) trail.release();
      open.clear();
      forget();
    },
    [forget, open],
  );

  // Pieces that the user changed or undid are not taken back.
  useEffect(() => {
    if (!standing) return;
    const refresh = (): void => {
      if (!standing.stands()) forget();
    };
    field.element.addEventListener('input', refresh);
    return () => field.element.removeEventListener('input', refresh);
  }, [field, standing, forget]);

  const takeBack = useMemo(
    () => standing && (() => void standing.takeBack().then(() => standing.stands() || forget())),
    [standing, forget],
  );
  return useMemo(() => ({ begin, end, takeBack }), [begin, end, takeBack]);
}

/** The field, of those that share a dictation, that began the recording. */
type Ownership = {
  owner: object | null;
  /** The field that asked last, in vain or not: errors are shown there. */
  latest: object | null;
  readonly listeners: Set<() => void>;
};

/** By what all have in common that are one dictation: `withEvents` gives another object of it. */
const ownerships = new WeakMap<Dictation['subscribe'], Ownership>();

function ownershipOf({ subscribe }: Dictation): Ownership {
  const known = ownerships.get(subscribe);
  if (known) return known;
  const created: Ownership = { owner: null, latest: null, listeners: new Set() };
  ownerships.set(subscribe, created);
  return created;
}

/** Makes a field the owner, and gives what makes the one before it the owner again. */
export function takeOwnership(dictation: Dictation, field: object): () => void {
  const ownership = ownershipOf(dictation);
  const before = ownership.owner;
  const set = (owner: object | null): void => {
    ownership.owner = owner;
    for (const listener of ownership.listeners) listener();
  };
  ownership.latest = field;
  set(field);
  return () => set(before);
}

function owns(dictation: Dictation, field: object): boolean {
  return ownershipOf(dictation).owner === field;
}

function useIsOwner(dictation: Dictation, field: object): boolean {
  return useOwnership(dictation, ({ owner }) => owner === field);
}

function useIsLatest(dictation: Dictation, field: object): boolean {
  return useOwnership(dictation, ({ latest }) => latest === field);
}

function useOwnership(dictation: Dictation, select: (now: Ownership) => boolean): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const { listeners } = ownershipOf(dictation);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    [dictation],
  );
  return useSyncExternalStore(subscribe, () => select(ownershipOf(dictation)));
}
