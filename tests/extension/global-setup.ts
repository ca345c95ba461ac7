import type { TestProject } from 'vitest/node';
import { buildExtension, EXTENSION_ID } from '../../tools/build-extension.ts';
import { startServer } from '../e2e/helpers/server.ts';
import { allowAllSites } from './helpers/extension-browser.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A server that lets the extension in. */
    readonly extensionServerUrl: string;
  }
}

/** Builds the extension, and starts a server for all its tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildExtension();
  allowAllSites();
  const server = await startServer(undefined, { EXTENSION_IDS: EXTENSION_ID });
  project.provide('extensionServerUrl', server.url);
  return () => server.stop();
}
