import { useSyncExternalStore } from 'react';
import type { MicrophoneList } from '../capture/microphone-list.ts';
import { isPreferredMicrophone } from '../core/session/microphone-choice.ts';
import type { MicrophoneDevice } from '../core/session/snapshot.ts';
import { Choice } from '../widget/Choice.tsx';
import { browserFamily } from './browser-family.ts';
import { usePageStrings } from './page-strings.ts';
import type { PageStrings } from './page-strings-sv.ts';
import { chosenDeviceId, type Settings, type SettingsStore } from './settings.ts';

type MicrophoneChoiceProps = {
  readonly settings: Settings;
  readonly change: SettingsStore['change'];
  readonly microphones: MicrophoneList;
};

/** The microphones by name, or how to let the page know their names. */
export function MicrophoneChoice({ settings, change, microphones }: MicrophoneChoiceProps) {
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
