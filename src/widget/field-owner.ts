import { useCallback, useSyncExternalStore } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';

/** Which of the fields that share a dictation began what is being recorded. */
type Ownership = {
  owner: object | null;
  /** The field that asked last, in vain or not: errors are shown there. */
  latest: object | null;
  readonly listeners: Set<() => void>;
};

const ownerships = new WeakMap<Dictation, Ownership>();

function ownershipOf(dictation: Dictation): Ownership {
  const known = ownerships.get(dictation);
  if (known) return known;
  const created: Ownership = { owner: null, latest: null, listeners: new Set() };
  ownerships.set(dictation, created);
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

/** Whether a field is the owner. */
export function isOwner(dictation: Dictation, field: object): boolean {
  return ownershipOf(dictation).owner === field;
}

/** The same for a component. */
export function useIsOwner(dictation: Dictation, field: object): boolean {
  return useOwnership(dictation, ({ owner }) => owner === field);
}

/** Whether a field was the last one to ask for the microphone. */
export function useIsLatest(dictation: Dictation, field: object): boolean {
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
