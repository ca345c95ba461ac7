import type { DeliveryVerdict, Dictation } from '../core/contracts/dictation.ts';
import {
  type EditableField,
  type InsertOptions,
  mayComeLater,
  verdictOf,
} from '../field/editable-field.ts';
import { watchReachable, watchRemoval } from '../field/field-watches.ts';
import type { SavedCursor } from '../field/saved-cursors.ts';

/** Inserts a text at the user's place in a field, present or last, else at its end. */
export async function insertHere(
  field: EditableField,
  text: string,
  options: InsertOptions = {},
): Promise<DeliveryVerdict> {
  const cursor = field.saveCursor(true, options.spacing);
  const outcome = await field.insert(text, cursor, options);
  cursor?.release();
  return verdictOf(outcome);
}

/** A place in a field where a text is to land. */
type TextPlace = {
  readonly key: number;
  readonly cursor: SavedCursor;
  /** Null until its recording has one. */
  readonly dictationId: string | null;
};

let places = 0;

/** The places in one field where texts are to land, to be shown there. */
export class FieldPlaces {
  #list: readonly TextPlace[] = [];
  readonly #listeners = new Set<() => void>();

  readonly list = (): readonly TextPlace[] => this.#list;

  readonly hasAny = (): boolean => this.#list.length > 0;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Names the dictation whose text is to land there. */
  name(cursor: SavedCursor, dictationId: string | null): void {
    places += 1;
    this.#set([
      ...this.#list.filter((place) => place.cursor !== cursor),
      { key: places, cursor, dictationId },
    ]);
  }

  /** Its text has landed, or none comes. */
  forget(cursor: SavedCursor): void {
    this.#set(this.#list.filter((place) => place.cursor !== cursor));
  }

  #set(list: readonly TextPlace[]): void {
    this.#list = list;
    for (const listener of this.#listeners) listener();
  }
}

/** The place of a text that could not be inserted. */
type LatePlace = {
  readonly dictationId: string;
  readonly cursor: SavedCursor;
  readonly options: InsertOptions;
  /** The text has been listed: if it is gone from the list, somebody took or deleted it. */
  readonly isOffered: boolean;
  /** The place is given up, its text in it or not. */
  readonly onOver: () => void;
};

/**
 * Inserts a waiting text as soon as the field takes it, unless somebody has taken it by then or the
 * element is gone. Fulfilled when other tabs spare the text.
 */
export async function insertLater(
  dictation: Dictation,
  field: EditableField,
  { dictationId, cursor, options, isOffered, onOver }: LatePlace,
): Promise<void> {
  let isSeen = isOffered;
  let isTrying = false;
  let isDue = false;
  let isOver = false;
  let isGiven = false;

  const end = (): void => {
    if (isOver) return;
    isOver = true;
    for (const stop of stops) stop();
    cursor.release();
    onOver();
    void held.then((letGo) => letGo());
  };
  const insert = async (text: string, withdrawn: AbortSignal) => {
    isGiven = true;
    const outcome = await field.insert(text, cursor, { ...options, withdrawn });
    if (!mayComeLater(outcome)) end();
    return verdictOf(outcome);
  };
  const attempt = async (): Promise<void> => {
    if (isTrying || !isDue || stateOfText(dictation, dictationId) !== 'ready') return;
    isDue = false;
    isGiven = false;
    isTrying = true;
    await dictation.takeText(dictationId, insert).catch(() => false);
    isTrying = false;
    // Another tab had the text just then: the next change shows what became of it.
    if (!isGiven) isDue = true;
    else if (!isOver) refresh();
  };
  const refresh = (): void => {
    const text = stateOfText(dictation, dictationId);
    isSeen ||= text !== 'none';
    // The text was inserted by hand, or deleted.
    if (isSeen && text === 'none' && !isTrying) end();
    else void attempt();
  };
  const stops = [
    dictation.subscribe(refresh),
    watchReachable(field, () => {
      isDue = true;
      void attempt();
    }),
    watchRemoval(field.element, end),
  ];
  const held = dictation.holdPlace(dictationId);
  refresh();
  await held;
}

/** A dictation's text is on its way to the queue, there whole or in part, or gone. */
export function stateOfText(
  dictation: Dictation,
  dictationId: string,
): 'coming' | 'ready' | 'parts' | 'none' {
  const { queue, session } = dictation.getSnapshot();
  if (session.id === dictationId || !queue.isLoaded) return 'coming';
  // A text that needs review was delivered already.
  const states = queue.items
    .filter((item) => item.dictationId === dictationId)
    .map(({ state }) => state.kind)
    .filter((kind) => kind !== 'delivered');
  // A worker started anew brings what a dead one had in its memory alone.
  if (states.length === 0) return queue.isRecovered ? 'none' : 'coming';
  return states.every((kind) => kind === 'answered') ? 'ready' : 'parts';
}
