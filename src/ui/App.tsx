import { useCallback, useState } from 'react';
import type { Dictation } from '../core/dictation.ts';
import type { ServerState } from '../core/snapshot.ts';
import { copyText } from '../field/copy-text.ts';
import type { EditableField } from '../field/editable-field.ts';
import { Announcer } from './Announcer.tsx';
import { DictationField } from './DictationField.tsx';
import { Notices } from './Notices.tsx';
import { STRINGS } from './strings.ts';
import './styles/tokens.css';
import './styles/page.css';
import './styles/field.css';
import './styles/status.css';
import { useSnapshot } from './use-snapshot.ts';
import { WaitingList } from './WaitingList.tsx';

const copy = (text: string): Promise<boolean> =>
  copyText(text, { clipboard: navigator.clipboard, log: console });

/** The dictation page. */
export function App({ dictation }: { readonly dictation: Dictation }) {
  const [field, setField] = useState<EditableField | null>(null);
  const insert = useCallback(
    async (text: string) => {
      const outcome = await field?.insert(text, field.saveCursor());
      return outcome?.kind === 'inserted';
    },
    [field],
  );
  return (
    <div className="page">
      <header className="page-head">
        <h1>{STRINGS.appName}</h1>
        <p>{STRINGS.tagline}</p>
      </header>
      <main>
        <DictationField
          dictation={dictation}
          label={STRINGS.fieldLabel}
          placeholder={STRINGS.fieldPlaceholder}
          onField={setField}
        />
      </main>
      <Notices dictation={dictation} />
      <WaitingList dictation={dictation} insert={insert} copy={copy} />
      <Announcer dictation={dictation} />
      <footer className="page-foot">
        <ServerLine dictation={dictation} />
      </footer>
    </div>
  );
}

function ServerLine({ dictation }: { readonly dictation: Dictation }) {
  const server = useSnapshot(dictation, (snapshot) => snapshot.server);
  return <p>{serverWords(server)}</p>;
}

function serverWords(server: ServerState): string {
  if (server.kind !== 'ready') return STRINGS.server[server.kind];
  const names = new Intl.DisplayNames('sv', { type: 'language' });
  const languages = new Intl.ListFormat('sv').format(
    server.languages.map((code) => names.of(code) ?? code),
  );
  const ready = `${STRINGS.server.ready(languages)}.`;
  return server.languages.includes('sv') ? ready : `${ready} ${STRINGS.server.noSwedish}`;
}
