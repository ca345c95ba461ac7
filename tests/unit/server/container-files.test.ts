import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { VARIABLES } from '../../../server/config/variables.ts';

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), 'utf8');
const dockerfile = read('Dockerfile');
const compose = read('compose.yaml');

/** No container engine runs here: this reads the files for what must not be wrong in them. */
test('the image runs as nobody special, says whether it is well, and gets its signals', () => {
  const lastStage = dockerfile.slice(dockerfile.lastIndexOf('FROM '));
  expect(lastStage).toMatch(/^USER node$/m);
  expect(lastStage).toMatch(/^HEALTHCHECK [\s\S]*\/api\/health/m);
  // A shell in between would swallow SIGTERM.
  expect(lastStage).toMatch(/^CMD \["node", "dist\/server\/main\.js"\]$/m);
  expect(lastStage).not.toMatch(/^COPY \. /m);
  expect(dockerfile).toMatch(/npm ci\b/);
  for (const [from] of dockerfile.matchAll(/^FROM .*$/gm)) expect(from).toMatch(/node:20-\S+-slim/);
});

test('every instruction is one of those a Dockerfile has, and each array is JSON', () => {
  const joined = dockerfile.replaceAll(/\\\n\s*/g, ' ');
  const lines = joined.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const known =
    /^(FROM|WORKDIR|COPY|RUN|ENV|USER|EXPOSE|HEALTHCHECK|STOPSIGNAL|CMD|ARG|LABEL|ENTRYPOINT) \S/;
  for (const line of lines) expect(line).toMatch(known);
  for (const [, array = ''] of joined.matchAll(/CMD (\[.*\])$/gm)) {
    expect(() => JSON.parse(array)).not.toThrow();
  }
});

test('the health check is a program that node can read', () => {
  const script = /CMD \["node", "-e", (".*")\]/.exec(dockerfile)?.[1] ?? '';
  expect(() => new Function(JSON.parse(script) as string)).not.toThrow();
});

test('what the build reads is sent to it', () => {
  const ignored = read('.dockerignore').split('\n');
  for (const name of ['package-lock.json', '.npmrc', 'server', 'src', 'tools', 'workers']) {
    expect(ignored).toContain(`!${name}`);
  }
  expect(ignored).toContain('*');
});

test('compose sets only variables the server knows, hands no secret out, and is locked down', () => {
  const [, diktera = ''] = /^ {2}diktera:\n([\s\S]*?)\n\n/m.exec(compose) ?? [];
  const names = [...diktera.matchAll(/^ {6}([A-Z_]+): "/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) expect(Object.keys(VARIABLES)).toContain(name);
  expect(diktera).toMatch(/OPENAI_API_KEY: "\$\{OPENAI_API_KEY:-\}"/);
  expect(diktera).toContain('127.0.0.1:5180:5180');
  expect(diktera).toMatch(/read_only: true[\s\S]*cap_drop:\n {6}- ALL[\s\S]*no-new-privileges/);
  expect(compose).toMatch(/image: valkey\/[\s\S]*user: valkey[\s\S]*cap_drop:/);
  expect(compose).not.toMatch(/\t/);
  expect(compose).not.toMatch(/^ *version:/m);
  const indents = [...compose.matchAll(/^( +)\S/gm)].map(([, spaces = '']) => spaces.length % 2);
  expect(new Set(indents)).toEqual(new Set([0]));
});
