import type { Dictation } from '../core/contracts/dictation.ts';
import type { ServerEngine, ServerState } from '../core/session/snapshot.ts';
import { listText, quickLanguageName } from './page-languages.ts';
import { usePageStrings } from './page-strings.ts';
import type { PageStrings } from './page-strings-sv.ts';
import { useServer } from './use-server.ts';

/** Whisper knows 99 languages: a person reads so many of them. */
const NAMED_LANGUAGES = 3;

/** As in the README's recipe. */
const SWEDISH_COMMAND = 'npm start -- --language sv';

type ServerLineProps = {
  readonly dictation: Dictation;
  /** In which the names of languages are written. */
  readonly language: string;
};

/** What the transcription server can do, or that it cannot be reached; and how to get Swedish. */
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
