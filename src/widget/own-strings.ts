import type { ListStrings } from './list-strings-sv.ts';
import type { InterfaceLanguage } from './options.ts';
import type { Strings } from './strings-sv.ts';

/** Some of the texts, at any depth. */
export type SomeStrings<Texts> = {
  readonly [Key in keyof Texts]?: Texts[Key] extends string | ((...given: never[]) => string)
    ? Texts[Key]
    : SomeStrings<Texts[Key]>;
};

/**
 * Texts of one's own in place of Diktera's, by language: those that are left out stay. `list` is of
 * the list of dictations. The names are in the types; a text that counts something is a function.
 */
export type OwnStrings = {
  readonly [Language in InterfaceLanguage]?: SomeStrings<Omit<Strings, 'lang'>> & {
    readonly list?: SomeStrings<ListStrings>;
  };
};

/** The texts with those in place of theirs that are given, at any depth. */
export function withOwn<Texts extends object>(
  texts: Texts,
  own: SomeStrings<Texts> | undefined,
): Texts {
  const changed = Object.entries(own ?? {}).map(([name, text]) => {
    const before: unknown = Reflect.get(texts, name);
    const isGroup = typeof text === 'object' && text !== null && typeof before === 'object';
    return [name, isGroup ? withOwn(before ?? {}, text) : (text ?? before)] as const;
  });
  return { ...texts, ...Object.fromEntries(changed) };
}
