import { endWithParent, tellParent } from '../children/children.ts';
import { ModelUnloadable, type Recognise } from './engine-port.ts';
import type { EnginePlan, EngineReply, EngineRequest } from './engine-process.ts';
import { ModelFileError } from './load-sherpa.ts';

// The program of an engine's process: native code that fails ends this one and not the server.
endWithParent();
// Whoever reads the log may have gone.
process.stderr.on('error', () => undefined);
try {
  const recognise = await load(JSON.parse(process.argv[2] ?? '') as EnginePlan);
  process.on('message', (request: EngineRequest) => void answer(recognise, request));
  await tell({ kind: 'ready' });
} catch (error) {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  await tell({ kind: 'unloadable', reason: reasonOf(error), message });
}

async function load(plan: EnginePlan): Promise<Recognise> {
  if (plan.kind === 'moonshine') return (await import('./load-sherpa.ts')).loadMoonshine();
  if (plan.kind === 'transducer') {
    return (await import('./load-sherpa.ts')).loadTransducer(plan.source);
  }
  const [{ loadWhisper }, { loadTransformers }] = await Promise.all([
    import('./load-whisper.ts'),
    import('./load-whisper.ts'),
  ]);
  const onProgress = (percent: number) => void tell({ kind: 'progress', percent });
  return loadWhisper(plan.source, { load: loadTransformers, onProgress });
}

/** For anybody; what an error says itself may name paths. */
function reasonOf(error: unknown): string {
  if (error instanceof ModelUnloadable) return error.reason;
  return error instanceof ModelFileError ? error.message : 'the model could not be loaded';
}

async function answer(recognise: Recognise, request: EngineRequest): Promise<void> {
  const { id, utterance, language } = request;
  try {
    await tell({ kind: 'heard', id, ...(await recognise(utterance, language)) });
  } catch {
    // Its own message may quote the text it could not read, so it goes no further.
    await tell({ kind: 'failed', id });
  }
}

function tell(reply: EngineReply): Promise<void> {
  return tellParent(reply);
}
