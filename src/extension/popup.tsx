import { Mic, Settings } from 'lucide-react';
import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { DeliveryVerdict } from '../core/contracts/dictation.ts';
import { copyText } from '../field/copy-text.ts';
import { DictationList } from '../widget/DictationList.tsx';
import { Choice } from '../widget/fields.tsx';
import { useSnapshot } from '../widget/hooks.ts';
import { Notices } from '../widget/Notices.tsx';
import { RecordingBar } from '../widget/RecordingBar.tsx';
import { InterfaceLanguageProvider } from '../widget/strings.tsx';
import { createDistantDictation, type DistantDictation } from './distant-dictation.ts';
import { askTab, lastFrame } from './messages.ts';
import { changeSettings, interfaceLanguage, readSettings, SITE_MODES } from './settings.ts';
import { extensionStrings } from './strings.ts';
import '../widget/styles/tokens.css';
import '../widget/styles/base.css';
import '../widget/styles/controls.css';
import '../widget/styles/status.css';
import '../widget/styles/dictations.css';
import './pages.css';

async function front(): Promise<number | undefined> {
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  return tab?.id;
}

async function insert(text: string): Promise<DeliveryVerdict> {
  const tabId = await front();
  const frameId = tabId === undefined ? null : await lastFrame(tabId);
  if (frameId === null) return false;
  const verdict = await askTab(tabId, { kind: 'insert', text }, { frameId });
  return verdict === true || verdict === 'altered' ? verdict : false;
}

const copy = (text: string) => copyText(text, { clipboard: navigator.clipboard, log: console });

/** The window of the toolbar's button: what is going on, where each text is, and the site's choice. */
function Popup({ dictation }: { readonly dictation: DistantDictation }) {
  const strings = extensionStrings().popup;
  const hasAny = useSnapshot(
    dictation,
    ({ queue, recordings, kept }) => queue.items.length + recordings.list.length + kept.length > 0,
  );
  useEffect(() => dictation.prepare(), [dictation]);
  return (
    <main className="popup">
      <header>
        <DictateWithoutField dictation={dictation} />
        <button
          type="button"
          className="tool"
          aria-label={strings.options}
          title={strings.options}
          onClick={() => void chrome.runtime.openOptionsPage()}
        >
          <Settings aria-hidden />
        </button>
      </header>
      <p className="option-help">{strings.help}</p>
      {/* It is listed here, and what is dictated without a field goes nowhere else. */}
      <Notices dictation={dictation} isTold={({ kind }) => kind === 'text-not-inserted'} />
      {!hasAny && <p className="popup-empty">{strings.empty}</p>}
      {hasAny && <DictationList dictation={dictation} insert={insert} copy={copy} />}
      <SiteChoice />
    </main>
  );
}

/** Records into no field; what is recorded anywhere is seen here, and ended. */
function DictateWithoutField({ dictation }: { readonly dictation: DistantDictation }) {
  const strings = extensionStrings().popup;
  const isAtRest = useSnapshot(
    dictation,
    ({ session }) => session.phase === 'idle' || session.phase === 'stopped',
  );
  if (!isAtRest) return <RecordingBar dictation={dictation} />;
  return (
    <button type="button" className="tool is-primary" onClick={() => dictation.startWithoutField()}>
      <Mic aria-hidden />
      <span>{strings.start}</span>
    </button>
  );
}

/** Where the microphone comes up on the site of the tab in front. */
function SiteChoice() {
  const strings = extensionStrings();
  const [site, setSite] = useState<{ readonly host: string; readonly mode: string } | null>(null);
  useEffect(() => {
    void (async () => {
      const host = await askTab(await front(), { kind: 'where' });
      const { settings, managed } = await readSettings();
      if (typeof host !== 'string' || host === '' || managed.includes('sites')) return;
      setSite({ host, mode: settings.sites[host] ?? 'default' });
    })();
  }, []);
  if (!site) return null;
  const choose = async (mode: string): Promise<void> => {
    setSite({ ...site, mode });
    const { [site.host]: _, ...others } = (await readSettings()).settings.sites;
    const own = SITE_MODES.find((each) => each === mode);
    await changeSettings({ sites: own ? { ...others, [site.host]: own } : others });
  };
  return (
    <Choice
      label={strings.popup.site(site.host)}
      value={site.mode}
      choices={(['default', ...SITE_MODES] as const).map((mode) => [mode, strings.modes[mode]])}
      onChange={(mode) => void choose(mode)}
    />
  );
}

document.documentElement.lang = interfaceLanguage();
const place = document.getElementById('root');
if (place) {
  const dictation = createDistantDictation({ onCutOff: () => window.close() });
  createRoot(place).render(
    <StrictMode>
      <InterfaceLanguageProvider language={interfaceLanguage()}>
        <Popup dictation={dictation} />
      </InterfaceLanguageProvider>
    </StrictMode>,
  );
}
