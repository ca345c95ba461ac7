import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright';
import { expect } from 'vitest';
import { serveSite, type Violation } from './static-site.ts';

/** Directives of a Content-Security-Policy, with their values. */
export type Policy = ReadonlyMap<string, string>;

/** The host that docs/embedding.md names as another than the page's. */
const OTHER_HOST = 'https://dikt.example.se';

const ROW = /^\| `([a-z]+-src)` \| `([^`]+)` \| `([^`]+)` \|/gm;

/** The policy in docs/embedding.md, with all files on the page's host, or on `otherHost`. */
export async function documentedPolicy(otherHost: string | null = null): Promise<Policy> {
  const guide = await readFile('docs/embedding.md', 'utf8');
  const rows = [...guide.matchAll(ROW)].map(([, directive = '', here = '', there = '']) => {
    const value = otherHost === null ? here : there.replaceAll(OTHER_HOST, otherHost);
    return [directive, value] as const;
  });
  expect(rows.map(([directive]) => directive)).toContain('script-src');
  return new Map(rows);
}

/** A site whose pages may do what the policy allows, and nothing else. */
export type GuardedSite = {
  readonly url: string;
  /** Violations so far. */
  readonly violations: readonly Violation[];
};

/** Serves files as `serveSite` does, under a policy. */
export async function serveGuarded(
  folder: string,
  apiUrl: string | null,
  policy: Policy,
): Promise<GuardedSite> {
  const violations: Violation[] = [];
  const directives = [...policy].map(([directive, value]) => `${directive} ${value}`);
  const url = await serveSite(folder, apiUrl, {
    // The examples' own icon.
    header: ["default-src 'none'", 'img-src data:', ...directives].join('; '),
    onViolation: (violation) => violations.push(violation),
  });
  return { url, violations };
}

/** Holds that nothing was broken, by breaking something: what came before has been told by then. */
export async function expectNoViolation(page: Page, { violations }: GuardedSite): Promise<void> {
  await page.evaluate(() => fetch('https://elsewhere.example/').catch(() => {}));
  const last = { directive: 'connect-src', blocked: 'https://elsewhere.example/' };
  await expect.poll(() => violations.at(-1)).toEqual(last);
  expect(violations).toEqual([last]);
}
