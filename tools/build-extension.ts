import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, crc32, deflateRawSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build, type InlineConfig, type Plugin } from 'vite';
import { say } from './browsers.ts';
import { libraryVersion, writeAssets } from './library/build-library.ts';
import { libraryAddresses, ROOT } from './library/package-parts.ts';
import { withImports } from './size-budget.ts';

/** Where the extension is built, to be loaded as it is; beside it the same as a zip, for a store. */
export const EXTENSION = join(ROOT, 'dist', 'extension');

const SOURCE = join(ROOT, 'src', 'extension');

/**
 * Half of a pair whose other half nobody has: it gives what is loaded unpacked the same id on every
 * machine. A store gives its own.
 */
const KEY =
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA+samL63T3clfkQJHCz6GNbRGRjuSFgTI3SMJ56BhF3WtcW4mER3eTCWrctmi6DFoN3JWB+J53RIs0j5DCBe4WUNdWZ32gc3RuBAwOJUc3oNvf9vYe9DhEOjmqCxWOFpsRW77g+rdz2TtVOWJj5Wj+/FSbOCCbB5RXq6Vxf9sS/DLBGYBOxXtZAYyNofxDCp/mKSc7RwmWntXaCkbcO8su8+lbPl0kY2lzfPCIm1jrVhquI3SaIFYYjwn4/qJN66SO9ixLNmnR4HCAnufQBcG8+wK7epnU5l4Rr+rSh87l+UdPSYjDm6nH9libvCXkGy1CxQazxcKwV1Z2CESDYKT9wIDAQAB';

/** The id that follows from the key: the servers of those who load it unpacked name it. */
export const EXTENSION_ID = 'obekagjcomledgjjdbmhiembhbifbonk';

/** Brotli, as of what Chrome has to read and compile. */
const BUDGET_BYTES = {
  /** In every frame, before a field has the focus. */
  'content.js': 4_000,
  /** When one has, before the first press. */
  'field/focus.js': 60_000,
  /** At the first press in a frame. */
  'field/tools.js': 140_000,
} as const;

const NAMES = {
  en: { name: 'Diktera', description: 'Dictate into any text field. No spoken word is lost.' },
  sv: {
    name: 'Diktera',
    description: 'Diktera i vilket textfält som helst. Inget sagt ord går förlorat.',
  },
} as const;
const COMMAND = { en: 'Start or end dictation', sv: 'Börja eller sluta diktera' } as const;

/** Any size: Chrome scales. */
const ICONS = { 192: 'icon-192.png', 512: 'icon-512.png' } as const;

function manifest(): object {
  const icons = Object.fromEntries(Object.keys(ICONS).map((size) => [size, `icons/${size}.png`]));
  return {
    manifest_version: 3,
    name: '__MSG_name__',
    description: '__MSG_description__',
    default_locale: 'en',
    // Chrome takes numbers alone.
    version: libraryVersion().replace(/-.*$/, ''),
    version_name: libraryVersion(),
    minimum_chrome_version: '126',
    key: KEY,
    icons,
    action: { default_popup: 'popup.html', default_title: 'Diktera', default_icon: icons },
    background: { service_worker: 'background.js', type: 'module' },
    options_ui: { page: 'options.html', open_in_tab: true },
    // The page in front is in reach when its button or key was pressed, and no other.
    permissions: ['activeTab', 'offscreen', 'scripting', 'storage'],
    // All sites when the person wants the microphone in every field; a server that lets nobody in by
    // itself when it is chosen.
    optional_host_permissions: ['<all_urls>'],
    // One database serves all windows: what is said in a private one would stay in it.
    incognito: 'not_allowed',
    // By an address that changes with each session: no page can look whether it is there.
    web_accessible_resources: [
      { resources: ['field/*'], matches: ['<all_urls>'], use_dynamic_url: true },
    ],
    commands: {
      dictate: { suggested_key: { default: 'Alt+Shift+D' }, description: '__MSG_dictate__' },
    },
    storage: { managed_schema: 'managed-schema.json' },
    content_security_policy: {
      extension_pages: "script-src 'self' 'wasm-unsafe-eval'; object-src 'self'",
    },
  };
}

/** The settings that an organisation may enforce in its browsers. */
const MANAGED_SCHEMA = {
  type: 'object',
  properties: {
    serverUrl: { type: 'string' },
    token: { type: 'string' },
    language: { type: 'string' },
    words: { type: 'string' },
    keepRecordings: { type: 'number' },
    removePii: { type: 'boolean' },
    fixSpelling: { type: 'boolean' },
    pushToTalkKey: { type: 'string' },
    everywhere: { type: 'string' },
    sites: { type: 'object', additionalProperties: { type: 'string' } },
  },
};

function common(): InlineConfig {
  return {
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [{ ...libraryAddresses(), enforce: 'pre' }, withoutBundling(), react()],
  };
}

/** The library's addresses name files that are not there yet: `writeAssets` puts them elsewhere. */
function withoutBundling(): Plugin {
  return {
    name: 'diktera:addresses-as-they-are',
    enforce: 'pre',
    transform: {
      filter: { id: /library-addresses\.ts$/ },
      // Not the one within the comment, which would end there.
      handler: (code) => code.replace(/(?<!`)new URL\('\.\//g, "new URL(/* @vite-ignore */ './"),
    },
  };
}

const TARGET = { target: 'chrome126', emptyOutDir: false, modulePreload: false } as const;

/** Makes `dist/extension` and its zip, and throws when a budget is exceeded. */
export async function buildExtension(): Promise<void> {
  process.env.NODE_ENV = 'production';
  say('Building the extension');
  rmSync(EXTENSION, { recursive: true, force: true });
  mkdirSync(EXTENSION, { recursive: true });
  await build({
    ...common(),
    root: SOURCE,
    base: './',
    build: {
      ...TARGET,
      outDir: EXTENSION,
      rolldownOptions: {
        input: [
          ...['offscreen.html', 'options.html', 'popup.html'].map((name) => join(SOURCE, name)),
          join(SOURCE, 'background.ts'),
        ],
        output: {
          entryFileNames: ({ name }) => (name === 'background' ? '[name].js' : 'pages/[name].js'),
          chunkFileNames: 'pages/[name]-[hash].js',
          assetFileNames: 'pages/[name]-[hash][extname]',
        },
      },
    },
  });
  await buildScript('field/focus', 'focus.ts', 'es');
  await buildScript('field/tools', 'tools.ts', 'es');
  await buildScript('content', 'content.ts', 'iife');
  await writeAssets(join(EXTENSION, 'assets'));
  writeManifest();
  writeFileSync(`${EXTENSION}.zip`, zipOf(EXTENSION));
  checkBudget();
}

/** A content script is no module; what it fetches later is one, whole in one file. */
async function buildScript(name: string, source: string, format: 'es' | 'iife'): Promise<void> {
  await build({
    ...common(),
    base: './',
    build: {
      ...TARGET,
      outDir: EXTENSION,
      rolldownOptions: {
        input: join(SOURCE, source),
        preserveEntrySignatures: 'strict',
        output: {
          format,
          entryFileNames: `${name}.js`,
          // A module has its imports by the extension's own address, which no page may load.
          codeSplitting: false,
        },
      },
    },
  });
}

function writeManifest(): void {
  const write = (path: string, content: object): void =>
    writeFileSync(join(EXTENSION, path), `${JSON.stringify(content, null, 2)}\n`);
  write('manifest.json', manifest());
  write('managed-schema.json', MANAGED_SCHEMA);
  for (const language of ['en', 'sv'] as const) {
    mkdirSync(join(EXTENSION, '_locales', language), { recursive: true });
    const { name, description } = NAMES[language];
    write(`_locales/${language}/messages.json`, {
      name: { message: name },
      description: { message: description },
      dictate: { message: COMMAND[language] },
    });
  }
  mkdirSync(join(EXTENSION, 'icons'));
  for (const [size, file] of Object.entries(ICONS))
    cpSync(join(ROOT, 'public/app', file), join(EXTENSION, 'icons', `${size}.png`));
}

function checkBudget(): void {
  console.log('The extension beside a page, bytes (brotli):');
  for (const [entry, budget] of Object.entries(BUDGET_BYTES)) {
    const files = withImports(EXTENSION, [entry]);
    const bytes = files.reduce(
      (sum, file) => sum + brotliCompressSync(readFileSync(join(EXTENSION, file))).length,
      0,
    );
    console.log(`${String(bytes).padStart(9)}  of ${budget}  ${entry}`);
    if (bytes > budget) throw new Error(`${entry} exceeds its budget (tools/build-extension.ts)`);
  }
}

/** Every file below a folder as one zip; the same bytes for the same files. */
function zipOf(folder: string): Buffer {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const name of names) {
    const content = readFileSync(join(folder, name));
    const packed = deflateRawSync(content, { level: 9 });
    const common = Buffer.alloc(26);
    // Version 2.0, names in UTF-8, deflated, the first day a zip can name.
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt16LE(0x0021, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const path = Buffer.from(name);
    const behind = Buffer.alloc(14);
    behind.writeUInt32LE(at, 10);
    directory.push(Buffer.from('504b01021400', 'hex'), common, behind, path);
    parts.push(Buffer.from('504b0304', 'hex'), common, path, packed);
    at += 4 + common.length + path.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('504b0506', 0, 'hex');
  end.writeUInt16LE(names.length, 8);
  end.writeUInt16LE(names.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, list, end]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildExtension();
