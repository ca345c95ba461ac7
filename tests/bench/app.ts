import { parseArgs } from 'node:util';
import { startServer } from '../e2e/helpers/server.ts';
import { moveFarAway } from './far-away.ts';
import { measureSecondStarts } from './second-start.ts';
import { measureSentWhenClosed } from './sent-when-closed.ts';

const USAGE = `Usage: npm run bench -- app [--slowed N]... [--rtt N] [--rounds N] [--chunks N]

The page as an app: how soon it can be written in and answers a press when it is opened a second time, from its server
as it was without a service worker, and kept, with a network and without; and how fast what waits is sent with no page
open. Figures, never a pass or a failure.

  --slowed N   how many times the processor is slowed; several are measured one after the other (1 and 6)
  --rtt N      ms to the server and back (0: it is on this machine)
  --rounds N   openings each way, in turn (7); 0: none
  --chunks N   dictations that wait when the page is closed (8); 0: none
  -h, --help   this text`;

const { values } = parseArgs({
  options: {
    slowed: { type: 'string', multiple: true, default: ['1', '6'] },
    rtt: { type: 'string', default: '0' },
    rounds: { type: 'string', default: '7' },
    chunks: { type: 'string', default: '8' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
} else {
  if (Number(values.rounds) > 0) await printSecondStarts(values.slowed.map(Number));
  if (Number(values.chunks) > 0) {
    console.log('\nSent with no page open');
    console.table([await measureSentWhenClosed(Number(values.chunks))]);
  }
}

async function printSecondStarts(rates: readonly number[]): Promise<void> {
  const server = await startServer();
  const far = await moveFarAway(server.port, Number(values.rtt));
  try {
    for (const rate of rates) {
      console.log(
        `\nOpened a second time, processor slowed ${rate} x, ${values.rtt} ms away, medians in ms`,
      );
      const starts = await measureSecondStarts(far.url, Number(values.rounds), rate);
      console.table(Object.fromEntries(starts));
    }
  } finally {
    far.close();
    await server.stop();
  }
}
