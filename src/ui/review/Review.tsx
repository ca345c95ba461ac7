import { useEffect, useState } from 'react';
import type { MicrophoneList } from '../../capture/microphone-list.ts';
import { INITIAL_SNAPSHOT } from '../../core/snapshot.ts';
import { Diagnostics } from '../Diagnostics.tsx';
import { DictateButton } from '../DictateButton.tsx';
import { DictationField } from '../DictationField.tsx';
import { takeOwnership } from '../field-owner.ts';
import { Notices } from '../Notices.tsx';
import { OptionsPanel } from '../OptionsPanel.tsx';
import { RecordingBar } from '../RecordingBar.tsx';
import { createSettingsStore } from '../settings.ts';
import '../styles/tokens.css';
import '../styles/page.css';
import '../styles/controls.css';
import '../styles/field.css';
import '../styles/status.css';
import '../styles/options.css';
import { REVIEW_LEDGER, REVIEW_NOTICES, REVIEW_STATES, type ReviewState } from './states.ts';
import { createStillDictation } from './still-dictation.ts';

const MICROPHONES: MicrophoneList = (() => {
  const state = {
    permission: 'granted',
    devices: [
      { deviceId: 'one', label: 'Intern mikrofon' },
      { deviceId: 'two', label: 'Jabra SPEAK 510 USB' },
    ],
  } as const;
  return {
    getState: () => state,
    subscribe: () => () => {},
    requestPermission: async () => true,
    hasTabSound: true,
  };
})();

/** Every component in every state, for those who build it. Not a part of the product. */
export function Review() {
  const [settings] = useState(() => createSettingsStore(null));
  const [troubled] = useState(() =>
    createStillDictation({ notices: REVIEW_NOTICES, ledger: REVIEW_LEDGER }),
  );
  return (
    <main className="page">
      <h1>Tillstånd</h1>
      {REVIEW_STATES.map((state) => (
        <StateCard key={state.name} state={state} />
      ))}
      <h2>Fält</h2>
      <Fields />
      <h2>Meddelanden</h2>
      <Notices dictation={troubled} />
      <h2>Alternativ</h2>
      <OptionsPanel settings={settings} microphones={MICROPHONES} languages={['sv', 'en']} />
      <h2>Diagnostik</h2>
      <Diagnostics dictation={troubled} copy={async () => true} />
    </main>
  );
}

/** The button and the bar as they are in one state; the ribbon shows a spoken word. */
function StateCard({ state: { name, session } }: { readonly state: ReviewState }) {
  const [dictation] = useState(() =>
    createStillDictation({ session: { ...INITIAL_SNAPSHOT.session, ...session } }),
  );
  const { phase } = dictation.getSnapshot().session;

  useEffect(() => {
    if (phase === 'idle' || phase === 'starting') return;
    for (let frame = 1; frame <= 24; frame += 1) {
      const isSpeaking = session.isSpeaking === true && frame > 8;
      const levelDbfs = isSpeaking ? -22 - 12 * Math.abs(Math.sin(frame)) : -56;
      dictation.setSession({ judgedFrames: frame, levelDbfs, isSpeaking });
    }
  }, [dictation, phase, session]);

  return (
    <section aria-label={name} data-state={name}>
      <h2>{name}</h2>
      <div className="sheet">
        <DictateButton phase={phase} onStart={() => {}} onStop={() => {}} />
        {phase !== 'idle' && <RecordingBar dictation={dictation} />}
      </div>
    </section>
  );
}

function Fields() {
  const [dictation] = useState(() => createStillDictation());
  useEffect(() => takeOwnership(dictation, Symbol('nobody')), [dictation]);
  return (
    <>
      <DictationField dictation={dictation} label="Redigerbart" placeholder="Skriv eller tala" />
      <DictationField
        dictation={dictation}
        label="Textruta"
        as="textarea"
        defaultValue="Textruta"
      />
      <DictationField dictation={dictation} label="Rad" as="input" placeholder="En rad" />
      <DictationField dictation={dictation} label="Läs" readOnly defaultValue="Kan bara läsas" />
      <DictationField dictation={dictation} label="Av" disabled defaultValue="Avstängt" />
    </>
  );
}
