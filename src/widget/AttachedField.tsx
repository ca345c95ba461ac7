import { History, Inbox } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import type { DeliveryVerdict, Dictation } from '../core/contracts/dictation.ts';
import type { SessionPhase } from '../core/session/snapshot.ts';
import { copyText } from '../field/copy-text.ts';
import { activeElementOf } from '../field/dom.ts';
import type { EditableField } from '../field/editable-field.ts';
import { takesText, watchPointerDownOutside } from '../field/field-watches.ts';
import { Announcer } from './Announcer.tsx';
import type { DictationListProps } from './DictationList.tsx';
import { FieldTools } from './FieldTools.tsx';
import { Failed, type Fetched, keepFetching } from './fetched-later.tsx';
import { countText, useDictationList, useWaitingCount, type WaitingCount } from './fetched-list.ts';
import { useDrawnLater, useFocusFallback, useSnapshot } from './hooks.ts';
import { insertHere } from './insertions.ts';
import { Notices } from './Notices.tsx';
import { showAboveKeyboard, showOnTop } from './on-top.ts';
import type { DictationChoices, FieldCommands } from './options.ts';
import type { OwnElements } from './press.ts';
import type { KeySource } from './push-to-talk.ts';
import { CancelledBar, RecordingBar } from './RecordingBar.tsx';
import { useStrings } from './strings.tsx';
import type { Strings } from './strings-sv.ts';
import attached from './styles/attached.css?inline';
import base from './styles/base.css?inline';
import controls from './styles/controls.css?inline';
import status from './styles/status.css?inline';
import tokens from './styles/tokens.css?inline';
import { Tooltip } from './Tooltip.tsx';

type AttachedFieldProps = {
  readonly dictation: Dictation;
  readonly field: EditableField;
  readonly host: ToolsHost;
  readonly choices: DictationChoices;
  /** False shows nothing: the page has an interface of its own. */
  readonly hasToolbar: boolean;
  /** Called with the field's commands when it is mounted. */
  readonly onReady: (commands: FieldCommands) => void;
};

/** The tools of an element that is not ours. */
export function AttachedField(props: AttachedFieldProps) {
  const { dictation, field, host, choices, hasToolbar, onReady } = props;
  const own = useCallback(() => [field.element, host.element], [field, host]);
  const list = useDictationPanel(own);

  // Nothing is added to the page before the field gets the focus.
  useEffect(() => {
    const listening = new AbortController();
    if (activeElementOf(field.element) === field.element) host.place();
    for (const type of ['focusin', 'click', 'keydown']) {
      field.element.addEventListener(type, host.place, { signal: listening.signal, capture: true });
    }
    return () => listening.abort();
  }, [field, host]);

  const buttonProps = { dictation, isOpen: list.isOpen, onPress: list.toggle };
  return (
    <FieldTools
      choices={choices}
      dictation={dictation}
      field={field}
      own={own}
      canDictate={() => takesText(field)}
      hasToolbar={hasToolbar}
      keys={host.keys}
      onReady={onReady}
      moreTools={<DictationsButton {...buttonProps} />}
    >
      {({ phase, isLatest, isCancelled, hasLevelMeter }) =>
        hasToolbar && (
          <>
            {isLatest && <Announcer dictation={dictation} />}
            <Status
              dictation={dictation}
              field={field}
              phase={isLatest ? phase : null}
              isCancelled={isCancelled}
              hasLevelMeter={hasLevelMeter}
              button={<DictationsButton {...buttonProps} isForWaiting />}
              insert={(text, withdrawn) =>
                insertHere(field, text, {
                  ...(choices.spacing && { spacing: choices.spacing }),
                  withdrawn,
                })
              }
              onClose={list.isOpen ? list.close : null}
            />
          </>
        )
      }
    </FieldTools>
  );
}

type StatusProps = {
  readonly dictation: Dictation;
  readonly field: EditableField;
  /** The phase of this field's dictation; null if another field asked for the microphone last. */
  readonly phase: SessionPhase | null;
  /** True while a cancelled dictation can be brought back. */
  readonly isCancelled: boolean;
  readonly hasLevelMeter: boolean;
  /** Opens the list of dictations; shown while some wait. */
  readonly button: ReactNode;
  readonly insert: (text: string, withdrawn?: AbortSignal) => Promise<DeliveryVerdict>;
  /** Closes the list of dictations; null while it is closed. */
  readonly onClose: (() => void) | null;
};

/**
 * At the bottom of the visible part of the window, wherever the field is; at its top where it would
 * cover the caret when it comes, as in a chat.
 */
function Status(props: StatusProps) {
  const { dictation, field, phase, isCancelled, button, insert, onClose } = props;
  const hasNotices = useSnapshot(dictation, ({ notices }) => notices.length > 0) && phase !== null;
  const isAtWork = useDrawnLater(phase !== null && phase !== 'idle' && phase !== 'stopped');
  const hasDictations = useHasDictations(dictation);
  const list = useDictationList(dictation, onClose !== null, null);
  const isListed = onClose !== null && hasDictations;
  const copy = useCallback(
    (text: string) => copyText(text, { clipboard: navigator.clipboard, log: console }),
    [],
  );
  const show = useCallback(
    (element: HTMLElement | null) => {
      const end = showAboveKeyboard(element);
      if (element && field.caretRect().bottom > element.getBoundingClientRect().top)
        element.dataset.isAtTop = '';
      return end;
    },
    [field],
  );
  if (!(isAtWork || isCancelled || hasNotices || isListed)) return null;
  return (
    <div ref={show} popover="manual" className="attached-status">
      {hasNotices && <Notices dictation={dictation} />}
      {hasNotices && !isListed && <div className="attached-waiting">{button}</div>}
      {isListed && (
        <DictationPanel
          dictation={dictation}
          insert={insert}
          copy={copy}
          list={list}
          onClose={onClose}
          focusFallback={field.element}
        />
      )}
      {isAtWork && (
        <RecordingBar
          dictation={dictation}
          hasLevelMeter={props.hasLevelMeter}
          focusFallback={field.element}
        />
      )}
      {isCancelled && <CancelledBar dictation={dictation} focusFallback={field.element} />}
    </div>
  );
}

/** A place for our own interface beside an element of somebody else's page, styles kept apart. */
type ToolsHost = ReturnType<typeof createToolsHost>;

let sheet: CSSStyleSheet | null = null;
let trees = 0;

/** The place of the tools of an embedder's element, and the source of key presses. */
export type ToolsPlace = {
  /** Closed: the page's scripts cannot reach them. @default 'open' */
  readonly shadow?: ShadowRootMode;
  /** Tells of key presses in the page. @default the document */
  readonly keys?: KeySource;
};

export function createToolsHost(field: HTMLElement, { shadow = 'open', keys }: ToolsPlace = {}) {
  const element = document.createElement('diktera-tools');
  element.translate = false;
  const root = element.attachShadow({ mode: shadow });
  root.adoptedStyleSheets = [sheet ?? readSheet(), readUnlikeSheet(shadow === 'closed')];
  const inside = document.createElement('div');
  inside.className = 'attached';
  root.append(inside);
  return {
    element,
    keys,
    /** Root of our interface. */
    inside,
    /** More rules for this tree alone. */
    addSheet(more: CSSStyleSheet) {
      root.adoptedStyleSheets.push(more);
    },
    /**
     * Puts it right after the field's element, so that the tab key leads there; out if that is gone.
     */
    place() {
      if (!field.isConnected) return element.remove();
      if (field.nextSibling === element) return;
      field.after(element);
      // An element that leaves the document leaves the top layer.
      for (const popover of inside.querySelectorAll<HTMLElement>('[popover]')) showOnTop(popover);
    },
  };
}

/**
 * A sheet that no other tree has. Of trees with the same styles WebKit asks media queries once, and
 * not again when the window has changed while there was none: what came next was drawn for a wide one.
 */
function readUnlikeSheet(isClosed: boolean): CSSStyleSheet {
  const created = new CSSStyleSheet();
  // A page that does not know of the tools does not get to hide them.
  const seen = isClosed ? ' :host { display: contents !important }' : '';
  created.replaceSync(`.tree-${trees++} { order: 0 }${seen}`);
  return created;
}

function readSheet(list = ''): CSSStyleSheet {
  sheet ??= new CSSStyleSheet();
  const css = [tokens, base, controls, status, list, attached].join('\n');
  // Our own page has these rules on its root.
  sheet.replaceSync(css.replaceAll(':root', '.attached'));
  return sheet;
}

let hasListStyles = false;

/** Fetches what the list looks like, for all trees. */
export async function fetchListStyles(): Promise<void> {
  if (hasListStyles) return;
  const { default: list } = await import('./styles/dictations.css?inline');
  readSheet(list);
  hasListStyles = true;
}

/** True once the list can be drawn as it looks. */
function useListStyles(): boolean {
  const [isThere, setIsThere] = useState(hasListStyles);
  useEffect(
    () =>
      keepFetching(
        fetchListStyles,
        () => setIsThere(true),
        () => {},
      ),
    [],
  );
  return isThere;
}

type DictationsButtonProps = {
  readonly dictation: Dictation;
  readonly isOpen: boolean;
  /** Opens the list, or closes it; given the button, which gets the focus back. */
  readonly onPress: (button: HTMLElement) => void;
  /** Shown only while something waits. @default false */
  readonly isForWaiting?: boolean;
};

/** Opens the list of dictations, and says how many wait; nothing while there are none. */
export function DictationsButton(props: DictationsButtonProps) {
  const { dictation, isOpen, onPress, isForWaiting = false } = props;
  const { dictations: strings } = useStrings();
  const count = useWaitingCount(dictation);
  const hasAny = useHasDictations(dictation);
  const all = count.waiting + count.needsReview;
  if (!hasAny || (isForWaiting && all === 0)) return null;
  const common = {
    type: 'button',
    'aria-haspopup': 'dialog',
    'aria-expanded': isOpen,
    onClick: ({ currentTarget }: { readonly currentTarget: HTMLElement }) => onPress(currentTarget),
  } as const;
  if (all === 0) {
    return (
      <Tooltip label={strings.title}>
        <button {...common} className="tool" aria-label={strings.title}>
          <History aria-hidden />
        </button>
      </Tooltip>
    );
  }
  return (
    <button {...common} className="tool waiting-button">
      <Inbox aria-hidden />
      <span className="waiting-label-short" aria-hidden>
        {all}
      </span>
      <span className="waiting-label-long">{buttonText(count, strings)}</span>
    </button>
  );
}

function buttonText(count: WaitingCount, strings: Strings['dictations']): string {
  if (count.needsReview === 0) return strings.show(count.waiting);
  return count.waiting === 0 ? strings.showReviews(count.needsReview) : countText(count, strings);
}

/** True if a dictation waits or a recording is there, even in the bin. */
function useHasDictations(dictation: Dictation): boolean {
  const { waiting, needsReview } = useWaitingCount(dictation);
  const hasRecordings = useSnapshot(dictation, ({ recordings }) => recordings.list.length > 0);
  return hasRecordings || waiting + needsReview > 0;
}

/** A press on anything that is not the field's own closes the panel. */
function useDictationPanel(own: OwnElements) {
  const [isOpen, setIsOpen] = useState(false);
  const opener = useRef<HTMLElement | null>(null);

  useEffect(() => {
    if (!isOpen) return;
    return watchPointerDownOutside(document, own, () => setIsOpen(false));
  }, [isOpen, own]);

  return {
    isOpen,
    /** Opens the panel, or closes it; `button` gets the focus back. */
    toggle: useCallback((button: HTMLElement) => {
      opener.current = button;
      setIsOpen((wasOpen) => !wasOpen);
    }, []),
    close: useCallback(() => {
      // If that button is gone, the text gets the focus.
      opener.current?.focus({ preventScroll: true });
      setIsOpen(false);
    }, []),
  };
}

type DictationPanelProps = {
  /** The list, as soon as it is there. */
  readonly list: Fetched<DictationListProps>;
  readonly dictation: Dictation;
  readonly insert: (text: string, withdrawn?: AbortSignal) => Promise<DeliveryVerdict>;
  readonly copy: (text: string) => Promise<boolean>;
  readonly onClose: () => void;
  /** Gets the focus when there is nothing to list any more: the text. */
  readonly focusFallback: HTMLElement;
};

/**
 * The list where a page has no place for it. It has the focus when it opens; Escape closes it.
 */
function DictationPanel({ list: List, focusFallback, ...props }: DictationPanelProps) {
  const strings = useStrings().dictations;
  const panel = useRef<HTMLDivElement>(null);
  useFocusFallback(panel, focusFallback);
  const isStyled = useListStyles();
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  return (
    <div
      ref={panel}
      role="dialog"
      aria-label={strings.title}
      tabIndex={-1}
      className="dictation-panel"
      onKeyDown={(event) => {
        // A dialog that asks before deleting closes by itself.
        const isAsking = event.target instanceof Element && event.target.closest('dialog');
        if (event.key !== 'Escape' || isAsking) return;
        event.preventDefault();
        props.onClose();
      }}
    >
      {List === 'failed' ? <Failed /> : List && isStyled && <List {...props} />}
    </div>
  );
}
