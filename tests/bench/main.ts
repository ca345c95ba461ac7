import { spawnSync } from 'node:child_process';

/** The preparation of a measurement: a browser found, and the production build up to date. */
type Bench = { readonly needs: readonly string[]; readonly says: string };

const BUILT = ['tools/with-browser.ts', '--build'];

/** Each is the file of the same name beside this one, and tells its own options with `--help`. */
const BENCHES: Readonly<Record<string, Bench>> = {
  peers: { needs: BUILT, says: 'speech detection beside its peers, in one browser and one run' },
  gate: { needs: [], says: 'speech lost after pauses, and sound taken for speech' },
  stop: { needs: BUILT, says: 'from the last word to the text, and words wrong, in our page' },
  live: { needs: BUILT, says: 'words while one speaks: when seen, when final, requests, bytes' },
  page: { needs: BUILT, says: 'from navigation to a Diktera that answers, and the main thread' },
  text: { needs: [], says: 'the time of the rules for texts, with a vocabulary' },
  sound: { needs: [], says: 'decoding of each format on the server, beside ffmpeg; an hour' },
  files: {
    needs: BUILT,
    says: 'an hour of sound opened on our page: seconds, memory, main thread',
  },
  extension: {
    needs: BUILT,
    says: 'what the browser extension costs beside a page, at rest and recording',
  },
  light: { needs: BUILT, says: 'what recording costs, all processes, beside a bare page' },
};

const [name, ...args] = process.argv.slice(2);
const bench = name === undefined ? undefined : BENCHES[name];
if (bench === undefined) {
  const rows = Object.entries(BENCHES).map(([each, { says }]) => `  ${each.padEnd(12)}${says}`);
  console.log(`Usage: npm run bench -- NAME [OPTIONS]; --help after a name tells its options.\n
Figures, never a pass or a failure:\n\n${rows.join('\n')}`);
  process.exitCode = name === undefined ? 0 : 1;
} else {
  const file = `tests/bench/${name}.ts`;
  const command = bench.needs.length > 0 ? [...bench.needs, 'tsx', file] : [file];
  const { status } = spawnSync('npx', ['tsx', ...command, ...args], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
