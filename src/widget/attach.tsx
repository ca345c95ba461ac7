import { createRoot } from 'react-dom/client';
import type { Dictation, StartResult } from '../core/contracts/dictation.ts';
import { DikteraError } from '../core/errors.ts';
import { isTextControl } from '../field/dom.ts';
import type { EditableField } from '../field/editable-field.ts';
import { attachNewlineRule, attachPlainTextPaste } from '../field/field-rules.ts';
import { shareField } from '../field/shared-field.ts';
import { AttachedField, createToolsHost, type ToolsPlace } from './AttachedField.tsx';
import { Boundary } from './Boundary.tsx';
import type { DictationChoices, FieldCommands, InterfaceLanguage } from './options.ts';
import type { OwnStrings } from './own-strings.ts';
import { InterfaceLanguageProvider, StringsProvider } from './strings.tsx';

/** The options of one attached element; see `AttachOptions`. */
export type AttachChoices = DictationChoices & {
  readonly toolbar?: boolean;
  readonly plainText?: boolean;
  readonly interfaceLanguage?: InterfaceLanguage;
  readonly strings?: OwnStrings;
};

/**
 * The dictation of an attachment, and its given options; `ToolsPlace` has the place of its tools.
 */
export type AttachWays<Options> = ToolsPlace & {
  dictationOf(options: Options): Dictation;
  /** The options that are some. */
  known(options: Options): Options;
};

/** An attached element: a function that detaches it, with its commands. */
export type Attached<Options extends AttachChoices> = ReturnType<typeof attach<Options>>;

const attachments = new WeakMap<HTMLElement, () => void>();

/**
 * Attaches an element, or an editor by its adapter, to the dictation that its options name; throws
 * `bad-option` for what cannot be dictated into. Attached once more, an element has the new options.
 */
export function attach<Options extends AttachChoices>(
  target: HTMLElement | EditableField | null | undefined,
  options: Options,
  ways: AttachWays<Options>,
) {
  if (typeof target !== 'object' || target === null)
    throw new DikteraError('bad-option', `An element is wanted, not ${JSON.stringify(target)}`);
  const isAdapter = 'caretRect' in target;
  const element = isAdapter ? target.element : target;
  if (element.ownerDocument !== document) {
    throw new DikteraError('bad-option', 'The element is in another document: call this there');
  }
  attachments.get(element)?.();
  // An adapter is its maker's to dispose of.
  const { field, leave } = isAdapter ? { field: target, leave: () => {} } : shareField(element);
  const host = createToolsHost(element, ways);
  const root = createRoot(host.inside);
  let isAttached = true;
  let given = {} as Options;
  let rules: readonly (() => void)[] = [];

  let onReady: (commands: FieldCommands) => void = () => {};
  const ready = new Promise<FieldCommands>((resolve) => {
    onReady = resolve;
  });
  const setOptions = (changes: Options): void => {
    if (!isAttached) return;
    given = { ...given, ...ways.known(changes) };
    for (const end of rules) end();
    rules = isAdapter ? [] : pasteRules(element, given.plainText);
    root.render(
      <InterfaceLanguageProvider language={given.interfaceLanguage}>
        <StringsProvider strings={given.strings}>
          <Boundary>
            <AttachedField
              dictation={ways.dictationOf(given)}
              field={field}
              host={host}
              choices={{ ...given, spacing: given.spacing ?? 'smart' }}
              hasToolbar={given.toolbar ?? true}
              onReady={onReady}
            />
          </Boundary>
        </StringsProvider>
      </InterfaceLanguageProvider>,
    );
  };
  setOptions(options);

  const stop = async (): Promise<void> => (await ready).stop();
  const detach = (): void => {
    if (!isAttached) return;
    isAttached = false;
    if (attachments.get(element) === attachment) attachments.delete(element);
    for (const end of rules) end();
    void stop().finally(leave);
    // Not while React may be drawing: this may be called from an effect.
    void ready.then(() => {
      root.unmount();
      host.element.remove();
    });
  };
  const attachment = Object.assign(detach, {
    async start(): Promise<StartResult> {
      if (isAttached) host.place();
      const commands = isAttached && (await ready);
      return commands && isAttached ? commands.start() : { ok: false, reason: 'disposed' };
    },
    stop,
    cancel: () => void ready.then((commands) => commands.cancel()),
    setOptions,
  });
  attachments.set(element, attachment);
  return attachment;
}

function pasteRules(element: HTMLElement, plainText: boolean | undefined): (() => void)[] {
  const isControl = isTextControl(element);
  const rules = (plainText ?? isControl) ? [attachNewlineRule(element)] : [];
  // A control takes nothing but plain text by itself, and the page may handle what is pasted.
  if (plainText && !isControl) rules.push(attachPlainTextPaste(element));
  return rules;
}
