import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

const GROUPS_OF_A_NETWORK = 4;

/** Whom a request counts for: its address; of IPv6 the /64, which one household has to itself. */
export function clientKey(request: Pick<FastifyRequest, 'ip'>): string {
  return keyOfAddress(request.ip);
}

function keyOfAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  // The parser of URLs shortens the same address always in the same way.
  const [head = '', tail] = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname
    .slice(1, -1)
    .split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const left = tail === undefined ? 0 : 8 - front.length - back.length;
  const groups = [...front, ...new Array<string>(left).fill('0'), ...back];
  return `${groups.slice(0, GROUPS_OF_A_NETWORK).join(':')}::/64`;
}
