import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';
import type { TestProject } from 'vitest/node';
import { buildServer } from '../build-server.ts';

/** Where the server's built programs are, an absolute path. */
export type ServerFolder = string;

declare module 'vitest' {
  interface ProvidedContext {
    readonly serverFolder: ServerFolder;
  }
}

/**
 * As deep as `dist/server`, whence what is beside the project's files is found; each run has its
 * own.
 */
const FOLDER = resolve('.cache', `server-${process.pid}`);

/** Starts the server's programs, which lie beside it. */
const STARTER = 'server/children/children.ts';

/**
 * Has what tests start as processes and threads be the built programs, as where they are in use:
 * from source each would load a compiler first, which is most of what it costs.
 */
export function builtServer(): Plugin {
  return {
    name: 'diktera:built-server',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith(STARTER)) return null;
      const place = pathToFileURL(join(FOLDER, 'starter.js')).href;
      return code.replaceAll('import.meta.url', JSON.stringify(place));
    },
  };
}

/** Vitest calls it once for each project, one after the other, before all tests. */
export async function setup(project: TestProject): Promise<() => void> {
  if (!existsSync(FOLDER)) await buildServer(FOLDER);
  project.provide('serverFolder', FOLDER);
  return () => rmSync(FOLDER, { recursive: true, force: true });
}
