import { ChevronDown, Mic } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { MicrophoneList } from '../capture/microphone-list.ts';
import { createDeferred } from '../core/async.ts';
import type { Dictation } from '../core/contracts/dictation.ts';
import { isPreferredMicrophone } from '../core/session/microphone-choice.ts';
import type { MicrophoneDevice } from '../core/session/snapshot.ts';
import { spokenLanguage } from '../core/session/spoken-language.ts';
import { VAD_PRESETS, type VadPreset } from '../core/speech/vad-options.ts';
import { BinLine, RemoveAllButton } from '../widget/Bin.tsx';
import { languageChoices, useListStrings } from '../widget/dictation-words.ts';
import { fetchedLater } from '../widget/fetched-later.tsx';
import { Choice } from '../widget/fields.tsx';
import { useSnapshot } from '../widget/hooks.ts';
import { INTERFACE_LANGUAGES, type InterfaceLanguage } from '../widget/options.ts';
import { useLaterStrings } from './later-strings-en.ts';
import type { LaterStrings } from './later-strings-sv.ts';
import { likelyLanguages, useServer } from './server.ts';
import {
  chosenDeviceId,
  KEEP_HOURS,
  PUSH_TO_TALK_KEYS,
  type Settings,
  type SettingsStore,
} from './settings.ts';
import { useIsSwedishOffered } from './swedish/models.tsx';
import { Switch } from './words/parts.tsx';

export type OptionsPanelProps = {
  readonly dictation: Dictation;
  readonly settings: SettingsStore;
  readonly microphones: MicrophoneList;
};

/** Engines with one speed, by the names that the server gives them. */
const ONE_SPEED: readonly string[] = ['moonshine', 'transformers', 'transducer'];

/** The options, remembered by the page. Options that the server's engine lacks are not offered. */
export function OptionsPanel({ dictation, settings: store, microphones }: OptionsPanelProps) {
  const strings = useLaterStrings().options;
  const settings = useSyncExternalStore(store.subscribe, store.getSettings);
  const server = useServer(dictation);
  const languages = server.kind === 'ready' ? server.languages : [];
  /** The server does not have it, perhaps, but this page can have it fetched. */
  const isSwedishOffered = useIsSwedishOffered();
  const { change } = store;
  const isFree = server.kind === 'ready' && server.freePieces === true;
  const isLive = settings.live === 'auto' ? isFree : settings.live;
  const hasSpeeds = server.kind !== 'ready' || !ONE_SPEED.includes(server.engine);
  return (
    <div className="options-groups">
      <Group title={strings.languageTitle}>
        <LanguageChoice
          settings={settings}
          change={change}
          languages={isSwedishOffered ? [...languages, 'sv'] : languages}
          automatic={
            spokenLanguage({ language: '', likelyLanguages: likelyLanguages() }, server)?.language
          }
        />
        <Choice
          label={strings.interfaceLanguage}
          value={settings.interfaceLanguage}
          choices={Object.entries(INTERFACE_LANGUAGES)}
          onChange={(code) => change({ interfaceLanguage: code as InterfaceLanguage })}
        />
      </Group>
      <Group title={strings.microphone}>
        <MicrophoneChoice settings={settings} change={change} microphones={microphones} />
        <MicrophoneTest
          dictation={dictation}
          deviceId={chosenDeviceId(settings, microphones.getState().devices)}
        />
        <Choice
          label={strings.preset}
          value={settings.preset}
          choices={keysOf(VAD_PRESETS).map((preset) => [preset, strings.presets[preset]])}
          onChange={(preset) => change({ preset: preset as VadPreset })}
        />
        {microphones.hasTabSound && (
          <Switch
            label={strings.tabSound}
            help={strings.tabSoundHelp}
            isOn={settings.tabSound}
            onChange={(tabSound) => change({ tabSound })}
          />
        )}
      </Group>
      <Group title={strings.textTitle}>
        <Switch
          label={strings.live}
          help={strings.liveHelp}
          isOn={isLive}
          onChange={(live) => change({ live })}
        />
        {isLive && (
          <Switch
            label={strings.insertsAtPause}
            isOn={settings.insertsAtPause}
            onChange={(insertsAtPause) => change({ insertsAtPause })}
          />
        )}
        <Switch
          label={strings.smartSpacing}
          isOn={settings.spacing === 'smart'}
          onChange={(isSmart) => change({ spacing: isSmart ? 'smart' : 'spec' })}
        />
        <Switch
          label={strings.fixSpelling}
          isOn={settings.fixSpelling}
          onChange={(fixSpelling) => change({ fixSpelling })}
        />
        <Switch
          label={strings.removePii}
          isOn={settings.removePii}
          onChange={(removePii) => change({ removePii })}
        />
        <Switch
          label={strings.marksUnsure}
          help={strings.marksUnsureHelp}
          isOn={settings.marksUnsure}
          onChange={(marksUnsure) => change({ marksUnsure })}
        />
        {hasSpeeds && (
          <Switch label={strings.fast} isOn={settings.fast} onChange={(fast) => change({ fast })} />
        )}
      </Group>
      <WordsPart language={settings.interfaceLanguage} />
      <KeepingOptions
        dictation={dictation}
        keepRecordings={settings.keepRecordings}
        change={change}
      />
      <Group title={strings.keysTitle}>
        <Choice
          label={strings.pushToTalkKey}
          help={strings.pushToTalkKeyHelp}
          value={settings.pushToTalkKey}
          choices={[...PUSH_TO_TALK_KEYS.map((key) => [key, key] as const), ['', strings.noKey]]}
          onChange={(pushToTalkKey) => change({ pushToTalkKey })}
        />
      </Group>
    </div>
  );
}

type LanguageChoiceProps = {
  readonly settings: Settings;
  readonly change: SettingsStore['change'];
  readonly languages: readonly string[];
  /** The language spoken where none is chosen, if it is known. */
  readonly automatic: string | undefined;
};

function LanguageChoice({ settings, change, languages, automatic }: LanguageChoiceProps) {
  const strings = useLaterStrings().options;
  const listStrings = useListStrings();
  return (
    <Choice
      label={strings.language}
      value={settings.language}
      choices={languageChoices(languages, settings.language, listStrings, automatic)}
      onChange={(language) => change({ language })}
    />
  );
}

function keysOf<T extends object>(record: T): (keyof T)[] {
  return Object.keys(record) as (keyof T)[];
}

type MicrophoneChoiceProps = {
  readonly settings: Settings;
  readonly change: SettingsStore['change'];
  readonly microphones: MicrophoneList;
};

/** The microphones by name, or how to let the page know their names. */
function MicrophoneChoice({ settings, change, microphones }: MicrophoneChoiceProps) {
  const strings = useLaterStrings().options;
  const { devices, permission } = useSyncExternalStore(microphones.subscribe, microphones.getState);
  if (permission === 'denied') {
    return (
      <p className="option option-help" data-permission="denied">
        {`${strings.denied} ${strings.deniedHelp[browserFamily(navigator.userAgent)]}`}
      </p>
    );
  }
  const named = devices.filter(({ label }) => label !== '');
  if (named.length === 0) {
    return devices.length === 0 ? (
      <p className="option option-help">{strings.noMicrophone}</p>
    ) : (
      <div className="option">
        <button
          type="button"
          className="tool is-outlined"
          onClick={() => void microphones.requestPermission()}
        >
          {strings.allow}
        </button>
        <p className="option-help">{strings.allowWhy}</p>
      </div>
    );
  }
  const chosen = chosenDeviceId(settings, named);
  return (
    <Choice
      label={strings.microphone}
      value={chosen ?? (settings.deviceId === '' ? '' : MISSING)}
      choices={[
        ['', strings.automatic],
        ...named.map((device) => [device.deviceId, nameOf(device, strings)] as const),
        ...(settings.deviceId !== '' && chosen === null
          ? [[MISSING, strings.missing(settings.deviceLabel)] as const]
          : []),
      ]}
      onChange={(deviceId) => {
        if (deviceId === MISSING) return;
        const device = named.find((each) => each.deviceId === deviceId);
        change({ deviceId, deviceLabel: device?.label ?? '' });
      }}
    />
  );
}

/** Stands in the menu for a microphone that was chosen and is not connected. */
const MISSING = 'missing';

function nameOf(device: MicrophoneDevice, strings: LaterStrings['options']): string {
  return isPreferredMicrophone(device) ? strings.recommended(device.label) : device.label;
}

type MicrophoneTestProps = {
  readonly dictation: Dictation;
  /** The microphone that would be used; null for the one that the browser chooses. */
  readonly deviceId: string | null;
};

/** Shows that a microphone hears, without recording anything. Off while something is recorded. */
function MicrophoneTest({ dictation, deviceId }: MicrophoneTestProps) {
  const strings = useLaterStrings().options;
  const [isOn, setIsOn] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  const isBusy = useSnapshot(dictation, ({ session }) => session.isRecording);
  const meter = useRef<HTMLMeterElement>(null);
  const isListening = isOn && !isBusy;

  useEffect(() => {
    if (!isListening) return;
    const test = listen(deviceId, (level) => {
      if (meter.current) meter.current.value = level;
    });
    test.failed.then(() => {
      setIsOn(false);
      setHasFailed(true);
    });
    return test.end;
  }, [isListening, deviceId]);

  return (
    <div className="option microphone-test">
      <button
        type="button"
        className="tool is-outlined"
        aria-pressed={isListening}
        aria-disabled={isBusy}
        onClick={() => {
          setHasFailed(false);
          if (!isBusy) setIsOn(!isOn);
        }}
      >
        <Mic aria-hidden />
        <span>{strings.test}</span>
      </button>
      <meter ref={meter} min={0} max={1} value={0} aria-label={strings.level} />
      <p className="option-help" role="status">
        {hasFailed ? strings.testFailed : isListening ? strings.testHelp : ''}
      </p>
    </div>
  );
}

/** Below this nothing is seen, above the other it is full: dB of a sine at full strength. */
const QUIETEST_DB = -60;
const LOUDEST_DB = -10;

/** Opens a microphone and tells its level, 0 to 1, with each frame that is drawn. */
function listen(deviceId: string | null, tell: (level: number) => void) {
  const ending = new AbortController();
  const failed = createDeferred<void>();
  const run = async (): Promise<void> => {
    const audio = deviceId === null ? true : { deviceId };
    const stream = await navigator.mediaDevices.getUserMedia({ audio });
    const context = new AudioContext();
    const close = (): void => {
      for (const track of stream.getTracks()) track.stop();
      void context.close();
    };
    if (ending.signal.aborted) return close();
    ending.signal.addEventListener('abort', close);
    const analyser = context.createAnalyser();
    context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    const draw = (): void => {
      if (ending.signal.aborted) return;
      analyser.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      const db = 10 * Math.log10(2 * power + Number.MIN_VALUE);
      tell(Math.min(1, Math.max(0, (db - QUIETEST_DB) / (LOUDEST_DB - QUIETEST_DB))));
      requestAnimationFrame(draw);
    };
    draw();
  };
  run().catch(() => failed.resolve());
  return {
    failed: failed.promise,
    end() {
      ending.abort();
      tell(0);
    },
  };
}

type KeepingOptionsProps = {
  readonly dictation: Dictation;
  readonly keepRecordings: number;
  readonly change: SettingsStore['change'];
};

/** Retention time, place and size of the recordings; and a button that deletes all. */
function KeepingOptions({ dictation, keepRecordings, change }: KeepingOptionsProps) {
  const { keeping: strings } = useLaterStrings();
  const listStrings = useListStrings();
  const { list, usedBytes } = useSnapshot(dictation, ({ recordings }) => recordings);
  const [wasRemoved, setWasRemoved] = useState(false);
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const focusId = useRef<string | null>(null);
  const binned = list.filter(({ state }) => state.kind === 'in-bin').map(({ id }) => id);
  return (
    <Group title={strings.title}>
      <Choice
        label={strings.keep}
        help={strings.where}
        value={String(keepRecordings)}
        choices={KEEP_HOURS.map((hours) => [String(hours), strings.times[hours]])}
        onChange={(hours) => change({ keepRecordings: Number(hours) })}
      />
      <div className="option keeping-now">
        <p ref={setPlace} tabIndex={-1}>
          {strings.now(list.length - binned.length, listStrings.size(usedBytes))}
        </p>
        <RemoveAllButton
          dictation={dictation}
          onRemove={(ids) => {
            focusId.current = ids[0] ?? null;
            setWasRemoved(true);
          }}
        />
        {wasRemoved && binned.length > 0 && (
          <BinLine dictation={dictation} ids={binned} focusId={focusId} fallback={place} />
        )}
      </div>
    </Group>
  );
}

/** Options that belong together. */
export function Group({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <fieldset className="options-group">
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}

/** Browsers that keep their permissions in different places. */
type BrowserFamily = 'chromium' | 'firefox' | 'safari';

/**
 * Which words about permissions fit; for nothing else, since a user agent's name proves nothing.
 */
export function browserFamily(userAgent: string): BrowserFamily {
  if (/Firefox|FxiOS/.test(userAgent)) return 'firefox';
  // Chromium calls itself Safari too.
  return /Safari/.test(userAgent) && !/Chrom(e|ium)|CriOS|Edg/.test(userAgent)
    ? 'safari'
    : 'chromium';
}

const WordsLater = fetchedLater(async () => (await import('./words/WordsPanel.tsx')).WordsPanel);

/** As in the panel's own strings, which come with it. */
const WORDS_TITLES: Readonly<Record<InterfaceLanguage, string>> = {
  sv: 'Mina ord och kommandon',
  en: 'My words and commands',
};

/** Own words, snippets and commands: closed until they are wanted, and fetched only then. */
function WordsPart({ language }: { readonly language: InterfaceLanguage }) {
  const [isWanted, setIsWanted] = useState(false);
  return (
    <details
      className="disclosure words"
      onToggle={(event) => event.currentTarget.open && setIsWanted(true)}
    >
      <summary className="tool">
        <span>{WORDS_TITLES[language]}</span>
        <ChevronDown aria-hidden />
      </summary>
      {isWanted && <WordsLater language={language} />}
    </details>
  );
}
