import { spawnSync } from 'node:child_process';

/** What the registry knows of the packages that are installed. */
export type Audit =
  | { readonly kind: 'clean' }
  | { readonly kind: 'vulnerable'; readonly packages: readonly string[] }
  /** Nobody has looked: many registries beside npm's own cannot. */
  | { readonly kind: 'unanswered'; readonly why: string };

/** Asks the registry for known holes of severity `high` and above. */
export function audit(): Audit {
  const { stdout } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8' });
  return readAudit(stdout ?? '');
}

type Answer = {
  readonly message?: string;
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string }>>;
};

/** Reads what `npm audit --json` has written. */
export function readAudit(text: string): Audit {
  const { message = 'npm audit gave no answer', vulnerabilities } = parsed(text);
  if (!vulnerabilities) return { kind: 'unanswered', why: message };
  const packages = Object.entries(vulnerabilities)
    .filter(([, { severity }]) => severity === 'high' || severity === 'critical')
    .map(([name, { severity }]) => `${name} (${severity})`);
  return packages.length === 0 ? { kind: 'clean' } : { kind: 'vulnerable', packages };
}

function parsed(text: string): Answer {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return {};
  }
}
