import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../drivers/processes.ts';
import { fixture } from '../helpers/running-server.ts';
import { type ServerProcess, startServerProcess } from '../helpers/server-process.ts';
import type { Attack, AttackSize } from './attack.ts';
import { type Innocent, startInnocent } from './innocent.ts';
import { type MemoryWatch, watchMemory } from './memory-watch.ts';
import { type Outside, startOutside } from './outside.ts';

/** A server under attack, with an innocent client of its own. */
export type Target = {
  readonly server: ServerProcess;
  readonly innocent: Innocent;
  readonly memory: MemoryWatch;
  /** Where figures are. */
  readonly adminUrl: string;
  /** Further headers of a client at this address; `token` chooses one of the two. */
  headers(address: string, token?: 0 | 1): Record<string, string>;
  close(): Promise<void>;
};

const TOKENS = ['token-of-the-attacker-0', 'token-of-the-attacker-1', 'token-of-the-innocent'];

/** The innocent's own address where a proxy says it. */
const INNOCENT_ADDRESS = '192.0.2.200';

/** Starts the server of that kind, and waits for nothing more; gives what is around it, too. */
export async function startTarget(
  on: Attack['on'],
  { isShort }: AttackSize,
): Promise<{ readonly target: Target; readonly outside: Outside }> {
  const outside = await startOutside();
  const adminPort = await freePort();
  const webRoot = mkdtempSync(join(tmpdir(), 'attacked-pages-'));
  writeFileSync(join(webRoot, 'index.html'), '<!doctype html><title>page</title>');
  const isPlain = on === 'plain';
  const server = await startServerProcess({
    WEB_ROOT: webRoot,
    METRICS_PORT: String(adminPort),
    // On a busy machine the requests under way may need all of this time.
    STOP_S: '120',
    // Errors are expected; fatal ones are not.
    LOG_LEVEL: 'fatal',
    // No attack ends the engine; loading another would be at the cost of the short form.
    ...(isShort ? { ENGINE_SPARE: 'false' } : {}),
    ...(isPlain ? {} : elsewhere(outside)),
  });
  const headers = (address: string, token: 0 | 1 | 2 = 0): Record<string, string> =>
    isPlain ? {} : { authorization: `Bearer ${TOKENS[token]}`, 'x-forwarded-for': address };
  const innocent = startInnocent(
    server.url,
    fixture('speech-en.webm'),
    headers(INNOCENT_ADDRESS, 2),
  );
  const memory = watchMemory(server.pid);
  const target: Target = {
    server,
    innocent,
    memory,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    headers,
    async close() {
      await innocent.stop();
      memory.stop();
      await server.stop();
      await outside.close();
      rmSync(webRoot, { recursive: true });
    },
  };
  return { target, outside };
}

/**
 * A proxy in front, tokens, a store, a speech server for Swedish, and as many places as that takes.
 */
function elsewhere({ engineUrl, storeUrl }: Outside): Record<string, string> {
  return {
    TRUST_PROXY: '1',
    API_TOKENS: TOKENS.join(','),
    REDIS_URL: storeUrl,
    CONCURRENCY: '8',
    ASR_ROUTES: 'sv=openai,en=embedded',
    OPENAI_BASE_URL: engineUrl,
    OPENAI_LANGUAGES: 'sv',
    OPENAI_TIMEOUT_S: '3',
  };
}
