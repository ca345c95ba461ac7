import type { Dictation } from '../core/dictation.ts';
import type { ServerState } from '../core/snapshot.ts';
import { useSnapshot } from './use-snapshot.ts';
import { useWords, type Words } from './words.ts';

type ServerLineProps = {
  readonly dictation: Dictation;
  /** In which the names of languages are written. */
  readonly language: string;
};

/** What the transcription server can do, or that it cannot be reached. */
export function ServerLine({ dictation, language }: ServerLineProps) {
  const words = useWords().server;
  const server = useSnapshot(dictation, (snapshot) => snapshot.server);
  return <p>{serverWords(server, words, language)}</p>;
}

function serverWords(server: ServerState, words: Words['server'], language: string): string {
  if (server.kind !== 'ready') return words[server.kind];
  const names = new Intl.DisplayNames(language, { type: 'language' });
  const languages = new Intl.ListFormat(language).format(
    server.languages.map((code) => names.of(code) ?? code),
  );
  const ready = `${words.ready(languages)}.`;
  return server.languages.includes('sv') ? ready : `${ready} ${words.noSwedish}`;
}
