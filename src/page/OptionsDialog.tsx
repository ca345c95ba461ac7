import '../widget/styles/dictations.css';
import './styles/dialog.css';
import './styles/diagnostics.css';
import { ChevronDown, X } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { ServerEngine, ServerState } from '../core/session/snapshot.ts';
import { copyText } from '../field/copy-text.ts';
import { fetchedLater } from '../widget/fetched-later.tsx';
import type { InterfaceLanguage } from '../widget/options.ts';
import { useStrings } from '../widget/strings.tsx';
import type { DiagnosticsAccountProps } from './app/DiagnosticsAccount.tsx';
import { useLaterStrings } from './later-strings-en.ts';
import type { LaterStrings } from './later-strings-sv.ts';
import { OptionsPanel, type OptionsPanelProps } from './OptionsPanel.tsx';
import { isSignedOut, listText, quickLanguageName, useServer } from './server.ts';
import { ModelCredits } from './swedish/models.tsx';

export type OptionsDialogProps = OptionsPanelProps & {
  readonly isOpen: boolean;
  readonly onClose: () => void;
};

/** The options, and behind a press what is to be known about Diktera. */
export function OptionsDialog({ isOpen, onClose, ...props }: OptionsDialogProps) {
  const { dismiss } = useStrings();
  const { options: strings } = useLaterStrings();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();

  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, by the browser itself.
    <dialog
      ref={dialog}
      translate="no"
      className="options"
      aria-labelledby={id}
      // React tells of the dialogs in it, too.
      onClose={({ target, currentTarget }) => {
        if (target === currentTarget) onClose();
      }}
      // A press beside it is one on the dialog itself, which its content covers.
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) currentTarget.close();
      }}
    >
      <div className="options-sheet">
        <div className="options-head">
          <h2 id={id}>{strings.title}</h2>
          <button
            type="button"
            className="tool"
            aria-label={dismiss}
            onClick={() => dialog.current?.close()}
          >
            <X aria-hidden />
          </button>
        </div>
        {isOpen && (
          <>
            <OptionsPanel {...props} />
            <About {...props} />
          </>
        )}
      </div>
    </dialog>
  );
}

/** Details for administrators: engine, licences, where all audio is, speed. */
function About({ dictation, settings }: OptionsPanelProps) {
  const { about, benchmarkLink } = useLaterStrings();
  const [isOpen, setIsOpen] = useState(false);
  const { interfaceLanguage } = settings.getSettings();
  return (
    <details className="about" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <span>{about}</span>
        <ChevronDown aria-hidden />
      </summary>
      {isOpen && (
        <div className="about-body">
          <ServerLine dictation={dictation} language={interfaceLanguage} />
          <p>
            <a href={benchmarkAddress(interfaceLanguage)}>{benchmarkLink}</a>
          </p>
          <Diagnostics
            dictation={dictation}
            copy={(text) => copyText(text, { clipboard: navigator.clipboard, log: console })}
            language={interfaceLanguage}
          />
          <ModelCredits language={interfaceLanguage} />
        </div>
      )}
    </details>
  );
}

/** Few open this, so it comes when it is wanted. */
const AccountLater = fetchedLater(async () => (await import('./app/app.tsx')).DiagnosticsAccount);

/** The account of all recorded sound, closed and not drawn until it is wanted. */
export function Diagnostics(props: DiagnosticsAccountProps) {
  const { diagnostics } = useLaterStrings();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="disclosure" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="tool">
        <span>{diagnostics}</span>
        <ChevronDown aria-hidden />
      </summary>
      {isOpen && <AccountLater {...props} />}
    </details>
  );
}

/** The benchmark page knows no settings: its language is named in its address. */
function benchmarkAddress(language: InterfaceLanguage): string {
  const address = './benchmark.html';
  return language === 'sv' ? address : `${address}?lang=${language}`;
}

/** Whisper knows 99 languages: a person reads so many of them. */
const NAMED_LANGUAGES = 3;

/** As in the README's recipe. */
const SWEDISH_COMMAND = 'npm start -- --language sv';

type ServerLineProps = {
  readonly dictation: Dictation;
  /** In which the names of languages are written. */
  readonly language: string;
};

/** The server's languages, or that it cannot be reached; and how to get Swedish. */
export function ServerLine({ dictation, language }: ServerLineProps) {
  const strings = useLaterStrings().server;
  const server = useServer(dictation);
  return (
    <>
      <p>{serverText(server, strings, language)}</p>
      {server.kind === 'ready' && !server.languages.includes('sv') && (
        <>
          <p>{strings.noSwedish}</p>
          <details className="server-help">
            <summary>{strings.getSwedish}</summary>
            <p>{strings.getSwedishHow}</p>
            <pre>
              <code>{SWEDISH_COMMAND}</code>
            </pre>
            <p>{strings.getSwedishMore}</p>
          </details>
        </>
      )}
    </>
  );
}

function serverText(
  server: ServerState,
  strings: LaterStrings['server'],
  language: string,
): string {
  if (isSignedOut(server)) return strings.signedOut;
  if (server.kind !== 'ready') return strings[server.kind];
  const engines = server.engines.map((engine) => engineText(engine, strings, language));
  return strings.ready(listText(language, engines));
}

function engineText(
  { model, languages }: ServerEngine,
  strings: LaterStrings['server'],
  language: string,
): string {
  // The language that most are here for comes first.
  const sorted = languages.toSorted((a, b) => Number(b === 'sv') - Number(a === 'sv'));
  const isMany = sorted.length > NAMED_LANGUAGES;
  const named = sorted
    .slice(0, isMany ? 1 : NAMED_LANGUAGES)
    .map((code) => quickLanguageName(language, code));
  const list = listText(language, named);
  return strings.engine(isMany ? strings.andMore(list, sorted.length - 1) : list, model);
}
