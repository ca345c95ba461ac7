import { commands } from 'vitest/browser';
import type { KernelBuild } from '../../tools/build-kernel.ts';

declare module 'vitest/browser' {
  interface BrowserCommands {
    /** tools/testing/browser-project.ts */
    kernelFile(wish: KernelBuild): Promise<string>;
  }
}

/** A kernel's file, built for this test. */
export async function fetchKernel(wish: KernelBuild): Promise<ArrayBuffer> {
  const base64 = await commands.kernelFile(wish);
  const response = await fetch(`data:application/wasm;base64,${base64}`);
  return response.arrayBuffer();
}
