import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../../server/config.ts';

test('without any variable: this machine only, port 5180, a slot for each core', () => {
  expect(readConfig({}, 4)).toEqual({
    port: 5_180,
    host: '127.0.0.1',
    webRoot: 'dist/web',
    logLevel: 'info',
    concurrency: 4,
  });
});

test('every variable counts; an empty one is none', () => {
  const env = {
    PORT: '0',
    HOST: '::1',
    WEB_ROOT: '/srv/web',
    LOG_LEVEL: 'debug',
    CONCURRENCY: ' 2 ',
  };
  expect(readConfig(env, 8)).toEqual({
    port: 0,
    host: '::1',
    webRoot: '/srv/web',
    logLevel: 'debug',
    concurrency: 2,
  });
  expect(readConfig({ PORT: '', HOST: ' ' }, 1)).toEqual(readConfig({}, 1));
});

test('names everything that is wrong at once', () => {
  const env = { PORT: '80a', HOST: 'http://x', LOG_LEVEL: 'loud', CONCURRENCY: '0' };
  expect(() => readConfig(env, 1)).toThrow(ConfigError);
  expect(() => readConfig(env, 1)).toThrow(
    /PORT must.*0 to 65535.*'80a'[\s\S]*HOST must[\s\S]*LOG_LEVEL must[\s\S]*CONCURRENCY must.*'0'/,
  );
});

test.each(['-1', '65536', '1e3', '0x50', '5180.5', 'NaN'])('PORT=%s is refused', (port) => {
  expect(() => readConfig({ PORT: port }, 1)).toThrow(ConfigError);
});
