import { runInNewContext } from 'node:vm';
import { type InputOptions, type OutputOptions, type RolldownOutput, rolldown } from 'rolldown';
import { EDITOR_ENTRIES, LIBRARY, libraryAddresses, ROOT } from './package-parts.ts';
import { inlineStyles, prefixClasses } from './styles.ts';

/** The sources of the page's scripts, by the names of their files. */
const ENTRIES = {
  index: 'src/index.ts',
  attach: 'src/attach-dictation.tsx',
  react: 'src/react.ts',
  adapter: 'src/adapter.ts',
  events: 'src/dictation-events.ts',
  ...EDITOR_ENTRIES,
};

/** Small modules that nearly all entries import: bundled into one file instead of four. */
const SMALL_PARTS = {
  name: 'shared',
  test: /src\/core\/(?:errors|blank-text|audio\/audio-(?:format|types))\.ts$/,
};

/** The modules of fields and adapters: a page that needs one of them needs nearly all. */
const FIELD = {
  name: 'shared',
  test: /src\/field\/(?!value-input)/,
};

/** `attach` and `index` with React included, for pages without it. */
const STANDALONE_ENTRY = { standalone: 'src/standalone.ts' };

/** By itself: what it has in common with the others would be scripts of their own for all of them. */
const FILES_ENTRY = { files: 'src/transcribe-file.ts' };

/** One script for pages without a bundler, React and all. */
const PLAIN_ENTRY = { diktera: 'src/plain-page.ts' };

/** Scripts that threads of their own run, each whole in one file: a bundler copies it as it is. */
const THREADS = {
  worker: 'workers/dictation.worker.ts',
  'reader-worker': 'workers/audio/read-compressed.worker.ts',
  'opus-worker': 'workers/audio/opus.worker.ts',
  worklet: 'worklets/capture.worklet.ts',
};

/** For those alone who have files written down: the extension has none. */
const FILE_READER = { 'file-worker': 'workers/audio/read-file.worker.ts' };

/** Nearly all of them is others' code: maps of megabytes that tell nobody anything. */
const WITHOUT_MAP = new Set(['opus-worker', 'file-worker']);

/** The file that the resampler's glue would fetch, were it not given it. */
const OWN_ADDRESS = 'new URL("speex-resampler-simd.wasm",import.meta.url).href';

/** The page's own: what it has of them is used. */
const PEERS = [/^react($|\/)/, /^react-dom($|\/)/];

/** Components and hooks, for frameworks that render on a server. */
const CLIENT_ENTRIES = new Set(['attach', 'react']);

/** Builds the scripts of the library's pages; gives their chunks, for the list of licences. */
export async function buildScripts(): Promise<readonly RolldownOutput[]> {
  const shared = await write(
    ENTRIES,
    { external: PEERS },
    { dir: LIBRARY, codeSplitting: { groups: [SMALL_PARTS, FIELD] } },
  );
  const whole = { codeSplitting: false } as const;
  const standalone = await write(
    STANDALONE_ENTRY,
    {},
    // Its map would tell again what those of the others tell, and of React.
    { dir: LIBRARY, sourcemap: false },
  );
  const files = await write(FILES_ENTRY, {}, { dir: LIBRARY, ...whole });
  const plain = await write(PLAIN_ENTRY, {}, { dir: LIBRARY, ...whole });
  return [shared, standalone, files, plain];
}

/** Builds the scripts of threads into a folder; those of the package have maps. */
export async function buildThreads(
  dir: string,
  isPackage: boolean,
): Promise<readonly RolldownOutput[]> {
  const threads: RolldownOutput[] = [];
  for (const [name, path] of Object.entries({ ...THREADS, ...(isPackage && FILE_READER) })) {
    const sourcemap = isPackage && !WITHOUT_MAP.has(name);
    threads.push(await write({ [name]: path }, {}, { dir, codeSplitting: false, sourcemap }));
  }
  return threads;
}

async function write(
  input: Readonly<Record<string, string>>,
  how: InputOptions,
  output: OutputOptions,
): Promise<RolldownOutput> {
  const bundle = await rolldown({
    cwd: ROOT,
    input: { ...input },
    platform: 'browser',
    onLog(level, log, tell) {
      // The directive of an icon: the entries have their own.
      if (log.code !== 'MODULE_LEVEL_DIRECTIVE') tell(level, log);
    },
    plugins: [
      libraryAddresses(),
      inlineStyles(),
      prefixClasses(),
      withoutNode(),
      withoutOwnAddress(),
      withPlainBytes(),
    ],
    transform: {
      target: 'es2022',
      // There is none in a browser; named at all, some bundlers bring one along, or fail.
      define: { 'process.env.NODE_ENV': '"production"', process: 'undefined' },
    },
    ...how,
  });
  const written = await bundle.write({
    format: 'esm',
    sourcemap: true,
    minify: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'shared-[hash].js',
    banner: ({ name, isEntry }) => (isEntry && CLIENT_ENTRIES.has(name) ? "'use client';" : ''),
    ...output,
  });
  await bundle.close();
  return written;
}

/** The glue of the resampler and of libopus ask for Node's `module` where they run in Node. */
function withoutNode() {
  return {
    name: 'diktera:without-node',
    resolveId: (source: string) => (/^(?:node:)?module$/.test(source) ? '\0none' : null),
    load: (id: string) => (id === '\0none' ? 'export {};' : null),
  };
}

/**
 * The resampler's glue names its WASM file, which it is given instead; a bundler that reads the
 * worklet (Parcel) looks for it and finds nothing.
 */
function withoutOwnAddress() {
  return {
    name: 'diktera:without-own-address',
    transform: {
      filter: { id: /speex-resampler-simd\.js$/ },
      handler(code: string) {
        const [before, after, ...others] = code.split(OWN_ADDRESS);
        if (after === undefined || others.length > 0) throw new Error('The resampler has changed');
        // As long as it was: what the source map says stays right.
        return { code: before + '""'.padEnd(OWN_ADDRESS.length) + after, map: null };
      },
    },
  };
}

/**
 * The glue of libopus holds its WASM as a string of raw bytes, which is minified to a template with
 * control characters in it. A bundler that reads and writes the worker again (Parcel) breaks that.
 */
function withPlainBytes() {
  return {
    name: 'diktera:with-plain-bytes',
    transform: {
      filter: { id: /libopus\.generated\.mjs$/ },
      handler(code: string) {
        const raw = /binaryDecode\(('(?:[^'\\]|\\.)*')\)/s.exec(code);
        if (!raw?.[1]) throw new Error('The glue of libopus has changed');
        const bytes = Buffer.from(runInNewContext(raw[1]), 'latin1').toString('base64');
        return { code: code.replace(raw[0], () => `binaryDecode(atob("${bytes}"))`), map: null };
      },
    },
  };
}
