import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { libraryAddresses } from './library/library-addresses.ts';
import { withImports } from './size-budget.ts';

/** Where the page's code is put to be run here. */
const FOLDER = resolve('.cache/prerender');
const EMPTY_ROOT = '<div id="root"></div>';

/**
 * Draws the page into its HTML, to be read and written in before any script has come, and names the
 * scripts that its first one asks for, so that they come with it.
 */
export async function prerender(webRoot: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    // Nothing is fetched while it is drawn, so nothing needs the addresses that Vite gives.
    plugins: [libraryAddresses()],
    build: {
      ssr: 'src/page/prerender.tsx',
      outDir: FOLDER,
      emptyOutDir: true,
      rolldownOptions: { output: { entryFileNames: '[name].js' } },
    },
  });
  const { prerenderPage } = (await import(pathToFileURL(join(FOLDER, 'prerender.js')).href)) as {
    prerenderPage(): string;
  };
  const path = join(webRoot, 'index.html');
  const html = readFileSync(path, 'utf8');
  if (!html.includes(EMPTY_ROOT)) throw new Error(`${path} has no place for the page`);
  const links = laterScripts(webRoot)
    .filter((script) => !html.includes(script))
    .map((script) => `    <link rel="modulepreload" crossorigin href="./${script}">\n`);
  writeFileSync(
    path,
    html
      .replace(EMPTY_ROOT, () => prerenderPage())
      .replace('  </head>', () => `${links.join('')}  </head>`),
  );
}

/** What can hear, and what brings the page to life; with their imports. */
function laterScripts(webRoot: string): readonly string[] {
  const names = readdirSync(join(webRoot, 'assets'));
  const scripts = [/^dictation-.+\.js$/, /^page-.+\.js$/].map((pattern) => {
    const [script, ...others] = names.filter((name) => pattern.test(name));
    if (!script || others.length > 0)
      throw new Error(`Not one script like ${pattern} in the build`);
    return `assets/${script}`;
  });
  return withImports(webRoot, scripts);
}
