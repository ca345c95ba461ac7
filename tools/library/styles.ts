import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'lightningcss';
import { type Plugin, RolldownMagicString } from 'rolldown';
import { parseSync } from 'rolldown/experimental';
import { ROOT } from './package-parts.ts';

/**
 * In the package each class begins with this, and each custom property: the sources say `.toolbar`,
 * as Bootstrap does, and `--accent`, as shadcn does, and both may be on an embedder's page.
 */
const PREFIX = 'diktera-';

/** A token's value; an embedder sets another in `--diktera-NAME`, on any element around ours. */
const OWN = '--_diktera-';

/** The outermost elements of our components on an embedder's page. */
const ROOTS = ':where(.sheet, .dictations, .notices, .live-words)';

/**
 * The styles of `DictationField`, `Notices` and the lists; base.css is for whole pages and
 * shadow trees.
 */
const STYLES = ['tokens', 'controls', 'field', 'status', 'dictations', 'library'];

/**
 * Bundlers that write for older browsers (Next.js) have two properties in place of `light-dark()`,
 * and set them where a `color-scheme` is said, which is the page's to do: light where it does not.
 */
const LOWERED = ':where(:root) { --lightningcss-light: initial; --lightningcss-dark: ; }';

/**
 * The content of `diktera/styles.css`: one layer, so that whatever the page says goes before it, and
 * nothing in it says anything of an element that is not ours.
 */
export function libraryStyles(): string {
  const files = STYLES.map((name) => join(ROOT, 'src/widget/styles', `${name}.css`));
  const css = files.map(readStyles).join('\n').replaceAll(':root', ROOTS);
  return prefixed(`@layer diktera {\n${LOWERED}\n${css}\n}`);
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
        const css = prefixed(readStyles(id.slice('\0css:'.length)));
        return { code: `export default ${JSON.stringify(css)};`, moduleType: 'js' };
      },
    },
  };
}

function readStyles(file: string): string {
  const css = readFileSync(file, 'utf8');
  if (!file.endsWith('tokens.css')) return css;
  const open = css.replace(/^(\s+)--([\w-]+):\s*([^;]+);/gm, `$1--$2: var(--${PREFIX}$2, $3);`);
  // Light or dark is the page's to say.
  return open.replace(/^\s+color-scheme:.*\n/m, '');
}

function prefixed(css: string): string {
  const { code } = transform({
    filename: 'styles.css',
    code: Buffer.from(css.replaceAll(/--(?!diktera-|lightningcss-)(?=[a-z])/g, OWN)),
    minify: true,
    cssModules: { pattern: `${PREFIX}[local]`, grid: false, container: false },
  });
  return code.toString();
}

/** Names that are others' to read. */
const FOREIGN = new Set(['notranslate']);

type Node = {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
};

/** Attributes that hold classes. */
const HOLDERS: ReadonlySet<unknown> = new Set(['className', 'look']);

/** Gives the classes of our components their prefix: the literals in `className`. */
export function prefixClasses(): Plugin {
  return {
    name: 'diktera:prefix-classes',
    transform: {
      filter: { id: /\/src\/(?:widget\/[^/]+|attach-dictation)\.tsx$/ },
      handler(code, id) {
        const text = new RolldownMagicString(code);
        const { program } = parseSync(id, code);
        for (const at of classesIn(program as unknown as Node, code)) text.appendLeft(at, PREFIX);
        return {
          code: text.toString(),
          map: text.generateMap({ hires: true, source: id }).toString(),
        };
      },
    },
  };
}

/** Where names of classes begin, below a node. */
function classesIn(node: Node, code: string, isHeld = false): number[] {
  const {
    quasis = [],
    name,
    left,
  } = node as Partial<Record<'name' | 'left', Node>> & {
    readonly quasis?: readonly Node[];
  };
  const target = node.type === 'AssignmentExpression' ? left?.property : name;
  const holds = isHeld || HOLDERS.has((target as { readonly name?: unknown } | undefined)?.name);
  const found: number[] = [];
  if (node.type === 'Literal' && typeof node.value === 'string') {
    const [start, value] = [node.start + 1, node.value];
    if (holds) found.push(...namesIn(value, false).map((at) => start + at));
    // A selector of one class: `.field-text`.
    else if (/^\.[a-z][\w-]*$/.test(value)) found.push(start + 1);
  }
  if (holds) {
    quasis.forEach((part, index) => {
      const { raw } = part.value as { readonly raw: string };
      const start = code.indexOf(raw, part.start);
      found.push(...namesIn(raw, index > 0).map((at) => start + at));
    });
  }
  const children = Object.values(node)
    .flat()
    .filter((each): each is Node => typeof each === 'object' && each !== null && 'type' in each);
  return [...found, ...children.flatMap((child) => classesIn(child, code, holds))];
}

/** Where names begin; behind an expression a part without a blank goes on with a name. */
function namesIn(text: string, isBehind: boolean): number[] {
  return [...text.matchAll(/(?<!\S)[a-z][\w-]*/g)]
    .filter(({ 0: name, index }) => !(FOREIGN.has(name) || (isBehind && index === 0)))
    .map(({ index }) => index);
}
