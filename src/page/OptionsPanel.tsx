import { useState, useSyncExternalStore } from 'react';
import type { MicrophoneList } from '../capture/microphone-list.ts';
import type { Dictation } from '../core/contracts/dictation.ts';
import { spokenLanguage } from '../core/session/spoken-language.ts';
import { VAD_PRESETS, type VadPreset } from '../core/speech/vad-options.ts';
import { Choice } from '../widget/Choice.tsx';
import { INTERFACE_LANGUAGES, type InterfaceLanguage } from '../widget/interface-language.ts';
import { languageChoices } from '../widget/language-choices.ts';
import { useListStrings } from '../widget/list-strings.ts';
import { KeepingOptions } from './KeepingOptions.tsx';
import { MicrophoneChoice } from './MicrophoneChoice.tsx';
import { Check, Group } from './OptionFields.tsx';
import { likelyLanguages } from './page-languages.ts';
import { usePageStrings } from './page-strings.ts';
import { type Settings, type SettingsStore, TALK_KEYS } from './settings.ts';
import { ModelCredits } from './swedish/ModelCredits.tsx';
import { useServer } from './use-server.ts';

export type OptionsPanelProps = {
  readonly dictation: Dictation;
  readonly settings: SettingsStore;
  readonly microphones: MicrophoneList;
};

/** What a person may choose, remembered by the page. */
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
            label={strings.talkKey}
            help={strings.talkKeyHelp}
            value={settings.talkKey}
            choices={[...TALK_KEYS.map((key) => [key, key] as const), ['', strings.noKey]]}
            onChange={(talkKey) => change({ talkKey })}
          />
          <Choice
            label={strings.interfaceLanguage}
            value={settings.interfaceLanguage}
            choices={Object.entries(INTERFACE_LANGUAGES)}
            onChange={(code) => change({ interfaceLanguage: code as InterfaceLanguage })}
          />
        </Group>
      </div>
      <ModelCredits language={settings.interfaceLanguage} onOffer={setIsSwedishOffered} />
    </>
  );
}

type LanguageChoiceProps = {
  readonly settings: Settings;
  readonly change: SettingsStore['change'];
  readonly languages: readonly string[];
  /** What is asked for where none is chosen, if that is known. */
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
