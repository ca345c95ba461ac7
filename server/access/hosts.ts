import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../core/api-error.ts';
import type { AccessOptions } from './access-options.ts';

/** Everything listens: any address of the machine may have been asked for. */
const WILDCARDS = ['0.0.0.0', '::'];

/**
 * Answers only requests for a name of this server's own. Else a page of another site could point
 * its own name at this machine (DNS rebinding) and be of "the same origin". Requests without a name
 * come from no browser. Throws `host_not_allowed` (403).
 */
export function guardHosts(
  app: FastifyInstance,
  { host, publicHosts }: Pick<AccessOptions, 'host' | 'publicHosts'>,
): void {
  const isOwn = createHostCheck(host, publicHosts);
  let isSaid = false;
  app.addHook('onRequest', async (request) => {
    const name = nameIn(request.headers.host ?? '');
    if (isOwn(name)) return;
    if (!isSaid) app.log.warn('a request by a name that is none of PUBLIC_HOSTS was refused');
    isSaid = true;
    const shown = /^[\w.:-]{1,253}$/.test(name) ? name : 'in its Host header';
    const message = `This server does not answer to the name ${shown}. If it should, its operator puts the name into PUBLIC_HOSTS.`;
    throw new ApiError(403, 'host_not_allowed', message);
  });
}

/** Whether a name, in lower case and without a port, is one of this server's. */
export function createHostCheck(
  host: string,
  publicHosts: readonly string[],
): (name: string) => boolean {
  const exact = new Set([host, ...publicHosts].map((name) => name.toLowerCase()));
  const endings = [...exact].filter((name) => name.startsWith('*.')).map((name) => name.slice(1));
  const isAny = exact.has('*');
  return (name) => {
    if (isAny || name === '' || exact.has(name) || isLoopback(name)) return true;
    // An address cannot be rebound: whoever is asked by it is the one it names.
    if (isIP(name) !== 0) return WILDCARDS.includes(host);
    return endings.some((ending) => name.endsWith(ending) && name.length > ending.length);
  };
}

function isLoopback(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return isIP(name) === 4 ? name.startsWith('127.') : name === '::1';
}

/** The name in a Host header: without port, brackets and the root's dot. */
function nameIn(header: string): string {
  const bare = /^\[([^\]]*)\](?::\d*)?$/.exec(header)?.[1] ?? header.replace(/:\d*$/, '');
  return bare.replace(/\.$/, '').toLowerCase();
}
