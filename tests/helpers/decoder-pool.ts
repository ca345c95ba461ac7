import { createDecoderPool, type DecoderPoolPorts } from '../../server/audio/decoder-pool.ts';
import { systemClock } from '../../server/core/system.ts';

/** A pool as the server has it by default, for two cores. */
export function decoderPool(ports: Partial<DecoderPoolPorts> = {}) {
  return createDecoderPool({
    clock: systemClock,
    size: 2,
    maxUploadBytes: 32 * 1024 * 1024,
    maxAudioMs: 600_000,
    ...ports,
  });
}

/** A turn of somebody's that nobody looks at. */
export const SOME_TURN = { client: 'somebody', rank: 'final' as const, charge: () => undefined };
