import { ENGLISH_LIST } from './list-strings-en.ts';
import { type ListStrings, SWEDISH_LIST } from './list-strings-sv.ts';
import { useStrings } from './strings.ts';

/** The texts of the list of dictations, which come with it: a page that begins needs none of them. */
export function useListStrings(): ListStrings {
  return useStrings().lang === 'en' ? ENGLISH_LIST : SWEDISH_LIST;
}
