import type { Plugin, Rolldown } from 'vite';

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
