import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../server/config/config.ts';
import { VARIABLES } from '../../../server/config/variables.ts';
import { DEFAULT_LIMITS } from '../../../server/core/limits.ts';
import { LIVE_PATH, READY_PATH } from '../../../server/routes/health.ts';

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), 'utf8');
const dockerfile = read('Dockerfile');
const compose = read('compose.yaml');

/** No container engine runs here: this reads the files for what must not be wrong in them. */
test('the image runs as nobody special, says whether it is well, and gets its signals', () => {
  const lastStage = dockerfile.slice(dockerfile.lastIndexOf('FROM '));
  expect(lastStage).toMatch(/^USER node$/m);
  // Alive, not ready: an engine elsewhere that is down is no reason to restart this container.
  expect(lastStage).toMatch(/^HEALTHCHECK [\s\S]*\/livez/m);
  // A shell in between would swallow SIGTERM.
  expect(lastStage).toMatch(/^CMD \["node", "dist\/server\/main\.js"\]$/m);
  expect(lastStage).not.toMatch(/^COPY \. /m);
  expect(dockerfile).toMatch(/npm ci\b/);
  for (const [from] of dockerfile.matchAll(/^FROM .*$/gm))
    expect(from).toMatch(/node:\d+\.\d+\.\d+-\S+-slim/);
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

describe('the files in deploy', () => {
  const unit = read('deploy/diktera.service');
  const kubernetes = read('deploy/kubernetes.yaml');

  test('set only variables the server knows', () => {
    const inUnit = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, all = '']) =>
      all.split(' ').map((one) => one.split('=')[0] ?? ''),
    );
    const inPod = [...kubernetes.matchAll(/^ {12}- name: ([A-Z_]+)$/gm)].map(([, one = '']) => one);
    const noted = [...unit.matchAll(/^# {3}([A-Z_]+)=/gm)].map(([, one = '']) => one);
    expect(inPod.length).toBeGreaterThan(3);
    for (const name of [...inUnit, ...inPod, ...noted]) {
      expect([...Object.keys(VARIABLES), 'NODE_ENV']).toContain(name);
    }
  });

  test('ask the probes there are, give the stop its time, and lock the process down', () => {
    expect(kubernetes).toMatch(new RegExp(`livenessProbe:[\\s\\S]{0,60}path: ${LIVE_PATH}\\n`));
    expect(kubernetes).toMatch(new RegExp(`readinessProbe:[\\s\\S]{0,60}path: ${READY_PATH}\\n`));
    const seconds = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1]);
    expect(seconds(unit, /TimeoutStopSec=(\d+)/)).toBeGreaterThan(seconds(unit, /STOP_S=(\d+)/));
    expect(seconds(kubernetes, /terminationGracePeriodSeconds: (\d+)/)).toBeGreaterThan(
      seconds(kubernetes, /STOP_S\n +value: "(\d+)"/) + seconds(kubernetes, /"sleep", "(\d+)"/),
    );
    expect(kubernetes).toContain('containerPort: 9464');
    expect(kubernetes).toMatch(/METRICS_PORT\n +value: "9464"/);
    expect(kubernetes).toMatch(/readOnlyRootFilesystem: true[\s\S]*drop: \["ALL"\]/);
    expect(unit).toMatch(/DynamicUser=yes[\s\S]*NoNewPrivileges=yes/);
  });

  test('of a cluster name only what the server knows, and look at the probe there is', () => {
    const settings = [...read('deploy/diktera.env').matchAll(/^([^#\n]\w+)=(.*)$/gm)];
    expect(settings.length).toBeGreaterThan(8);
    for (const [, name = ''] of settings) expect(Object.keys(VARIABLES)).toContain(name);
    const env = Object.fromEntries(settings.map(([, name = '', value = '']) => [name, value]));
    expect(() => readConfig(env, 2)).not.toThrow();
    const balancer = read('deploy/haproxy.cfg');
    expect(balancer).toContain(`uri ${READY_PATH} ver`);
    // A little more than the server's own limit, so that it says so itself.
    const limitBytes = Number(/content-length\) gt (\d+)/.exec(balancer)?.[1]);
    expect(limitBytes).toBeGreaterThan(DEFAULT_LIMITS.maxUploadBytes + 16 * 1024);
    const said = [
      ...balancer.matchAll(/http-error status (\d+) .* hdr Retry-After (\d+) string '(.*)'/g),
    ];
    expect(said.map(([, status]) => status)).toEqual(['502', '503', '504']);
    for (const [, , , body = ''] of said) expect(JSON.parse(body)).toHaveProperty('error.code');
    expect(read('deploy/valkey.conf')).toMatch(/^save ""$[\s\S]*^appendonly no$/m);
  });
});

test('images are of exact versions', () => {
  const images = [...compose.matchAll(/^ *image: (\S+)$/gm)].map(([, image = '']) => image);
  expect(images.length).toBeGreaterThanOrEqual(2);
  for (const image of images)
    expect(image).toMatch(/:\d+\.\d+\.\d+(-\w+)?(@sha256:[0-9a-f]{64})?$/);
});
