import { closeContext, createAudioGraph } from './audio-graph.ts';
import { addWorkletModule } from './capture-assets.ts';
import type { CapturePorts } from './capture-ports.ts';
import type { GraphInContext } from './microphone-keeper.ts';

/**
 * A graph in a context of its own that runs, for a recording whose context is stuck since
 * `heardAtMs` (ms since 1970). Null if there can't be one now, which is logged; then nothing stays
 * open. Never rejects.
 */
export async function rebuildGraph(
  ports: CapturePorts,
  resamplerModule: WebAssembly.Module,
  heardAtMs: number,
): Promise<GraphInContext | null> {
  const { clock, log, workletUrl } = ports;
  let context: AudioContext | null = null;
  try {
    context = ports.createContext();
    await addWorkletModule(context, workletUrl, clock);
    const graph = createAudioGraph(context, clock, resamplerModule, heardAtMs);
    await graph.start(null);
    return { context, graph };
  } catch (error) {
    log.warn('The audio graph could not be built anew', error);
    if (context) await closeContext(context, clock);
    return null;
  }
}
