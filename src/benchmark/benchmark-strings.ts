import { BENCHMARK_ENGLISH } from './benchmark-strings-en.ts';
import { BENCHMARK_SWEDISH, type BenchmarkStrings } from './benchmark-strings-sv.ts';

/** The dictation page names its language in the link; the page by itself is in Swedish. */
export const LANGUAGE = new URLSearchParams(location.search).get('lang') === 'en' ? 'en' : 'sv';

/** The page's texts. */
export const STRINGS: BenchmarkStrings = LANGUAGE === 'en' ? BENCHMARK_ENGLISH : BENCHMARK_SWEDISH;
