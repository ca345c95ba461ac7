import { Check, Clipboard, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { Dictation } from '../core/contracts/dictation.ts';
import { DICTATION_FIELD_OPTIONS } from '../core/options/dictation-options.ts';
import { dictationsOf, type ListedDictation } from '../core/session/dictations.ts';
import { copyText } from '../field/copy-text.ts';
import { createToolsHost } from '../widget/AttachedField.tsx';
import { stateText, useListStrings } from '../widget/dictation-words.ts';
import { useSnapshot } from '../widget/hooks.ts';
import { Notices } from '../widget/Notices.tsx';
import { showAboveKeyboard } from '../widget/on-top.ts';
import { recordingOptionsOf } from '../widget/options.ts';
import { RecordingBar } from '../widget/RecordingBar.tsx';
import { InterfaceLanguageProvider, useStrings } from '../widget/strings.tsx';
import styles from './copy-panel.css?inline';
import type { PanelReason } from './messages.ts';
import type { FrameSettings } from './settings.ts';
import { extensionStrings } from './strings.ts';

type Choices = FrameSettings['choices'];

/**
 * A panel at the lower edge of a page for what cannot go into it: it says why, shows what is
 * recorded, and offers each text for copying. A text waits until it was copied, here or in the
 * popup's list.
 */
export function createCopyPanel(dictation: Dictation) {
  let close: (() => void) | null = null;

  function open(why: PanelReason, language: Choices['interfaceLanguage']): void {
    close?.();
    const host = createToolsHost(document.body, { shadow: 'closed' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    host.addSheet(sheet);
    const root = createRoot(host.inside);
    close = () => {
      root.unmount();
      host.element.remove();
      close = null;
    };
    root.render(
      <InterfaceLanguageProvider language={language}>
        <CopyPanel dictation={dictation} why={why} onClose={() => close?.()} />
      </InterfaceLanguageProvider>,
    );
    host.place();
  }

  return {
    close: () => close?.(),
    /** Records, with the panel open. */
    start(why: PanelReason, choices: Choices): void {
      open(why, choices.interfaceLanguage);
      const { lang } = document.documentElement;
      void dictation.start({
        ...DICTATION_FIELD_OPTIONS,
        likelyLanguages: [lang, navigator.language],
        ...recordingOptionsOf(choices),
        // There is no place: it waits to be copied.
        deliver: () => false,
      });
    },
  };
}

type CopyPanelProps = {
  readonly dictation: Dictation;
  readonly why: PanelReason;
  readonly onClose: () => void;
};

function CopyPanel({ dictation, why, onClose }: CopyPanelProps) {
  const { dismiss } = useStrings();
  const strings = extensionStrings().panel;
  const [copied, setCopied] = useState<string | null>(null);
  const isAtRest = useSnapshot(
    dictation,
    ({ session }) => session.phase === 'idle' || session.phase === 'stopped',
  );
  return (
    <div ref={showAboveKeyboard} popover="manual" className="attached-status">
      {/* The panel is where it waits. */}
      <Notices dictation={dictation} isTold={({ kind }) => kind === 'text-not-inserted'} />
      <section className="copy-panel" aria-label="Diktera">
        <div className="copy-panel-head">
          <p role="status">{copied === null ? strings[why] : strings.copied}</p>
          <button type="button" className="tool is-quiet" aria-label={dismiss} onClick={onClose}>
            <X aria-hidden />
          </button>
        </div>
        <WaitingTexts dictation={dictation} onCopied={setCopied} />
        {copied !== null && <p className="copy-panel-text">{copied}</p>}
      </section>
      {!isAtRest && <RecordingBar dictation={dictation} />}
    </div>
  );
}

type WaitingTextsProps = {
  readonly dictation: Dictation;
  readonly onCopied: (text: string) => void;
};

/** The dictations of this frame that wait, each with its text or what it waits for. */
function WaitingTexts({ dictation, onCopied }: WaitingTextsProps) {
  const snapshot = useSnapshot(dictation, (all) => all);
  const waiting = dictationsOf(snapshot).filter(({ isWaiting }) => isWaiting);
  return waiting.map((entry) => (
    <WaitingText key={entry.id} entry={entry} dictation={dictation} onCopied={onCopied} />
  ));
}

type WaitingTextProps = WaitingTextsProps & { readonly entry: ListedDictation };

function WaitingText({ entry, dictation, onCopied }: WaitingTextProps) {
  const strings = useListStrings();
  const field = useRef<HTMLTextAreaElement>(null);
  const [isRefused, setIsRefused] = useState(false);
  const { id, text } = entry;
  const hasText = text !== '';
  useEffect(() => {
    if (hasText) field.current?.scrollTo({ top: field.current.scrollHeight });
  }, [hasText]);
  if (!hasText)
    return <p className="copy-panel-text">{stateText(entry, Date.now(), strings).alone}</p>;
  const take = async (): Promise<void> => {
    // By the field where a page forbids the other way, or is not served by https.
    const isCopied =
      (await copyText(text, { clipboard: navigator.clipboard, log: console })) ||
      copyOut(field.current);
    setIsRefused(!isCopied);
    if (!isCopied) return;
    await dictation.takeText(id, async () => true);
    onCopied(text);
  };
  return (
    <div className="copy-panel-item">
      <textarea ref={field} readOnly rows={3} value={text} aria-label={strings.waiting} />
      <button type="button" className="tool is-primary" onClick={() => void take()}>
        {isRefused ? <Check aria-hidden /> : <Clipboard aria-hidden />}
        <span>{isRefused ? extensionStrings().panel.copyByKeys : strings.copy}</span>
      </button>
    </div>
  );
}

/** Copies the way it was done before there was a clipboard to write to; else it is left selected. */
function copyOut(field: HTMLTextAreaElement | null): boolean {
  field?.focus({ preventScroll: true });
  field?.select();
  return document.execCommand('copy');
}
