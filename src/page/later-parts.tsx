import { Info } from 'lucide-react';
import { type ComponentType, useEffect, useState } from 'react';
import type { Dictation } from '../core/contracts/dictation.ts';
import type { ServerEngine, ServerState, Snapshot } from '../core/session/snapshot.ts';
import { isSame, languagesOf, spokenLanguage } from '../core/session/spoken-language.ts';
import { useSnapshot } from '../widget/hooks.ts';
import { usePageStrings } from './page-strings.ts';
import type { PageStrings } from './page-strings-sv.ts';
import { likelyLanguages, listText, quickLanguageName, useServer } from './server.ts';
import type { Settings, SettingsStore } from './settings.ts';
import type { SwedishPanelProps } from './swedish/SwedishPanel.tsx';

type KeepingNoticeProps = {
  readonly dictation: Dictation;
  readonly settings: SettingsStore;
  readonly keepRecordings: number;
};

/**
 * Says once, before the first recording, that recordings are retained. It stays in view for a person
 * who begins to speak without an answer, and does not come again.
 */
export function KeepingNotice({ dictation, settings, keepRecordings }: KeepingNoticeProps) {
  const { keeping: strings } = usePageStrings();
  const isRecording = useSnapshot(dictation, ({ session }) => session.isRecording);
  // Drawn after hydration, so the stored choice is known.
  const [isUntold, setIsUntold] = useState(() => !settings.getSettings().isKeepingTold);
  const isShown = isUntold && keepRecordings > 0;

  useEffect(() => {
    if (isShown && isRecording) settings.change({ isKeepingTold: true });
  }, [isShown, isRecording, settings]);

  if (!isShown) return null;
  return (
    <aside className="keeping-notice" aria-label={strings.title}>
      <Info aria-hidden />
      <p>{strings.notice(strings.span(keepRecordings))}</p>
      <button
        type="button"
        className="tool is-outlined"
        onClick={() => {
          setIsUntold(false);
          settings.change({ isKeepingTold: true });
        }}
      >
        {strings.understood}
      </button>
    </aside>
  );
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
  const strings = usePageStrings().server;
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

function serverText(server: ServerState, strings: PageStrings['server'], language: string): string {
  if (server.kind !== 'ready') return strings[server.kind];
  const engines = server.engines.map((engine) => engineText(engine, strings, language));
  return strings.ready(listText(language, engines));
}

function engineText(
  { model, languages }: ServerEngine,
  strings: PageStrings['server'],
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

type SwedishPartProps = {
  readonly dictation: Dictation;
  readonly store: SettingsStore;
  readonly settings: Settings;
};

/**
 * Says, before anybody speaks, that the server lacks the language that will be spoken, and offers
 * Swedish if no other language was chosen. The panel is fetched when it is needed.
 */
export function SwedishPart({ dictation, store, settings }: SwedishPartProps) {
  const { language, interfaceLanguage } = settings;
  const server = useServer(dictation);
  const isSpoken = useSnapshot(dictation, ({ session }) => session.phase !== 'idle');
  const isRefused = useSnapshot(dictation, refusesSwedish);
  const spoken = spokenLanguage({ language, likelyLanguages: likelyLanguages() }, server);
  const missing = spoken?.isMissing ? spoken.language : null;
  const isWanted = language === 'sv' || (language === '' && interfaceLanguage === 'sv');
  const lacksSwedish = server.kind === 'ready' && !languagesOf(server).some(isSwedish);
  // Held back while somebody speaks: the network is for the recording.
  const isNeeded = !isSpoken && (missing !== null || (isWanted && (lacksSwedish || isRefused)));
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  useEffect(() => {
    if (!isNeeded) return;
    import('./swedish/SwedishPanel.tsx').then(
      ({ SwedishPanel }) => setLoaded({ Panel: SwedishPanel }),
      // Nothing is lost by it: the line about the server says how else.
      () => {},
    );
  }, [isNeeded]);
  if (loaded === null) return null;
  return (
    <loaded.Panel
      dictation={dictation}
      settings={store}
      language={interfaceLanguage}
      isWanted={isWanted}
      missing={missing}
    />
  );
}

type Loaded = { readonly Panel: ComponentType<SwedishPanelProps> };

function refusesSwedish({ server, queue }: Snapshot): boolean {
  return (
    server.kind === 'ready' &&
    queue.items.some(({ state, options }) => state.kind === 'refused' && options.language === 'sv')
  );
}

function isSwedish(code: string): boolean {
  return isSame(code, 'sv');
}
