import { FetchProblem } from './fetch-problem.ts';
import type { Environment } from './read-environment.ts';

/**
 * The proxy for an address by the usual variables; null for none. Throws for one that is not asked
 * over plain HTTP: whoever set it does not want the network to be used without.
 */
export function proxyFor(address: URL, env: Environment): URL | null {
  const read = (name: string) => env[name] || env[name.toUpperCase()] || '';
  if (isExempt(address, read('no_proxy'))) return null;
  const given =
    read(address.protocol === 'https:' ? 'https_proxy' : 'http_proxy') || read('all_proxy');
  if (given === '') return null;
  const text = given.includes('://') ? given : `http://${given}`;
  const proxy = URL.canParse(text) ? new URL(text) : null;
  if (proxy?.protocol === 'http:') return proxy;
  const scheme = proxy?.protocol.replace(':', '') ?? '';
  const what = scheme === '' ? 'is no address' : `begins with ${scheme}://, which is not supported`;
  const message = `the proxy in the environment ${what}: give one that begins with http://`;
  throw new FetchProblem('wrong-source', 'bad-proxy', message);
}

/** `no_proxy`: names with all that ends with them, `*` for everything, a port where it counts. */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', onlyPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      if (onlyPort !== undefined && onlyPort !== ownPort) return false;
      const bare = name.replace(/^\*?\./, '');
      return hostname === bare || hostname.endsWith(`.${bare}`);
    });
}

/** The head that says who asks a proxy; empty where its address names nobody. */
export function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
