import { BlockList, isIP, isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * The proxies whose X-Forwarded-* headers are believed: nobody's, those of the last so many hops, or those of
 * proxies in these networks (`10.0.0.0/8`, an address, or a name of `NETWORK_NAMES`).
 */
export type TrustedProxies = false | number | readonly string[];

/** Names for networks that never come from the open internet. */
const NETWORK_NAMES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

type Network = { readonly address: string; readonly prefix: number };

/** The networks `text` stands for; null when it is none. */
export function parseNetworks(text: string): readonly Network[] | null {
  const named = NETWORK_NAMES[text];
  if (named !== undefined) return named.flatMap((one) => parseNetworks(one) ?? []);
  const [address = '', prefixText, ...rest] = text.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  if (isIP(address) === 0 || rest.length > 0) return null;
  if (prefixText === undefined) return [{ address, prefix: bits }];
  const prefix = /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : Number.NaN;
  return prefix <= bits ? [{ address, prefix }] : null;
}

/**
 * Fastify's `trustProxy` for this. It is asked of each address, from the connection's own towards
 * the client's, whether to believe the next one. The header is therefore read from the right, and a
 * client's own entries are too far left to count.
 */
export function trustOf(
  proxies: TrustedProxies,
): false | ((address: string, hop: number) => boolean) {
  if (proxies === false) return false;
  if (typeof proxies === 'number') return (_address, hop) => hop < proxies;
  const networks = new BlockList();
  for (const { address, prefix } of proxies.flatMap((text) => parseNetworks(text) ?? [])) {
    networks.addSubnet(address, prefix, family(address));
  }
  return (text) => {
    const address = addressIn(text);
    return address !== null && networks.check(address, family(address));
  };
}

/**
 * Where a request comes from, as far as trusted proxies say. An entry of the header that is no
 * address ends the search: neither it nor what stands left of it is believed.
 */
export function clientAddress(request: FastifyRequest): string {
  // The connection's own address comes first, each proxy's word after it.
  const [own = '', ...told] = request.ips ?? [request.ip];
  let believed = own;
  for (const word of told) {
    const address = addressIn(word);
    if (address === null) break;
    believed = address;
  }
  return believed;
}

/** The address in a word of the header; some proxies add the port. */
function addressIn(word: string): string | null {
  if (isIP(word) !== 0) return word.replace(/^::ffff:(?=\d+\.)/i, '');
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(word)?.[1] ?? /^([\d.]+):\d+$/.exec(word)?.[1] ?? '';
  return isIP(bare) === 0 ? null : bare;
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}
