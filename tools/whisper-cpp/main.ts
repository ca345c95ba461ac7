import { localCommand, run } from '../run.ts';
import { buildWhisperServer, WHISPER_CPP_FOLDER } from './build-server.ts';
import { writeTestModel } from './test-model.ts';

// npx tsx tools/whisper-cpp/main.ts: the tests that `npm test` runs against a stub, against whisper.cpp
// itself.
const program = await buildWhisperServer();
const model = `${WHISPER_CPP_FOLDER}/test-model.bin`;
writeTestModel(model);
process.exitCode = await run(
  localCommand('vitest'),
  ['run', '--project', 'unit*', 'tests/unit/server/whisper-cpp.test.ts'],
  { ...process.env, WHISPER_SERVER: program, WHISPER_MODEL: model },
);
