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
export type ShippedNames = {
  /** With all that they need. */
  readonly whole: ReadonlySet<string>;
  /** Without what they need: some of their files alone. */
  readonly files: ReadonlySet<string>;
};

/** What npm says of a package that it installs for development. */
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
