import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'lightningcss';
import type { Plugin } from 'rolldown';
import { ROOT } from './paths.ts';

/**
 * What `DictationField`, `Notices` and the lists look like; base.css is for whole pages and
 * shadow trees.
 */
const STYLES = ['tokens', 'controls', 'field', 'status', 'dictations', 'library'];

/** The content of `diktera/styles.css`. */
export function libraryStyles(): string {
  const files = STYLES.map((name) => join(ROOT, 'src/widget/styles', `${name}.css`));
  return minified(files.map((file) => readFileSync(file, 'utf8')).join('\n'));
}

/** Style sheets that are imported as text (`?inline`), for shadow trees. */
export function inlineStyles(): Plugin {
  return {
    name: 'diktera:inline-styles',
    resolveId: {
      filter: { id: /\.css\?inline$/ },
      handler: (source, importer) =>
        `\0css:${join(importer ?? '', '..', source.replace('?inline', ''))}`,
    },
    load: {
      filter: { id: /^\0css:/ },
      handler(id) {
        const css = minified(readFileSync(id.slice('\0css:'.length), 'utf8'));
        return { code: `export default ${JSON.stringify(css)};`, moduleType: 'js' };
      },
    },
  };
}

function minified(css: string): string {
  const { code } = transform({ filename: 'styles.css', code: Buffer.from(css), minify: true });
  return code.toString();
}
