import { mergeConfig, type UserConfig } from 'vite';
import type { TestProjectInlineConfiguration } from 'vitest/config';
import type { BrowserConfigOptions, InlineConfig } from 'vitest/node';
import { kernelFile } from '../kernel-command.ts';

/** Found only when the first test that needs them runs, they would reload the tests' page. */
const LIBRARIES = [
  '@codemirror/commands',
  '@codemirror/state',
  '@codemirror/view',
  '@floating-ui/react',
  '@lexical/history',
  '@lexical/plain-text',
  '@tiptap/core',
  '@tiptap/starter-kit',
  'axe-core',
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
