import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { run, say } from './browsers.ts';
import { buildIfNeeded } from './build-all.ts';

// npx tsx tools/test-nodes.ts [MAJOR...]: the server's unit tests, and the built server with a real
// recording, on each line of Node that is kept up. Fetches them from npm (package `node`) into
// .cache.
const VERSIONS: Readonly<Record<string, string>> = {
  20: '20.20.2',
  22: '22.23.3',
  24: '24.21.0',
};
const RECORDING = 'tests/fixtures/dictation-one.wav';
const READY_WITHIN_MS = 60_000;

const asked = process.argv.slice(2);
const unknown = asked.filter((major) => !(major in VERSIONS));
if (unknown.length > 0) throw new Error(`unknown: ${unknown}; one of ${Object.keys(VERSIONS)}`);

await buildIfNeeded();
const failed: string[] = [];
for (const [major, version] of Object.entries(VERSIONS)) {
  if (asked.length > 0 && !asked.includes(major)) continue;
  const node = fetchNode(major, version);
  say(`Node ${version}: the server's unit tests`);
  const vitest = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'unit*',
    'tests/unit/server',
  ];
  const code = await run(node, vitest, { ...process.env, CI: 'true' });
  if (code !== 0) failed.push(`${version}: unit tests`);
  say(`Node ${version}: the built server`);
  await transcribe(node).then(
    (text) => say(`it heard: ${text}`),
    (error: unknown) => {
      failed.push(`${version}: ${error}`);
      say(String(error));
    },
  );
}
say(failed.length === 0 ? 'All passed' : `Failed: ${failed.join('; ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** The path of a Node of this version. */
function fetchNode(major: string, version: string): string {
  const folder = resolve(`.cache/nodes/${major}`);
  const node = `${folder}/node_modules/node/bin/node`;
  const isThere = () => existsSync(node) && versionOf(node) === `v${version}`;
  if (!isThere()) {
    say(`fetching Node ${version}`);
    execFileSync('npm', ['i', '--no-save', '--prefix', folder, `node@${version}`], {
      stdio: 'inherit',
    });
  }
  if (!isThere()) throw new Error(`Node ${version} could not be had`);
  return node;
}

function versionOf(node: string): string {
  return execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
}

/** Starts the built server, sends a recording, and ends it; the words it heard. */
async function transcribe(node: string): Promise<string> {
  const child = spawn(node, ['dist/server/main.js'], {
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((tell) => child.once('close', tell));
  try {
    const url = await new Promise<string>((tell, fail) => {
      void ended.then(() => fail(new Error('the server ended')));
      child.stdout.setEncoding('utf8').on('data', (line: string) => {
        const found = /http:\S+/.exec(line)?.[0];
        if (found !== undefined) tell(found);
      });
    });
    await untilReady(url);
    const { node: running } = (await (await fetch(`${url}/version`)).json()) as { node: string };
    if (running !== versionOf(node)) throw new Error(`it runs on ${running}`);
    const form = new FormData();
    form.set('audioFile', new File([readFileSync(RECORDING)], 'recording.wav'));
    const answer = await fetch(`${url}/api/asr/vad`, { method: 'POST', body: form });
    const { transcription = '' } = (await answer.json()) as { transcription?: string };
    if (transcription === '') throw new Error(`no words: ${answer.status}`);
    child.kill('SIGTERM');
    const code = await ended;
    if (code !== 0) throw new Error(`it ended with ${code}`);
    return transcription;
  } finally {
    child.kill('SIGKILL');
  }
}

async function untilReady(url: string): Promise<void> {
  const startedMs = performance.now();
  while ((await fetch(`${url}/readyz`)).status !== 200) {
    if (performance.now() - startedMs > READY_WITHIN_MS) throw new Error('it does not get ready');
    await new Promise((resume) => setTimeout(resume, 100));
  }
}
