import { StrictMode } from 'react';
import { renderToStaticMarkup, renderToString } from 'react-dom/server';
import type { MicrophoneList, MicrophoneListState } from '../capture/microphone-list.ts';
import { INTERFACE_LANGUAGES } from '../widget/interface-language.ts';
import { createStillDictation } from '../widget/still-dictation.ts';
import { App } from './App.tsx';
import { EarlyNotice } from './EarlyNotice.tsx';
import { EarlyToolbar } from './EarlyToolbar.tsx';
import { createSettingsStore } from './settings.ts';

const NO_MICROPHONES: MicrophoneListState = { devices: [], permission: 'unknown' };

const microphones: MicrophoneList = {
  getState: () => NO_MICROPHONES,
  subscribe: () => () => {},
  microphoneHeard: () => {},
  requestPermission: async () => false,
  hasTabSound: false,
};

/** What the build puts into the page: it can be read and written in before any script has come. */
export function prerenderPage(): string {
  const page = renderToString(
    <StrictMode>
      <App
        dictation={createStillDictation()}
        microphones={microphones}
        settings={createSettingsStore(null)}
      />
    </StrictMode>,
  );
  const languages = Object.keys(INTERFACE_LANGUAGES) as (keyof typeof INTERFACE_LANGUAGES)[];
  const templates = languages.map((language) =>
    renderToStaticMarkup(
      <template id={`early-${language}`}>
        <EarlyToolbar language={language} phase="idle" />
        <EarlyToolbar language={language} phase="starting" />
        <EarlyToolbar language={language} phase="recording" />
        <EarlyNotice language={language} />
      </template>,
    ),
  );
  return `<div id="root">${page}</div>${templates.join('')}`;
}
