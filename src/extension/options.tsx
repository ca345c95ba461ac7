import { ExternalLink, Mic } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { readHealth } from '../core/contracts/server-health.ts';
import { Choice } from '../widget/fields.tsx';
import { languageName } from '../widget/said-in.ts';
import { createDistantDictation } from './distant-dictation.ts';
import { ALL_SITES } from './messages.ts';
import {
  changeSettings,
  type ExtensionSettings,
  headersOf,
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
  const access = useAccess();
  const change: Change = async (changes) => {
    await changeSettings(changes);
    setRead(await readSettings());
    setIsSaved(true);
  };
  const choiceOf = (name: keyof ExtensionSettings, choice: ReactNode): ReactNode =>
    managed.includes(name) ? (
      <fieldset disabled className="option-managed">
        {choice}
        <p className="option-help">{strings.managed}</p>
      </fieldset>
    ) : (
      choice
    );
  return (
    <main className="options-page">
      <h1>{strings.title}</h1>
      <p>{strings.lead}</p>
      <Microphone />
      <Group title={strings.sites}>
        <Choice
          label={strings.access}
          help={strings.accessHelp}
          value={access.isAll ? 'all' : 'click'}
          choices={[
            ['click', strings.accessClick],
            ['all', strings.accessAll],
          ]}
          onChange={(value) => access.choose(value === 'all')}
        />
        {access.isAll &&
          choiceOf(
            'everywhere',
            <Choice
              label={strings.everywhere}
              help={strings.sitesHelp}
              value={settings.everywhere}
              choices={SITE_MODES.map((mode) => [mode, modes[mode]])}
              onChange={(mode) => void change({ everywhere: mode as SiteMode })}
            />,
          )}
        {choiceOf(
          'pushToTalkKey',
          <Choice
            label={strings.key}
            help={strings.keyHelp}
            value={settings.pushToTalkKey}
            choices={[...KEYS.map((key) => [key, key] as const), ['', strings.noKey]]}
            onChange={(pushToTalkKey) => void change({ pushToTalkKey })}
          />,
        )}
      </Group>
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
        {choiceOf(
          'words',
          <TextArea
            label={strings.words}
            help={strings.wordsHelp}
            value={settings.words}
            onChange={(words) => void change({ words })}
          />,
        )}
        {choiceOf(
          'fixSpelling',
          <Check
            label={strings.fixSpelling}
            isOn={settings.fixSpelling}
            onChange={(fixSpelling) => void change({ fixSpelling })}
          />,
        )}
        {choiceOf(
          'removePii',
          <Check
            label={strings.removePii}
            isOn={settings.removePii}
            onChange={(removePii) => void change({ removePii })}
          />,
        )}
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

/** The sites that the extension is let into: all, or the page in front at a press. */
function useAccess() {
  const [isAll, setIsAll] = useState(false);
  const refresh = (): void => void chrome.permissions.contains(ALL_SITES).then(setIsAll);
  useEffect(refresh, []);
  return {
    isAll,
    /** In the task of the press, since Chrome asks the person. */
    choose(wantsAll: boolean): void {
      const { request, remove } = chrome.permissions;
      void (wantsAll ? request(ALL_SITES) : remove(ALL_SITES)).catch(() => false).then(refresh);
    },
  };
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
  const [found, setFound] = useState<ServerState | 'trying' | 'wrong' | 'refused' | null>(null);
  // The server as it is when the options are opened, so that nobody has to press for it.
  const first = useRef(settings);
  useEffect(() => {
    tryServer(first.current).then(setFound, () => setFound('wrong'));
  }, []);
  const status = <p role="status">{found && serverText(found)}</p>;
  const pairing = isFound(found) && found.kind === 'unpaired' && (
    <PairingForm
      settings={settings}
      onPaired={() => {
        void tryServer(settings).then(setFound);
        // Recordings made before the pairing wait for it: send them now.
        createDistantDictation({ onCutOff: () => {} }).retry(null);
      }}
    />
  );
  if (isManaged)
    return (
      <Group title={strings.server}>
        <p>{settings.serverUrl}</p>
        <p className="option-help">{strings.managed}</p>
        {status}
        {pairing}
      </Group>
    );
  const save = async (): Promise<void> => {
    if (!isUsable(serverUrl)) return setFound('wrong');
    setFound('trying');
    const chosen = { serverUrl: serverUrl.trim(), token: token.trim() };
    await change(chosen);
    const state = await tryServer({ ...settings, ...chosen });
    if (state.kind !== 'refuses') return setFound(state);
    // A server that is not ours lets no other origin in: Chrome does, when the person allows it.
    const origins = [`${new URL(serverUrl).origin}/*`];
    const isAllowed = await chrome.permissions.request({ origins }).catch(() => false);
    setFound(isAllowed ? await tryServer({ ...settings, ...chosen }) : 'refused');
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
        {status}
      </form>
      {pairing}
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

/** A server, as far as it takes us. */
type ServerState =
  | { readonly kind: 'ready'; readonly languages: readonly string[] }
  /** It answers, and says nothing of itself: it has only the endpoint. */
  | { readonly kind: 'untold' }
  | { readonly kind: 'token' }
  /** Ours, on this machine: it takes us when it has been told a code. */
  | { readonly kind: 'unpaired' }
  | { readonly kind: 'refuses' }
  | { readonly kind: 'silent' };

function isFound(state: ServerState | string | null): state is ServerState {
  return typeof state === 'object' && state !== null;
}

function serverText(state: ServerState | 'trying' | 'wrong' | 'refused'): string {
  if (!isFound(state)) {
    const { trying, addressWrong: wrong, addressRefused: refused } = strings;
    return { trying, wrong, refused }[state];
  }
  switch (state.kind) {
    case 'ready': {
      const names = state.languages.map((code) => languageName(interfaceLanguage(), code));
      return strings.serverReady(new Intl.ListFormat(interfaceLanguage()).format(names));
    }
    case 'untold':
      return strings.serverUntold;
    case 'token':
      return strings.serverWantsToken;
    case 'unpaired':
      return strings.pairing;
    case 'refuses':
      return strings.serverRefuses(chrome.runtime.id ?? '');
    case 'silent':
      return strings.serverSilent;
  }
}

/** Asks a server what it would say to a recording; one that has only the endpoint answers somehow. */
async function tryServer(settings: ExtensionSettings): Promise<ServerState> {
  const { transcriptionUrl = '' } = setupOf(settings);
  const headers = headersOf(settings);
  const health = new URL('../../api/health', transcriptionUrl);
  const signal = AbortSignal.timeout(HEALTH_WITHIN_MS);
  try {
    const response = await fetch(health, { headers, cache: 'no-store', signal });
    const state = readHealth({
      status: response.status,
      body: await response.json().catch(() => null),
    });
    if (state.kind !== 'ready') return { kind: 'untold' };
    // Health is for everybody who can read it; without a recording in it nothing is written down.
    const { status } = await fetch(transcriptionUrl, {
      ...{ method: 'POST', headers, body: new FormData(), signal },
    });
    if (status === 401) return { kind: 'token' };
    if (status !== 403) return { kind: 'ready', languages: state.languages };
    return { kind: (await sayCode(settings, '')) ? 'unpaired' : 'refuses' };
  } catch {
    if (await sayCode(settings, '')) return { kind: 'unpaired' };
    // A server that is there and does not let us read is told apart by asking for nothing to read.
    const isThere = await fetch(health, { mode: 'no-cors', cache: 'no-store' }).then(
      () => true,
      () => false,
    );
    return { kind: isThere ? 'refuses' : 'silent' };
  }
}

type PairingAnswer = { readonly isPaired: boolean; readonly triesLeft: number };

/** Says the code to a server; null where it cannot be paired with. */
async function sayCode(settings: ExtensionSettings, code: string): Promise<PairingAnswer | null> {
  const { transcriptionUrl = '' } = setupOf(settings);
  const body = new URLSearchParams({ code });
  const signal = AbortSignal.timeout(HEALTH_WITHIN_MS);
  const answer = await fetch(new URL('../pair', transcriptionUrl), { method: 'POST', body, signal })
    .then((response) => (response.ok ? response.json() : null))
    .catch(() => null);
  return typeof answer?.isPaired === 'boolean' ? answer : null;
}

type PairingFormProps = {
  readonly settings: ExtensionSettings;
  readonly onPaired: () => void;
};

/** The six digits that the server's own page shows. */
function PairingForm({ settings, onPaired }: PairingFormProps) {
  const id = useId();
  const [code, setCode] = useState('');
  const [said, setSaid] = useState('');
  const pair = async (): Promise<void> => {
    const answer = await sayCode(settings, code);
    if (answer?.isPaired) return onPaired();
    const { triesLeft = 0 } = answer ?? {};
    setSaid(triesLeft > 0 ? strings.pairingWrong(triesLeft) : strings.pairingOver);
  };
  const { transcriptionUrl = '' } = setupOf(settings);
  return (
    <form
      className="pairing"
      onSubmit={(event) => {
        event.preventDefault();
        void pair();
      }}
    >
      <a
        className="tool is-outlined"
        href={new URL('../../pair', transcriptionUrl).href}
        target="_blank"
        rel="noreferrer"
      >
        <ExternalLink aria-hidden />
        <span>{strings.pairingPage}</span>
      </a>
      <label className="option-text">
        <span>{strings.pairingCode}</span>
        <input
          className="pairing-code"
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="\s*\d{3}\s*\d{3}\s*"
          required
          maxLength={10}
          value={code}
          aria-describedby={id}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
      </label>
      <button type="submit" className="tool is-primary">
        {strings.pair}
      </button>
      <p id={id} role="status">
        {said}
      </p>
    </form>
  );
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

/** A pause in typing of this length passes the text on, so that a closed page has kept it. */
const TYPED_MS = 500;

/** Calls `onChange` when the typing rests or the focus leaves: half a word must not be applied. */
function TextArea({ label, help, value, onChange }: FieldProps) {
  const id = useId();
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  return (
    <div className="option">
      <label className="option-text">
        <span>{label}</span>
        <textarea
          defaultValue={value}
          rows={5}
          aria-describedby={id}
          onChange={({ currentTarget }) => {
            clearTimeout(resting.current);
            resting.current = setTimeout(() => onChange(currentTarget.value), TYPED_MS);
          }}
          onBlur={({ currentTarget }) => {
            clearTimeout(resting.current);
            onChange(currentTarget.value);
          }}
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
