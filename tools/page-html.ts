import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin, type Rolldown } from 'vite';
import { libraryAddresses } from './library/package-parts.ts';
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

/** The script that hears and the one that brings the page to life; with their imports. */
function laterScripts(webRoot: string): readonly string[] {
  const names = readdirSync(join(webRoot, 'assets'));
  const scripts = [/^dictation-.{8}\.js$/, /^page-.{8}\.js$/].map((pattern) => {
    const [script, ...others] = names.filter((name) => pattern.test(name));
    if (!script || others.length > 0)
      throw new Error(`Not one script like ${pattern} in the build`);
    return `assets/${script}`;
  });
  return withImports(webRoot, scripts);
}

const SCRIPTS =
  / *(?:<script type="module"[^>]*\bsrc="\.?\/([^"]+)"><\/script>|<link rel="modulepreload"[^>]*\bhref="\.?\/([^"]+)">)\n/g;

/** A task for each: on a slow laptop one that asks for all of them is felt. */
const ASK =
  "for(const later of document.querySelectorAll('.later'))setTimeout(()=>document.head.append(later.content))";

/**
 * Has the page be seen before it asks for its scripts. They wait in templates, what runs first in
 * one and the others in another, where no browser looks for what it could fetch ahead: doing so
 * takes a quarter of the very task in which the page comes.
 */
export function delayScripts(webRoot: string): void {
  const path = join(webRoot, 'index.html');
  const html = readFileSync(path, 'utf8');
  const tags = [...html.matchAll(SCRIPTS)].map(([tag, entry, preloaded]) => ({
    tag: tag.trim(),
    name: entry ?? preloaded ?? '',
    isEntry: entry !== undefined,
  }));
  const [entry, ...others] = tags.filter(({ isEntry }) => isEntry);
  if (!entry || others.length > 0) throw new Error(`${path} has not one script`);
  const first = new Set(withImports(webRoot, [entry.name]));
  const templates = [true, false].map((isFirst) => {
    const waiting = tags.filter(({ name }) => first.has(name) === isFirst);
    return `<template class="later">${waiting.map(({ tag }) => tag).join('')}</template>`;
  });
  // The policy knows it by its hash: as it is here, with nothing around it.
  const end = `    ${templates.join('')}<script>${ASK}</script>\n  </body>`;
  writeFileSync(
    path,
    html.replace(SCRIPTS, '').replace('  </body>', () => end),
  );
}

const STYLE_LINKS = / *<link rel="stylesheet"[^>]*\bhref="\.?\/([^"]+)">\n/g;

/**
 * Writes the styles that `page` names into it: it can be seen without another way to the server. A
 * file that no other page names is left out. The server's policy lets through what is written into
 * a page, by its hash (`server/pages`).
 */
export function inlineStyles(page: string): Plugin {
  return {
    name: 'inline-styles',
    apply: 'build',
    // After the pages are made, and before what comes later is told which styles it needs.
    enforce: 'post',
    generateBundle(_, bundle) {
      const { html, inlined } = withStyles(textOf(bundle, page), (name) => textOf(bundle, name));
      if (inlined.size === 0) this.error(`${page} names no styles`);
      assetOf(bundle, page).source = html;
      forgetStyles(bundle, inlined);
    },
  };
}

function forgetStyles(bundle: Rolldown.OutputBundle, inlined: ReadonlySet<string>): void {
  const pages = Object.keys(bundle).filter((name) => name.endsWith('.html'));
  const named = pages.map((name) => textOf(bundle, name)).join('');
  for (const name of inlined) {
    // It is in the page, whichever of its scripts comes to need it.
    for (const output of Object.values(bundle)) {
      if (output.type === 'chunk') output.viteMetadata?.importedCss.delete(name);
    }
    if (!named.includes(`/${name}`)) delete bundle[name];
  }
}

/** A page with its styles in it, and the files that they came from. */
export function withStyles(
  html: string,
  read: (name: string) => string,
): { readonly html: string; readonly inlined: ReadonlySet<string> } {
  const inlined = new Set<string>();
  const whole = html.replace(STYLE_LINKS, (_, name: string) => {
    inlined.add(name);
    const style = read(name).trim();
    if (/<\/style/i.test(style)) throw new Error(`${name} cannot be written into a page`);
    return `    <style>${style}</style>\n`;
  });
  return { html: whole, inlined };
}

function assetOf(bundle: Rolldown.OutputBundle, name: string): Rolldown.OutputAsset {
  const output = bundle[name];
  if (output?.type !== 'asset') throw new Error(`The build has no ${name}`);
  return output;
}

function textOf(bundle: Rolldown.OutputBundle, name: string): string {
  const { source } = assetOf(bundle, name);
  return typeof source === 'string' ? source : new TextDecoder().decode(source);
}
