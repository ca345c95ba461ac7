import { expect, test } from 'vitest';
import { importedPackages, modelPackages } from '../../tools/library/package-parts.ts';
import { type Sbom, shippedComponents } from '../../tools/packages.ts';

const DEVELOPMENT = { name: 'cdx:npm:package:development', value: 'true' };

/** npm's list of packages and the packages that each needs; `app` is the project itself. */
function sbomOf(needs: Readonly<Record<string, readonly string[]>>): Sbom {
  const refs = Object.keys(needs);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    metadata: { component: { 'bom-ref': 'app@1.0.0' } },
    components: refs
      .filter((ref) => ref !== 'app@1.0.0')
      .map((ref) => ({
        'bom-ref': ref,
        name: ref.replace(/@[^@]*$/, ''),
        properties: [DEVELOPMENT],
      })),
    dependencies: refs.map((ref) => ({ ref, dependsOn: needs[ref] ?? [] })),
  };
}

const ALL = sbomOf({
  'app@1.0.0': ['server@1.0.0', '@x/field@2.0.0', 'weights@1.0.0', 'builder@1.0.0'],
  'server@1.0.0': ['decoder@1.0.0'],
  'decoder@1.0.0': [],
  '@x/field@2.0.0': ['@x/core@2.0.0'],
  '@x/core@2.0.0': ['@x/field@2.0.0'],
  'weights@1.0.0': ['engine@1.0.0'],
  'engine@1.0.0': [],
  'builder@1.0.0': ['@x/core@1.0.0'],
  '@x/core@1.0.0': [],
});

test('what is shipped comes with what it needs, in the version it needs; weights come alone', () => {
  const whole = new Set(['server', '@x/field']);
  const { components, dependencies } = shippedComponents(ALL, {
    whole,
    files: new Set(['weights']),
  });
  const kept = [
    'server@1.0.0',
    'decoder@1.0.0',
    '@x/field@2.0.0',
    '@x/core@2.0.0',
    'weights@1.0.0',
  ];
  expect(components.map((each) => each['bom-ref'])).toEqual(kept);
  expect(components.flatMap(({ properties = [] }) => properties)).toEqual([]);
  expect(dependencies.map(({ ref }) => ref)).toEqual(['app@1.0.0', ...kept]);
  expect(dependencies.flatMap(({ dependsOn }) => dependsOn)).toEqual([
    ...['server@1.0.0', '@x/field@2.0.0', 'weights@1.0.0'],
    ...['decoder@1.0.0', '@x/core@2.0.0', '@x/field@2.0.0'],
  ]);
});

test('the packages of the pages are found by their imports', () => {
  const names = importedPackages();
  const some = ['react', 'react-dom', 'comlink', 'mediabunny', '@floating-ui/react-dom', 'uplot'];
  expect([...names]).toEqual(expect.arrayContaining(some));
  expect([...names]).not.toContain('vitest');
  expect(modelPackages()).toContain('@ricky0123/vad-web');
});
