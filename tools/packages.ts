import { spawnSync } from 'node:child_process';

/** The registry's advisories on the packages that are installed. */
type Audit =
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

/** A list of components as `npm sbom` writes it, as far as it is looked at here. */
export type Sbom = {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: { readonly 'bom-ref': string } };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
};

type Component = {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly properties?: readonly { readonly name: string }[];
  readonly licenses?: readonly unknown[];
};

/** Which of the packages that the project itself asks for are shipped. */
type ShippedNames = {
  /** With all that they need. */
  readonly whole: ReadonlySet<string>;
  /** Without what they need: some of their files alone. */
  readonly files: ReadonlySet<string>;
};

/** The property by which npm marks a package for development. */
const DEVELOPMENT = 'cdx:npm:package:development';

/**
 * The components that are shipped, out of all. npm's own choice (`--omit=dev`) cannot be had: to it
 * all is for development that is built in, and what the server needs too.
 */
export function shippedComponents<All extends Sbom>(all: All, shipped: ShippedNames): All {
  const needs = new Map(all.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const root = all.metadata.component['bom-ref'];
  const own = needs.get(root) ?? [];
  const kept = new Set(own.filter((ref) => shipped.whole.has(nameIn(ref))));
  // A set goes on to what is added meanwhile.
  for (const ref of kept) for (const needed of needs.get(ref) ?? []) kept.add(needed);
  for (const ref of own) if (shipped.files.has(nameIn(ref))) kept.add(ref);
  const isKept = (ref: string) => kept.has(ref);
  return {
    ...all,
    components: all.components.filter((each) => isKept(each['bom-ref'])).map(asShipped),
    dependencies: all.dependencies
      .filter(({ ref }) => ref === root || isKept(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept) })),
  };
}

function nameIn(ref: string): string {
  return ref.slice(0, ref.indexOf('@', 1));
}

function asShipped(component: Component): Component {
  const properties = component.properties?.filter(({ name }) => name !== DEVELOPMENT);
  return { ...component, ...(properties && { properties }) };
}
