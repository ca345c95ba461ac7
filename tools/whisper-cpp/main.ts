import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { localCommand, run, say } from '../browsers.ts';
import { writeTestModel } from './test-model.ts';

/** Where whisper.cpp's sources come from: an npm package that brings them whole (both MIT). */
const PACKAGE = {
  name: 'nodejs-whisper',
  version: '0.3.1',
  sha512:
    'ceoilUVraRuR5FnNyXpGQT2auAR48Oc3AQBEmkXnVpSn9iN6yVRzQBFCqVTGWbk6Wdi95NhvwXNzFvuR7erLWw==',
} as const;

/** Everything of it; a new version gets a new folder. */
const WHISPER_CPP_FOLDER = `.cache/whisper-cpp/${PACKAGE.name}-${PACKAGE.version}`;
const ARCHIVE = `${WHISPER_CPP_FOLDER}/${PACKAGE.name}-${PACKAGE.version}.tgz`;
const SOURCES = `${WHISPER_CPP_FOLDER}/package/cpp/whisper.cpp`;
const BUILD = `${WHISPER_CPP_FOLDER}/build`;
const SERVER = `${BUILD}/bin/whisper-server`;

/** Fetches, checks and compiles whisper.cpp's server (some minutes, once); gives its path. */
async function buildWhisperServer(): Promise<string> {
  if (existsSync(SERVER)) return SERVER;
  mkdirSync(WHISPER_CPP_FOLDER, { recursive: true });
  say(`Fetching ${PACKAGE.name}@${PACKAGE.version}`);
  await must('npm', [
    'pack',
    `${PACKAGE.name}@${PACKAGE.version}`,
    ...['--pack-destination', WHISPER_CPP_FOLDER, '--silent'],
  ]);
  const found = createHash('sha512').update(readFileSync(ARCHIVE)).digest('base64');
  if (found !== PACKAGE.sha512) throw new Error(`${ARCHIVE} is not what it was: ${found}`);
  await must('tar', ['-xzf', ARCHIVE, '-C', WHISPER_CPP_FOLDER]);

  say('Compiling whisper.cpp (needs cmake and g++; on Debian: apt-get install cmake g++)');
  const options = ['-DCMAKE_BUILD_TYPE=Release', '-DBUILD_SHARED_LIBS=OFF'];
  await must('cmake', ['-S', SOURCES, '-B', BUILD, '-DWHISPER_BUILD_TESTS=OFF', ...options]);
  await must('cmake', ['--build', BUILD, '--target', 'whisper-server', '-j', '2']);
  return SERVER;
}

async function must(command: string, args: readonly string[]): Promise<void> {
  const code = await run(command, args).catch((cause: unknown) => {
    throw new Error(`${command} cannot be run; is it installed?`, { cause });
  });
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
}

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
