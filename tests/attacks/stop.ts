import { setTimeout as sleep } from 'node:timers/promises';
import { endlessFragment } from '../helpers/hostile-mp4.ts';
import { postHead, rawConnection } from '../helpers/raw-http.ts';
import { fixture } from '../helpers/running-server.ts';
import type { Attack } from './attack.ts';
import { nameOf, post } from './post.ts';

/** Finding 10. */
export const stopUnderAttack: Attack = {
  name: 'a stop in the midst of an attack: half-sent uploads, silence, hostile files',
  on: 'plain',
  lane: 'files',
  isEnd: true,
  async run(field) {
    const { server, adminUrl } = field.target;
    const hostile = Array.from({ length: field.isShort ? 12 : 60 }, (_, from) =>
      field.post({ file: endlessFragment(9), from: from % 2 }),
    );
    const half = await rawConnection(server.url, postHead(1_000_000), field.address(2));
    half.socket.write('--boundary');
    const silent = await rawConnection(server.url, '', field.address(3));
    while (!(await isAtWork(server.url))) await sleep(20);
    process.kill(server.pid, 'SIGTERM');
    const ready = await statusUntilNot(`${adminUrl}/readyz`, 200);
    if (ready !== 503) field.fault(`/readyz said ${ready} while stopping`);
    const late = nameOf(
      await post(server.url, field.address(4), { file: fixture('speech-en.webm') }),
    );
    field.count(late);
    if (late !== '503 shutting_down') field.fault(`new work got ${late} while stopping`);
    // Each of them must hear what became of it: a client that hears nothing waits for minutes.
    await Promise.all(hostile);
    const code = await server.ended;
    field.figure('exit code', String(code));
    if (code !== 0) field.fault(`it ended with ${code}`);
    field.count(String(half.status()));
    if (half.status() !== 503) field.fault(`a half-sent upload got ${half.status()}`);
    half.socket.destroy();
    silent.socket.destroy();
  },
};

async function isAtWork(url: string): Promise<boolean> {
  const { queue } = (await (await fetch(`${url}/api/health`)).json()) as {
    queue: { running: number };
  };
  return queue.running > 1;
}

/** The first status that is another one; what it last was after a second of trying. */
async function statusUntilNot(url: string, status: number): Promise<number> {
  let last = status;
  for (let look = 0; look < 50 && last === status; look++) {
    last = (await fetch(url)).status;
    if (last === status) await sleep(20);
  }
  return last;
}
