import { type ReactNode, useId, useRef, useState, useSyncExternalStore } from 'react';
import type { MicrophoneList } from '../capture/microphone-list.ts';
import type { Dictation } from '../core/contracts/dictation.ts';
import { isPreferredMicrophone } from '../core/session/microphone-choice.ts';
import type { MicrophoneDevice } from '../core/session/snapshot.ts';
import { spokenLanguage } from '../core/session/spoken-language.ts';
import { VAD_PRESETS, type VadPreset } from '../core/speech/vad-options.ts';
import { BinLine, RemoveAllButton } from '../widget/Bin.tsx';
import { languageChoices, useListStrings } from '../widget/dictation-words.ts';
import { Choice } from '../widget/fields.tsx';
import { useSnapshot } from '../widget/hooks.ts';
import { INTERFACE_LANGUAGES, type InterfaceLanguage } from '../widget/options.ts';
import { usePageStrings } from './page-strings.ts';
import type { PageStrings } from './page-strings-sv.ts';
import { likelyLanguages, useServer } from './server.ts';
import {
  chosenDeviceId,
  KEEP_HOURS,
  PUSH_TO_TALK_KEYS,
  type Settings,
  type SettingsStore,
} from './settings.ts';
import { ModelCredits } from './swedish/models.tsx';
import { WordsPart } from './words/WordsPart.tsx';

export type OptionsPanelProps = {
  readonly dictation: Dictation;
  readonly settings: SettingsStore;
  readonly microphones: MicrophoneList;
};

/** The options, remembered by the page. */
export function OptionsPanel({ dictation, settings: store, microphones }: OptionsPanelProps) {
  const strings = usePageStrings().options;
  const settings = useSyncExternalStore(store.subscribe, store.getSettings);
  const server = useServer(dictation);
  const languages = server.kind === 'ready' ? server.languages : [];
  /** The server does not have it, perhaps, but this page can have it fetched. */
  const [isSwedishOffered, setIsSwedishOffered] = useState(false);
  const { change } = store;
  const isFree = server.kind === 'ready' && server.freePieces === true;
  const isLive = settings.live === 'auto' ? isFree === true : settings.live;
  return (
    <>
      <div className="options-groups">
        <Group title={strings.speechTitle}>
          <MicrophoneChoice settings={settings} change={change} microphones={microphones} />
          {microphones.hasTabSound ? (
            <Check
              label={strings.tabSound}
              help={strings.tabSoundHelp}
              isOn={settings.tabSound}
              onChange={(tabSound) => change({ tabSound })}
            />
          ) : (
            <p className="option-help">{strings.noTabSound}</p>
          )}
          <Choice
            label={strings.preset}
            value={settings.preset}
            choices={keysOf(VAD_PRESETS).map((preset) => [preset, strings.presets[preset]])}
            onChange={(preset) => change({ preset: preset as VadPreset })}
          />
        </Group>
        <Group title={strings.textTitle}>
          <LanguageChoice
            settings={settings}
            change={change}
            languages={isSwedishOffered ? [...languages, 'sv'] : languages}
            automatic={
              spokenLanguage({ language: '', likelyLanguages: likelyLanguages() }, server)?.language
            }
          />
          <Check
            label={strings.fixSpelling}
            isOn={settings.fixSpelling}
            onChange={(fixSpelling) => change({ fixSpelling })}
          />
          <Check
            label={strings.removePii}
            isOn={settings.removePii}
            onChange={(removePii) => change({ removePii })}
          />
          <Check label={strings.fast} isOn={settings.fast} onChange={(fast) => change({ fast })} />
          <Check
            label={strings.smartSpacing}
            isOn={settings.spacing === 'smart'}
            onChange={(isSmart) => change({ spacing: isSmart ? 'smart' : 'spec' })}
          />
          <Check
            label={strings.live}
            help={strings.liveHelp}
            isOn={isLive}
            onChange={(live) => change({ live })}
          />
          {isLive && (
            <Check
              label={strings.insertsAtPause}
              isOn={settings.insertsAtPause}
              onChange={(insertsAtPause) => change({ insertsAtPause })}
            />
          )}
        </Group>
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
          <Choice
            label={strings.interfaceLanguage}
            value={settings.interfaceLanguage}
            choices={Object.entries(INTERFACE_LANGUAGES)}
            onChange={(code) => change({ interfaceLanguage: code as InterfaceLanguage })}
          />
        </Group>
      </div>
      <WordsPart language={settings.interfaceLanguage} />
      <ModelCredits language={settings.interfaceLanguage} onOffer={setIsSwedishOffered} />
    </>
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
  const strings = usePageStrings().options;
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
  const strings = usePageStrings().options;
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

function nameOf(device: MicrophoneDevice, strings: PageStrings['options']): string {
  return isPreferredMicrophone(device) ? strings.recommended(device.label) : device.label;
}

type KeepingOptionsProps = {
  readonly dictation: Dictation;
  readonly keepRecordings: number;
  readonly change: SettingsStore['change'];
};

/** Retention time, place and size of the recordings; and a button that deletes all. */
function KeepingOptions({ dictation, keepRecordings, change }: KeepingOptionsProps) {
  const { keeping: strings } = usePageStrings();
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

type CheckProps = {
  readonly label: string;
  readonly help?: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
};

/** On or off. */
export function Check({ label, help, isOn, onChange }: CheckProps) {
  const id = useId();
  return (
    <div className="option">
      <label className="option-check">
        <input
          type="checkbox"
          checked={isOn}
          aria-describedby={help ? id : undefined}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <span>{label}</span>
      </label>
      {help && (
        <p id={id} className="option-help">
          {help}
        </p>
      )}
    </div>
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
