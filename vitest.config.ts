import { playwright } from '@vitest/browser-playwright';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import type { InlineConfig } from 'vitest/node';
import {
  FIREFOX_COMMANDS,
  FIREFOX_PREFERENCES,
  firefox,
  UNSCALED,
} from './tests/drivers/firefox.ts';
import { WEBKIT_COMMANDS, webKitGtk } from './tests/drivers/webkit.ts';
import { browserProject, CHROMIUM_ARGUMENTS } from './tools/testing/browser-project.ts';
import { builtServer } from './tools/testing/built-server.ts';
import { CACHE_VARIABLE } from './tools/testing/run-stages.ts';
import { TriesReporter } from './tools/testing/tries-reporter.ts';
import viteConfig from './vite.config.ts';

/** The fakes answer for microphone and permission. */
const CHROMIUM_ARGS = [
  ...CHROMIUM_ARGUMENTS,
  // Letters are drawn alike on every machine, for the pictures of the components.
  '--font-render-hinting=none',
  '--disable-lcd-text',
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--autoplay-policy=no-user-gesture-required',
];

const executablePath = process.env.DIKTERA_BROWSER;
const firefoxPath = process.env.DIKTERA_FIREFOX;

/** These would tell nothing more in another engine. */
const IN_CHROMIUM_ALONE = [
  // The pictures are Chromium's.
  'tests/browser/ui-look.test.tsx',
];

/**
 * A real microphone clock and a real recogniser on a shared machine: CI gives a second try, and the
 * report says where one was needed. At a desk there is none, so that a flaky test is seen and
 * mended.
 */
const retry = process.env.CI ? 1 : 0;

/** The package in every bundler takes minutes: `npm run test:package`. */
const PACKAGE_TESTS =
  process.env.PACKAGE_TESTS === 'all'
    ? ['tests/package/**/*.test.ts']
    : ['tests/package/{plain-page,vite,contents,styles}.test.ts'];

/** States of real browsers, processes and disks: on a busy machine a second is not long. */
const PATIENT = { poll: { timeout: 10_000 } };

const UNIT_TESTS = 'tests/unit/**/*.test.ts';

/** These measure or change what a process has only once, so that each has a process of its own. */
const UNIT_ALONE = [
  // Processor time and memory.
  'tests/unit/server/{hostile-engines,personal-data}.test.ts',
  // Fake timers.
  'tests/unit/{http-client,server/graceful-stop}.test.ts',
  // Environment, warnings, uncaught errors.
  'tests/unit/server/{decoder-pool,upload-admission}.test.ts',
  // The globals of a browser.
  'tests/unit/{simulator,extension-port}.test.ts',
  // Engines of native code.
  'tests/unit/server/{main,moonshine-engine,transcription}.test.ts',
  'tests/unit/server/models/*.test.ts',
];

function unitProject(name: string, files: InlineConfig): TestProjectInlineConfiguration {
  return {
    plugins: [builtServer()],
    test: {
      name,
      ...files,
      globalSetup: 'tools/testing/built-server.ts',
      environment: 'node',
      maxWorkers: '100%',
      testTimeout: 20_000,
      expect: PATIENT,
    },
  };
}

/**
 * A WebKitGTK of their own: onnxruntime reserves 4 GB of addresses each time, which it gives back
 * with the page only, and not without end. After some hundred workers of other files a run now and
 * then had a database on which nothing ran any more, and a page that comes back needs one that works.
 */
const IN_FRESH_WEBKIT = [
  'tests/browser/{kernel-accuracy,load-engine,ort-engine,page-comes-back}.test.ts',
];

function webKitProject(name: string, files: InlineConfig): TestProjectInlineConfiguration {
  return browserProject(
    viteConfig,
    name,
    { provider: webKitGtk(), instances: [{ browser: 'webkit' }], commands: WEBKIT_COMMANDS },
    {
      expect: PATIENT,
      retry,
      globalSetup: 'tests/drivers/sound-server.ts',
      // Each has a screen of its own, where nothing takes its focus.
      maxWorkers: 2,
      ...files,
    },
  );
}

const cacheDir = process.env[CACHE_VARIABLE];

export default defineConfig({
  ...(cacheDir ? { cacheDir } : {}),
  test: {
    reporters: ['default', new TriesReporter()],
    projects: [
      unitProject('unit', {
        include: [UNIT_TESTS],
        exclude: UNIT_ALONE,
        // A process loads what the files import once: that was a third of their work.
        isolate: false,
      }),
      unitProject('unit-alone', { include: UNIT_ALONE }),
      browserProject(
        viteConfig,
        'browser',
        {
          provider: playwright({
            launchOptions: { args: CHROMIUM_ARGS, ...(executablePath ? { executablePath } : {}) },
          }),
          instances: [{ browser: 'chromium' }],
        },
        { expect: PATIENT, retry },
      ),
      browserProject(
        viteConfig,
        'firefox',
        {
          provider: firefox({
            firefoxUserPrefs: FIREFOX_PREFERENCES,
            ...(firefoxPath ? { executablePath: firefoxPath } : {}),
          }),
          orchestratorScripts: [UNSCALED],
          instances: [{ browser: 'firefox' }],
          commands: FIREFOX_COMMANDS,
        },
        {
          expect: PATIENT,
          retry,
          globalSetup: 'tests/drivers/sound-server.ts',
          // A window at a time has the focus, and only there an element takes what is typed.
          maxWorkers: 1,
          exclude: IN_CHROMIUM_ALONE,
        },
      ),
      webKitProject('webkit', { exclude: [...IN_CHROMIUM_ALONE, ...IN_FRESH_WEBKIT] }),
      webKitProject('webkit-fresh', { include: IN_FRESH_WEBKIT }),
      {
        // By itself: it takes all of the machine, and what an innocent client gets is part of it.
        test: { name: 'attacks', include: ['tests/attacks/**/*.test.ts'], environment: 'node' },
      },
      {
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          globalSetup: 'tests/e2e/helpers/shared-server.ts',
          environment: 'node',
          expect: PATIENT,
          testTimeout: 120_000,
          retry,
          hookTimeout: 120_000,
          // They wait for a voice most of the time.
          maxWorkers: 3,
        },
      },
      {
        test: {
          name: 'extension',
          include: ['tests/extension/**/*.test.ts'],
          globalSetup: 'tests/extension/global-setup.ts',
          environment: 'node',
          expect: PATIENT,
          testTimeout: 120_000,
          retry,
          hookTimeout: 120_000,
          // They wait for a voice most of the time.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'package',
          include: PACKAGE_TESTS,
          globalSetup: 'tests/package/helpers/pack-library.ts',
          environment: 'node',
          expect: PATIENT,
          testTimeout: 240_000,
          retry,
          hookTimeout: 240_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'faults',
          include: ['tests/faults/**/*.test.ts'],
          globalSetup: 'tests/faults/helpers/build-page.ts',
          environment: 'node',
          expect: PATIENT,
          testTimeout: 120_000,
          retry,
          hookTimeout: 120_000,
          // They wait for deadlines most of the time.
          maxWorkers: 4,
        },
      },
    ],
  },
});
