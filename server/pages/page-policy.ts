import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** What is written into a page, as opposed to what it names. */
const STYLES = /<style>([\s\S]*?)<\/style>/g;
const SCRIPTS = /<script>([\s\S]*?)<\/script>/g;

/**
 * What a page may load: only from here; no inline style or script but those that were written into
 * its file, by their hashes. WASM may be compiled, recordings played from blobs. Styles that React
 * sets go through the CSSOM, which no policy stops.
 */
function pagePolicy(html: string): string {
  return [
    "default-src 'none'",
    ["script-src 'self' 'wasm-unsafe-eval'", ...hashesOf(html, SCRIPTS)].join(' '),
    "worker-src 'self'",
    "connect-src 'self'",
    ["style-src 'self'", ...hashesOf(html, STYLES)].join(' '),
    "img-src 'self' data:",
    "font-src 'self'",
    "media-src 'self' blob:",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}

/**
 * The policy of the page in a file, as it is now: one that is replaced while we run has other
 * hashes. Never throws: of a page that cannot be read nothing inline is let through.
 */
export function pagePolicyOf(path: string): string {
  try {
    return pagePolicy(readFileSync(path, 'utf8'));
  } catch {
    return pagePolicy('');
  }
}

/** How a policy names an inline style or script: by all between its tags. */
export function policyHash(inline: string): string {
  return `'sha256-${createHash('sha256').update(inline).digest('base64')}'`;
}

function hashesOf(html: string, inline: RegExp): readonly string[] {
  return [...html.matchAll(inline)].map(([, content = '']) => policyHash(content));
}
