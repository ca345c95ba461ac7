import type { InnocentWatch } from './innocent.ts';
import type { MemoryView } from './memory-watch.ts';
import type { OutsideHand } from './outside.ts';
import type { Outcome, PostOptions } from './post.ts';
import type { Target } from './target.ts';

/** The amount of work in an attack. */
export type AttackSize = {
  /** True for the form of `npm test`: the same attacks, fewer of each. */
  readonly isShort: boolean;
  /** Damaged files. */
  readonly files: number;
  /** Stands for everything that is made by chance. */
  readonly seed: number;
  /** Where files that did harm are kept; null: nowhere. */
  readonly keepIn: string | null;
};

/** The parts that an attack works with. */
export type AttackField = AttackSize & {
  readonly target: Target;
  /** The server's memory since the attack began. */
  readonly memory: MemoryView;
  /** The innocent from now on, beside the work of this attack. */
  innocentFromNow(): InnocentWatch;
  /** An address of this attack's own, so that attacks do not use up each other's shares. */
  address(index?: number): string;
  /** Posts a recording from one of them; what came is counted by status and code. */
  post(options: PostOptions): Promise<Outcome>;
  /** Counts an outcome that came in another way. */
  count(what: string): void;
  /** Something that must not happen has happened. */
  fault(what: string): void;
  /** A figure for the report. */
  figure(name: string, value: number | string): void;
};

/** The properties of an attack. */
type AttackKind = {
  readonly name: string;
  /**
   * Attacks of one lane would disturb each other: the short form runs them in order, beside others.
   */
  readonly lane: 'silence' | 'files' | 'requests' | 'outside' | 'load';
  /** Ends the server: the last one on it, and the innocent is not looked at. */
  readonly isEnd?: boolean;
};

/**
 * One way to do harm. It is held off when no fault is named and every request of the innocent is
 * answered. `plain` is a server with the settings it has by itself. `elsewhere` has a speech
 * server, a store and a proxy around it, all of them hostile.
 */
export type Attack = AttackKind &
  (
    | { readonly on: 'plain'; run(field: AttackField): Promise<void> }
    | { readonly on: 'elsewhere'; run(field: AttackField, outside: OutsideHand): Promise<void> }
  );
