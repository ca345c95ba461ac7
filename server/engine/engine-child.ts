import { endWithParent, tellParent } from '../children/child-life.ts';
import type { EngineReply, EngineRequest } from './engine-protocol.ts';
import { loadMoonshine } from './load-moonshine.ts';
import { ModelFileError } from './package-files.ts';
import type { Recogniser } from './recognise-in-pieces.ts';

// The program of the engine's process: native code that fails ends this one and not the server.
endWithParent();
try {
  const recognise = await loadMoonshine();
  process.on('message', (request: EngineRequest) => void answer(recognise, request));
  await tell({ kind: 'ready' });
} catch (error) {
  const reason = error instanceof ModelFileError ? error.message : 'the model could not be loaded';
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  await tell({ kind: 'unloadable', reason, message });
}

async function answer(recognise: Recogniser, { id, utterance }: EngineRequest): Promise<void> {
  try {
    await tell({ kind: 'heard', id, text: await recognise(utterance) });
  } catch {
    // Its own message may quote the text it could not read, so it goes no further.
    await tell({ kind: 'failed', id });
  }
}

function tell(reply: EngineReply): Promise<void> {
  return tellParent(reply);
}
