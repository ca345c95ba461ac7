import { Mic } from 'lucide-react';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { readHealth } from '../core/contracts/server-health.ts';
import { Choice } from '../widget/fields.tsx';
import { languageName } from '../widget/said-in.ts';
import {
  changeSettings,
  type ExtensionSettings,
  interfaceLanguage,
  type ReadSettings,
  readSettings,
  SITE_MODES,
  type SiteMode,
  setupOf,
} from './settings.ts';
import { extensionStrings } from './strings.ts';
import '../widget/styles/tokens.css';
import '../widget/styles/base.css';
import '../widget/styles/controls.css';
import './pages.css';

const strings = extensionStrings().options;
const { modes } = extensionStrings();
const LANGUAGES = ['sv', 'en', 'nb', 'da', 'fi', 'de', 'fr', 'es'] as const;
const KEEP_HOURS = [0, 1, 24, 168, 720] as const;
const KEYS = ['F9', 'F8', 'F4', 'F2'] as const;
const HEALTH_WITHIN_MS = 10_000;

type Change = (changes: Partial<ExtensionSettings>) => Promise<void>;

function Options({ first }: { readonly first: ReadSettings }) {
  const [{ settings, managed }, setRead] = useState(first);
  const [isSaved, setIsSaved] = useState(false);
  const change: Change = async (changes) => {
    await changeSettings(changes);
    setRead(await readSettings());
    setIsSaved(true);
  };
  const choiceOf = (name: keyof ExtensionSettings, choice: ReactNode): ReactNode =>
    managed.includes(name) ? <p className="option-help">{strings.managed}</p> : choice;
  return (
    <main className="options-page">
      <h1>{strings.title}</h1>
      <p>{strings.lead}</p>
      <Microphone />
      <Server settings={settings} isManaged={managed.includes('serverUrl')} change={change} />
      <Group title={strings.speechTitle}>
        {choiceOf(
          'language',
          <Choice
            label={strings.language}
            help={strings.languageHelp}
            value={settings.language}
            choices={[
              ['', strings.languageOfPage],
              ...LANGUAGES.map((code) => [code, languageName(interfaceLanguage(), code)] as const),
            ]}
            onChange={(language) => void change({ language })}
          />,
        )}
        <TextArea
          label={strings.words}
          help={strings.wordsHelp}
          value={settings.words}
          onChange={(words) => void change({ words })}
        />
        <Check
          label={strings.fixSpelling}
          isOn={settings.fixSpelling}
          onChange={(fixSpelling) => void change({ fixSpelling })}
        />
        <Check
          label={strings.removePii}
          isOn={settings.removePii}
          onChange={(removePii) => void change({ removePii })}
        />
      </Group>
      <Group title={strings.sites}>
        {choiceOf(
          'everywhere',
          <Choice
            label={strings.everywhere}
            help={strings.sitesHelp}
            value={settings.everywhere}
            choices={SITE_MODES.map((mode) => [mode, modes[mode]])}
            onChange={(mode) => void change({ everywhere: mode as SiteMode })}
          />,
        )}
        <Choice
          label={strings.key}
          help={strings.keyHelp}
          value={settings.pushToTalkKey}
          choices={[...KEYS.map((key) => [key, key] as const), ['', strings.noKey]]}
          onChange={(pushToTalkKey) => void change({ pushToTalkKey })}
        />
      </Group>
      <Group title={strings.keepTitle}>
        {choiceOf(
          'keepRecordings',
          <Choice
            label={strings.keep}
            help={strings.keepHelp}
            value={String(settings.keepRecordings)}
            choices={KEEP_HOURS.map((hours) => [String(hours), strings.keepChoices[hours]])}
            onChange={(hours) => void change({ keepRecordings: Number(hours) })}
          />,
        )}
      </Group>
      <p role="status" className="option-help">
        {isSaved && strings.saved}
      </p>
    </main>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="options-group">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Asks for the microphone once: the answer is for the extension, whatever page is dictated into. */
function Microphone() {
  const [state, setState] = useState<PermissionState | null>(null);
  useEffect(() => {
    const listening = new AbortController();
    void navigator.permissions.query({ name: 'microphone' }).then((status) => {
      setState(status.state);
      const { signal } = listening;
      status.addEventListener('change', () => setState(status.state), { signal });
    });
    return () => listening.abort();
  }, []);
  const allow = async (): Promise<void> => {
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      for (const track of stream.getTracks()) track.stop();
      setState('granted');
    } catch {
      setState((await navigator.permissions.query({ name: 'microphone' })).state);
    }
  };
  const said = {
    ...{ granted: strings.microphoneGranted, denied: strings.microphoneDenied },
    prompt: strings.microphoneAsk,
  };
  return (
    <Group title={strings.microphone}>
      <p role="status">{state && said[state]}</p>
      {state === 'prompt' && (
        <button type="button" className="tool is-primary" onClick={() => void allow()}>
          <Mic aria-hidden />
          <span>{strings.allow}</span>
        </button>
      )}
    </Group>
  );
}

type ServerProps = {
  readonly settings: ExtensionSettings;
  readonly isManaged: boolean;
  readonly change: Change;
};

function Server({ settings, isManaged, change }: ServerProps) {
  const [serverUrl, setServerUrl] = useState(settings.serverUrl);
  const [token, setToken] = useState(settings.token);
  const [said, setSaid] = useState('');
  if (isManaged)
    return (
      <Group title={strings.server}>
        <p>{settings.serverUrl}</p>
        <p className="option-help">{strings.managed}</p>
      </Group>
    );
  const save = async (): Promise<void> => {
    if (!isUsable(serverUrl)) return setSaid(strings.addressWrong);
    // In the task of the press: Chrome asks the person, where our server does not let us in anyway.
    const isAllowed = await chrome.permissions
      .request({ origins: [`${new URL(serverUrl).origin}/*`] })
      .catch(() => false);
    await change({ serverUrl: serverUrl.trim(), token: token.trim() });
    setSaid(strings.trying);
    const answer = await tryServer({ ...settings, serverUrl, token });
    setSaid(answer === strings.serverSilent && !isAllowed ? strings.addressRefused : answer);
  };
  return (
    <Group title={strings.server}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField
          label={strings.address}
          help={strings.addressHelp}
          type="url"
          value={serverUrl}
          onChange={setServerUrl}
        />
        <TextField
          label={strings.token}
          help={strings.tokenHelp}
          type="password"
          value={token}
          onChange={setToken}
        />
        <button type="submit" className="tool is-primary">
          {strings.save}
        </button>
        <p role="status">{said}</p>
      </form>
    </Group>
  );
}

/** Speech goes over no network that others can listen in on. */
function isUsable(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isHere);
}

/** Asks a server whether it takes us; one that has only the endpoint answers somehow. */
async function tryServer(settings: ExtensionSettings): Promise<string> {
  const { transcriptionUrl = '' } = setupOf(settings);
  const headers = settings.token === '' ? {} : { Authorization: `Bearer ${settings.token}` };
  const health = new URL('../../api/health', transcriptionUrl);
  try {
    const signal = AbortSignal.timeout(HEALTH_WITHIN_MS);
    const response = await fetch(health, { headers, cache: 'no-store', signal });
    const state = readHealth({
      status: response.status,
      body: await response.json().catch(() => null),
    });
    if (state.kind !== 'ready') return strings.serverUntold;
    const names = state.languages.map((code) => languageName(interfaceLanguage(), code));
    return strings.serverReady(new Intl.ListFormat(interfaceLanguage()).format(names));
  } catch {
    // A server that is there and does not let us read is told apart by asking for nothing to read.
    const isThere = await fetch(health, { mode: 'no-cors', cache: 'no-store' }).then(
      () => true,
      () => false,
    );
    return isThere ? strings.serverRefuses(chrome.runtime.id ?? '') : strings.serverSilent;
  }
}

type FieldProps = {
  readonly label: string;
  readonly help: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
};

function TextField({ label, help, value, type, onChange }: FieldProps & { readonly type: string }) {
  const id = useId();
  return (
    <div className="option">
      <label className="option-text">
        <span>{label}</span>
        <input
          type={type}
          value={value}
          autoComplete="off"
          spellCheck={false}
          aria-describedby={id}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      </label>
      <p id={id} className="option-help">
        {help}
      </p>
    </div>
  );
}

/** Told when the focus leaves it: the words are read at once, and half a word is none. */
function TextArea({ label, help, value, onChange }: FieldProps) {
  const id = useId();
  return (
    <div className="option">
      <label className="option-text">
        <span>{label}</span>
        <textarea
          defaultValue={value}
          rows={5}
          aria-describedby={id}
          onBlur={(event) => onChange(event.currentTarget.value)}
        />
      </label>
      <p id={id} className="option-help">
        {help}
      </p>
    </div>
  );
}

type CheckProps = {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
};

function Check({ label, isOn, onChange }: CheckProps) {
  return (
    <label className="option option-check">
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

document.documentElement.lang = interfaceLanguage();
document.title = strings.title;
const place = document.getElementById('root');
if (place) {
  const root = createRoot(place);
  void readSettings().then((first) => root.render(<Options first={first} />));
}
