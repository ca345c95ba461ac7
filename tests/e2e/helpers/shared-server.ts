import type { TestProject } from 'vitest/node';
import { startServer } from './server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A server with its usual settings, which no test stops. */
    readonly serverUrl: string;
  }
}

/**
 * Starts one server for all tests that need no other: its models take some seconds of a core to
 * load. Vitest calls it once, before all end-to-end tests.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer();
  project.provide('serverUrl', server.url);
  return () => server.stop();
}
