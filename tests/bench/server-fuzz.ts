import { decoderPool } from '../helpers/decoder-pool.ts';
import { startServer } from '../helpers/running-server.ts';
import { FORGETFUL_ENGINE, fuzzServer } from './server-fuzz-run.ts';

// npm run fuzz:server [-- count [seed]]: damaged uploads through the real parser and the real decoding
// processes. Ends by itself; exit code 1 when one of them was answered as it must not be.
const count = Number(process.argv[2] ?? 10_000);
const seed = Number(process.argv[3] ?? 1);

const megabytes = () => Math.round(process.memoryUsage().rss / 1e6);
const decoder = decoderPool();
const server = await startServer({
  engine: FORGETFUL_ENGINE,
  decoder,
  limits: { concurrency: 2, maxAudioMs: 60_000 },
});
const startedMs = performance.now();
const report = await fuzzServer(server, count, seed, (done) =>
  console.log(`${done} of ${count}, resident ${megabytes()} MB`),
);
await server.close();
const seconds = (performance.now() - startedMs) / 1000;
console.log(
  `${report.uploads} uploads (seed ${seed}) in ${seconds.toFixed(0)} s: ` +
    `${JSON.stringify(report.statuses)}, slowest ${Math.round(report.slowestMs)} ms, ` +
    `${report.faults.length} faults`,
);
for (const fault of report.faults.slice(0, 20)) console.error(fault);
process.exitCode = report.faults.length > 0 ? 1 : 0;
