import { readFileSync } from 'node:fs';
import type { BrowserCommand } from 'vitest/node';
import type { KernelWeightBits } from '../src/core/speech/kernel-format.ts';
import { buildKernel, type KernelBuild } from './build-kernel.ts';

/** Which kernel a browser test wants; v5 is the same with other weights. */
export type KernelWish = {
  readonly model: 'v6' | 'v5';
  readonly bits: KernelWeightBits;
  /** @default false */
  readonly isFused?: boolean;
};

const V5_FILE = 'node_modules/@ricky0123/vad-web/dist/silero_vad_v5.onnx';

/** Builds a kernel, also one that is not shipped, in Node for a test in the browser: base64. */
export const kernelFile: BrowserCommand<[KernelWish]> = async (_context, { model, ...how }) => {
  const build: KernelBuild = model === 'v5' ? { modelFile: readFileSync(V5_FILE), ...how } : how;
  return Buffer.from(await buildKernel(build)).toString('base64');
};
