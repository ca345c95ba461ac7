import { createTextRules } from '../../src/core/text/text-rules.ts';

/** Prints the processor time of the rules for texts, by how many words: `text.ts [entries]`. */
const count = Number(process.argv[2] ?? 2_000);

const SYLLABLES =
  'sjö kvist lind qvist hjel berg ström gren mar tin met pro lol zo pik lon ka ri'.split(' ');
const WORDS =
  'patienten mår bra och sover gott men hostar ibland på natten tar fem milligram alvedon vid behov enligt doktor Sjökvist som ringde i går'.split(
    ' ',
  );

/** Made-up words: every number gives another one. */
function word(nth: number): string {
  const syllables = [nth, nth / 18, nth / 324].map((at) => SYLLABLES[Math.floor(at) % 18] ?? '');
  const letters = syllables.join('');
  return nth % 2 === 0 ? letters : letters.charAt(0).toUpperCase() + letters.slice(1);
}

function text(words: number): string {
  // Every tenth word is one that no text had before, as in life.
  const all = Array.from({ length: words }, (_, at) =>
    at % 10 === 9 ? word(at * 7 + 3) : (WORDS[at % WORDS.length] ?? ''),
  );
  return all.join(' ');
}

const vocabulary = Array.from({ length: count }, (_, at) => ({ write: word(at) }));
const rules = {
  ownWords: true,
  structure: true,
  marks: true,
  control: true,
  numbers: true,
  fillers: 'full',
  replacements: true,
} as const;
const replacements = vocabulary.map(({ write }) => ({ say: `autotext ${write}`, write }));

const before = performance.now();
const apply = createTextRules({ rules, vocabulary, replacements });
const about = { language: 'sv', now: new Date() };
apply('', about);
console.log(`${count} entries, read in ${(performance.now() - before).toFixed(1)} ms`);
for (const words of [100, 1_000, 10_000]) {
  const heard = text(words);
  const times = Array.from({ length: 51 }, () => {
    const start = process.cpuUsage();
    apply(heard, about);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  });
  const [first = 0] = times;
  const median = times.toSorted((a, b) => a - b)[25] ?? 0;
  console.log(
    `${String(words).padStart(6)} words: ${median.toFixed(2)} ms, first ${first.toFixed(2)} ms`,
  );
}
