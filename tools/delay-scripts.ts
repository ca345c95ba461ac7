import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withImports } from './size-budget.ts';

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
