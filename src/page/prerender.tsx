import { TriangleAlert } from 'lucide-react';
import { StrictMode } from 'react';
import { renderToStaticMarkup, renderToString } from 'react-dom/server';
import type { MicrophoneList, MicrophoneListState } from '../capture/microphone-list.ts';
import type { SessionPhase } from '../core/session/snapshot.ts';
import { INTERFACE_LANGUAGES, type InterfaceLanguage } from '../widget/options.ts';
import { createStillDictation } from '../widget/still-dictation.ts';
import { InterfaceLanguageProvider, stringsIn } from '../widget/strings.tsx';
import { DictateButton } from '../widget/tools.tsx';
import { App } from './App.tsx';
import { laterStringsIn } from './later-strings-en.ts';
import { createSettingsStore } from './settings.ts';

const NO_MICROPHONES: MicrophoneListState = { devices: [], permission: 'unknown' };

const microphones: MicrophoneList = {
  getState: () => NO_MICROPHONES,
  subscribe: () => () => {},
  microphoneHeard: () => {},
  requestPermission: async () => false,
  hasTabSound: false,
};

/** HTML that the build puts into the page, to be read and written in before any script has come. */
export function prerenderPage(): string {
  const draw = (interfaceLanguage: InterfaceLanguage): string => {
    const settings = createSettingsStore(null);
    settings.change({ interfaceLanguage });
    return renderToString(
      <StrictMode>
        <App dictation={createStillDictation()} microphones={microphones} settings={settings} />
      </StrictMode>,
    );
  };
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
  return (
    `<div id="root">${draw('sv')}</div><template id="root-en">${draw('en')}</template>` +
    `<script>${CHOOSE}</script>${templates.join('')}`
  );
}

/**
 * Before anything is seen: English where that was chosen, or is what the browser speaks; no key where
 * there are none. A press on what opens something is noted on it until there is something to open.
 */
const CHOOSE = `try{var l=JSON.parse(localStorage["diktera:settings"]).interfaceLanguage}catch{}
if(l?l=="en":!/^(sv|nb|nn|no|da)\\b/.test(navigator.language))document.documentElement.lang="en",document.getElementById("root").replaceChildren(document.getElementById("root-en").content)
if(matchMedia("(hover:none) and (pointer:coarse)").matches)for(var a of document.querySelector(".field-text").attributes)a.value=a.value.replace(" (F9)","")
addEventListener("click",e=>e.target.closest(".page-head button")?.setAttribute("data-pressed",""))`;

type EarlyToolbarProps = {
  readonly language: InterfaceLanguage;
  readonly phase: SessionPhase;
};

/**
 * The toolbar that stands in for the real one until that can be drawn; drawn by the build, for
 * `createEarlyTools`.
 */
function EarlyToolbar({ language, phase }: EarlyToolbarProps) {
  const strings = stringsIn(language);
  const nothing = (): void => {};
  return (
    <InterfaceLanguageProvider language={language}>
      <div
        popover="manual"
        className="toolbar is-early"
        role="toolbar"
        aria-label={strings.toolbarLabel}
      >
        <DictateButton phase={phase} onStart={nothing} onStop={nothing} />
      </div>
    </InterfaceLanguageProvider>
  );
}

/** For when the page's script never comes; drawn by the build, for `createEarlyTools`. */
function EarlyNotice({ language }: { readonly language: InterfaceLanguage }) {
  const { title, advice } = laterStringsIn(language).scriptMissing;
  return (
    <div className="notice">
      <TriangleAlert aria-hidden />
      <p>
        <strong>{`${title}.`}</strong>
        <span>{` ${advice}`}</span>
      </p>
    </div>
  );
}
