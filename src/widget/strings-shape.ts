import type { SWEDISH } from './strings-sv.ts';

/** The same shape, with any text in it. */
export type Translated<T> = T extends string
  ? string
  : T extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Key in keyof T]: Translated<T[Key]> };

/**
 * Every text of the interface, in some language. Swedish is what the others must be complete to.
 */
export type Strings = Translated<typeof SWEDISH>;
