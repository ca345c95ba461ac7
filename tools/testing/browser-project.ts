import { mergeConfig, type UserConfig } from 'vite';
import type { TestProjectInlineConfiguration } from 'vitest/config';
import type { BrowserCommand, BrowserConfigOptions, InlineConfig } from 'vitest/node';
import { buildKernel, type KernelBuild } from '../build-kernel.ts';

/** Builds a kernel, also one that is not shipped, in Node for a test in the browser: base64. */
export const kernelFile: BrowserCommand<[KernelBuild]> = async (_context, build) =>
  Buffer.from(await buildKernel(build)).toString('base64');

/** With these a window loads the address bar's pages, a second of a core for each new profile. */
const ADDRESS_BAR = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'];

/** The features that Playwright turns off by itself: of several such lists Chromium takes the last. */
const OFF_FOR_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'DialMediaRouteProvider',
  'GlobalMediaControls',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'BlockOriginHeaderModificationOnRedirect',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'Translate',
  'AutoDeElevate',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
];

/** The arguments of Chromium in every test: root may not use its sandbox. */
export const CHROMIUM_ARGUMENTS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  `--disable-features=${[...OFF_FOR_PLAYWRIGHT, ...ADDRESS_BAR].join(',')}`,
];

/** Found only when the first test that needs them runs, they would reload the tests' page. */
const LIBRARIES = [
  '@codemirror/commands',
  '@codemirror/state',
  '@codemirror/view',
  '@editorjs/editorjs/dist/editorjs.mjs',
  '@floating-ui/react-dom',
  '@lexical/history',
  '@lexical/plain-text',
  '@lexical/rich-text',
  '@milkdown/kit/core',
  '@milkdown/kit/plugin/history',
  '@milkdown/kit/preset/commonmark',
  '@tiptap/core',
  '@tiptap/starter-kit',
  'axe-core',
  'fflate',
  'jodit',
  'lexical',
  'lucide-react',
  'prosemirror-history',
  'prosemirror-keymap',
  'prosemirror-model',
  'prosemirror-schema-basic',
  'prosemirror-state',
  'prosemirror-view',
  'quill',
  'react',
  'react/jsx-dev-runtime',
  'react-dom',
  'react-dom/client',
  'squire-rte',
  'suneditor',
  'trix',
];

/** The tests in a browser, as one of vitest's projects on the page's own configuration. */
export function browserProject(
  pages: UserConfig,
  name: string,
  browser: Pick<
    BrowserConfigOptions,
    'provider' | 'instances' | 'orchestratorScripts' | 'commands'
  >,
  test: InlineConfig,
): TestProjectInlineConfiguration {
  return mergeConfig(pages, {
    // A locator of a provider of ours shares Vitest's own.
    optimizeDeps: { include: LIBRARIES, exclude: ['@vitest/browser/locators'] },
    test: {
      name,
      include: ['tests/browser/**/*.test.{ts,tsx}'],
      // A page loads what the files import once: that was a fifth of their work.
      isolate: false,
      setupFiles: ['tests/helpers/leave-nothing.ts'],
      testTimeout: 30_000,
      // They wait for a microphone a third of the time.
      maxWorkers: 3,
      ...test,
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        ...browser,
        commands: { kernelFile, ...browser.commands },
      },
    } satisfies InlineConfig,
  });
}
