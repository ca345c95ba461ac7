import { isIP } from 'node:net';
import type { AccessOptions } from '../access/access-options.ts';
import { LOG_CLIENTS } from '../access/client-names.ts';
import { parseNetworks, type TrustedProxies } from '../access/trusted-proxies.ts';
import type { EnvReader } from './env-reader.ts';

const MIN_TOKEN_CHARACTERS = 16;
const MAX_HOPS = 10;

/** Reads who may ask; problems go to `reader`. `host` is what the server listens on. */
export function readAccessConfig(reader: EnvReader, host: string): AccessOptions {
  return {
    apiTokens: readTokens(reader),
    allowedOrigins: readOrigins(reader),
    trustProxy: readTrustedProxies(reader),
    publicHosts: readHosts(reader),
    host,
    logClients: reader.oneOf('LOG_CLIENTS', LOG_CLIENTS, 'hash'),
  };
}

function readTokens(reader: EnvReader): readonly string[] {
  const tokens = reader.list('API_TOKENS');
  if (tokens.some((token) => token.length < MIN_TOKEN_CHARACTERS)) {
    reader.complain(`API_TOKENS must have at least ${MIN_TOKEN_CHARACTERS} characters each`);
  }
  if (tokens.some((token) => !/^[\x21-\x7e]*$/.test(token))) {
    reader.complain('API_TOKENS must be visible ASCII characters without spaces');
  }
  return tokens;
}

function readOrigins(reader: EnvReader): readonly string[] {
  const origins = reader.list('ALLOWED_ORIGINS');
  for (const origin of origins) {
    const isOne = URL.canParse(origin) && new URL(origin).origin === origin;
    // An asterisk can stand in an address, and matches nothing but itself.
    if (!isOne || origin.includes('*')) {
      reader.complain(`ALLOWED_ORIGINS must be like https://app.example.com, not '${origin}'`);
    }
  }
  return origins;
}

function readHosts(reader: EnvReader): readonly string[] {
  const hosts = reader.list('PUBLIC_HOSTS');
  for (const host of hosts) {
    if (host !== '*' && isIP(host) === 0 && !/^(\*\.)?[\w-]+(\.[\w-]+)*$/.test(host)) {
      const message = `PUBLIC_HOSTS must be names such as dikt.example.se, without http:// and port, not '${host}'`;
      reader.complain(message);
    }
  }
  return hosts.map((host) => host.toLowerCase());
}

/** `true` is one hop: the one proxy most people have. */
function readTrustedProxies(reader: EnvReader): TrustedProxies {
  const words = reader.list('TRUST_PROXY');
  const [first, ...others] = words;
  if (first === undefined) return false;
  if (others.length === 0) {
    if (first === 'false' || first === '0') return false;
    if (first === 'true') return 1;
    if (/^\d+$/.test(first) && Number(first) <= MAX_HOPS) return Number(first);
  }
  const wrong = words.find((word) => parseNetworks(word) === null);
  if (wrong === undefined) return words;
  reader.complain(
    `TRUST_PROXY must be false, a number of hops from 1 to ${MAX_HOPS}, or networks such as ` +
      `loopback,10.0.0.0/8, not '${wrong}'`,
  );
  return false;
}
