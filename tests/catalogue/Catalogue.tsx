import {
  type ReactNode,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import type { MicrophoneList } from '../../src/capture/microphone-list.ts';
import { INITIAL_SNAPSHOT, type ServerState } from '../../src/core/session/snapshot.ts';
import { AppBar, type AppBarProps } from '../../src/page/app/app.tsx';
import { appStringsIn } from '../../src/page/app/app-strings-en.ts';
import { KeepingNotice } from '../../src/page/later-parts.tsx';
import { Diagnostics } from '../../src/page/OptionsDialog.tsx';
import { OptionsPanel } from '../../src/page/OptionsPanel.tsx';
import { createSettingsStore } from '../../src/page/settings.ts';
import { Credit } from '../../src/page/swedish/models.tsx';
import { SwedishView } from '../../src/page/swedish/SwedishPanel.tsx';
import { SWEDISH_PANEL_SV } from '../../src/page/swedish/swedish-strings-sv.ts';
import {
  createToolsHost,
  DictationsButton,
  fetchListStyles,
} from '../../src/widget/AttachedField.tsx';
import { DictationField } from '../../src/widget/DictationField.tsx';
import { DictationList } from '../../src/widget/DictationList.tsx';
import { LiveWords } from '../../src/widget/LiveWords.tsx';
import { Notices } from '../../src/widget/Notices.tsx';
import { RecordingBar } from '../../src/widget/RecordingBar.tsx';
import { createStillDictation } from '../../src/widget/still-dictation.ts';
import { CopyButton, DictateButton } from '../../src/widget/tools.tsx';
import { takeOwnership } from '../../src/widget/use-field-dictation.ts';
import {
  CATALOGUE_ALARMS,
  CATALOGUE_BIN,
  CATALOGUE_KEPT,
  CATALOGUE_LEDGER,
  CATALOGUE_LIVE,
  CATALOGUE_MODEL,
  CATALOGUE_MODELS,
  CATALOGUE_NOTICES,
  CATALOGUE_QUEUE,
  CATALOGUE_RECORDINGS,
  CATALOGUE_STATES,
  CATALOGUE_TEXTS,
  CATALOGUE_UNHEARD,
  type CatalogueState,
  madeRecordings,
  manyRecordings,
} from './states.ts';
import { CATALOGUE_STYLES } from './styles.ts';

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
    microphoneHeard: () => {},
    requestPermission: async () => true,
    hasTabSound: true,
  };
})();

const CATALOGUE_SERVER: ServerState = {
  kind: 'ready',
  engine: 'one',
  model: 'one',
  languages: ['sv', 'en'],
  engines: [],
};

const AT_REST: Omit<AppBarProps, 'strings'> = {
  missing: null,
  waiting: 0,
  isOffered: false,
  isOutdated: false,
  isAtWork: false,
  onReload: () => {},
};

const CATALOGUE_APP: readonly Partial<AppBarProps>[] = [
  { missing: 'network' },
  { missing: 'network', waiting: 2 },
  { missing: 'server' },
  { missing: 'server', waiting: 1 },
  { isOffered: true },
  { isOffered: true, isAtWork: true },
  { isOutdated: true },
  { isOutdated: true, isAtWork: true },
];

const refuse = async (): Promise<boolean> => false;

/** Every component in every state, for those who build it. Not a part of the product. */
export function Catalogue() {
  const [settings] = useState(() => {
    const store = createSettingsStore(null);
    store.change({ interfaceLanguage: 'sv' });
    return store;
  });
  const [troubled] = useState(() =>
    createStillDictation({ notices: CATALOGUE_NOTICES, ledger: CATALOGUE_LEDGER }),
  );
  const [alarming] = useState(() =>
    createStillDictation({
      session: { ...INITIAL_SNAPSHOT.session, ...CATALOGUE_UNHEARD },
      notices: CATALOGUE_ALARMS,
    }),
  );
  const [waiting] = useState(() =>
    createStillDictation({
      queue: CATALOGUE_QUEUE,
      kept: CATALOGUE_KEPT,
      recordings: manyRecordings(3),
    }),
  );
  const [recent] = useState(() =>
    createStillDictation(
      { recordings: CATALOGUE_RECORDINGS, server: CATALOGUE_SERVER },
      CATALOGUE_TEXTS,
    ),
  );
  const [binned] = useState(() => createStillDictation({ recordings: CATALOGUE_BIN }));
  const [many] = useState(() => createStillDictation({ recordings: manyRecordings(300) }));
  const [none] = useState(() => createStillDictation({ recordings: madeRecordings([]) }));
  const [refused] = useState(() =>
    createStillDictation({
      recordings: { ...madeRecordings([]), error: { code: 'storage-failed', message: '' } },
    }),
  );
  return (
    <main className="page">
      <style>{CATALOGUE_STYLES}</style>
      <h1>Tillstånd</h1>
      <Section name="states" title="Inspelning">
        {CATALOGUE_STATES.map((state) => (
          <StateCard key={state.name} state={state} />
        ))}
      </Section>
      <Section name="fields" title="Fält">
        <Fields />
      </Section>
      <Section name="notices" title="Meddelanden">
        <Notices dictation={troubled} />
      </Section>
      <Section name="waiting" title="Dikteringar, väntande">
        <DictationList dictation={waiting} insert={refuse} copy={refuse} folds />
      </Section>
      <Section name="attached" title="I någon annans fält">
        <Attached />
      </Section>
      <Section name="options" title="Alternativ">
        <OptionsPanel dictation={recent} settings={settings} microphones={MICROPHONES} />
      </Section>
      <Section name="diagnostics" title="Diagnostik">
        <Diagnostics dictation={troubled} copy={refuse} language="sv" />
      </Section>
      <Section name="alarms" title="Larm">
        <div className="sheet">
          <div className="catalogue-tools">
            <DictateButton phase="recording" onStart={() => {}} onStop={() => {}} />
          </div>
          <RecordingBar dictation={alarming} />
        </div>
        <Notices dictation={alarming} />
      </Section>
      <Section name="recent" title="Dikteringar">
        <DictationList dictation={recent} insert={refuse} copy={refuse} />
      </Section>
      <Section name="recent-bin" title="Dikteringar, borttagna">
        <DictationList dictation={binned} insert={refuse} copy={refuse} />
      </Section>
      <Section name="recent-many" title="Dikteringar, många">
        <DictationList dictation={many} insert={refuse} copy={refuse} />
      </Section>
      <Section name="recent-empty" title="Dikteringar, inga">
        <KeepingNotice dictation={none} settings={settings} keepRecordings={24} />
        <DictationList dictation={none} insert={refuse} copy={refuse} />
        <DictationList dictation={none} insert={refuse} copy={refuse} folds />
        <DictationList dictation={refused} insert={refuse} copy={refuse} />
      </Section>
      <Section name="app" title="Som app">
        {CATALOGUE_APP.map((state) => (
          <AppBar
            key={JSON.stringify(state)}
            strings={appStringsIn('sv')}
            {...AT_REST}
            {...state}
          />
        ))}
      </Section>
      <Section name="live" title="Orden medan man talar">
        {CATALOGUE_LIVE.map(({ name, live, dir }) => (
          <LiveCard key={name} live={live} dir={dir} />
        ))}
      </Section>
      <Section name="swedish" title="Svenska som saknas">
        {CATALOGUE_MODELS.map((model) => (
          <SwedishView
            key={`${model.state} ${model.fault}`}
            model={model}
            mayFetch
            isAway={model.state === 'converting'}
            hasFailed={false}
            strings={SWEDISH_PANEL_SV}
            onAct={() => {}}
            onClose={() => {}}
          />
        ))}
        <Credit model={CATALOGUE_MODEL} strings={SWEDISH_PANEL_SV} />
      </Section>
    </main>
  );
}

/** A part of the page, to be found and pictured by its name. */
function Section(props: {
  readonly name: string;
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <section className="page-main" data-part={props.name}>
      <h2>{props.title}</h2>
      {props.children}
    </section>
  );
}

/** Longer than any picture takes: none shows the offer that comes after a wait. */
const AN_HOUR_MS = 3_600_000;

/** The button and the bar as they are in one state; the ribbon shows a spoken word. */
function StateCard({ state: { name, session, isLong } }: { readonly state: CatalogueState }) {
  const [dictation] = useState(() =>
    createStillDictation({ session: { ...INITIAL_SNAPSHOT.session, ...session } }),
  );
  const { phase } = dictation.getSnapshot().session;
  // The ribbon is there when all else has been drawn, and shows what comes from then on.
  const hasRibbon = useDeferredValue(true, false);

  useEffect(() => {
    if (!hasRibbon || phase === 'idle' || phase === 'starting') return;
    for (let frame = 1; frame <= 24; frame += 1) {
      const isSpeaking = session.isSpeaking === true && frame > 8;
      const levelDbfs = isSpeaking ? -22 - 12 * Math.abs(Math.sin(frame)) : -56;
      dictation.setSession({ processedFrames: frame, levelDbfs, isSpeaking });
    }
  }, [dictation, phase, session, hasRibbon]);

  return (
    <section aria-label={name} data-state={name}>
      <h3>{name}</h3>
      <div className="sheet">
        <div className="catalogue-tools">
          <DictateButton phase={phase} onStart={() => {}} onStop={() => {}} />
        </div>
        {phase !== 'idle' && (
          <RecordingBar dictation={dictation} offeredAfterMs={isLong ? 0 : AN_HOUR_MS} />
        )}
      </div>
    </section>
  );
}

/** The live words, as an embedder may show them. */
function LiveCard({ live, dir }: Omit<(typeof CATALOGUE_LIVE)[number], 'name'>) {
  const [dictation] = useState(() =>
    createStillDictation({
      session: { ...INITIAL_SNAPSHOT.session, phase: 'recording', isRecording: true, live },
    }),
  );
  return (
    <div className="sheet" dir={dir}>
      <LiveWords dictation={dictation} />
    </div>
  );
}

/** The tools in another page's shadow tree, drawn here in the flow of the text. */
function Attached() {
  const [host] = useState(() => createToolsHost(document.createElement('textarea')));
  const [dictation] = useState(() =>
    createStillDictation({
      queue: CATALOGUE_QUEUE,
      notices: CATALOGUE_NOTICES.slice(0, 1),
      recordings: manyRecordings(3),
    }),
  );
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.append(host.element), [host]);
  useEffect(() => void fetchListStyles(), []);
  return (
    <div ref={place}>
      {createPortal(
        <>
          <div className="toolbar" role="toolbar" aria-label="Diktering">
            <DictateButton phase="idle" onStart={() => {}} onStop={() => {}} />
            <CopyButton copy={refuse} />
            <DictationsButton dictation={dictation} isOpen onPress={() => {}} />
          </div>
          <div
            className="attached-status"
            style={{ position: 'static', margin: '1rem 0', width: 'auto' }}
          >
            <Notices dictation={dictation} />
            <div className="attached-waiting">
              <DictationsButton
                dictation={dictation}
                isOpen={false}
                isForWaiting
                onPress={() => {}}
              />
            </div>
            <div className="dictation-panel" role="dialog" aria-label="Dikteringar">
              <DictationList
                dictation={dictation}
                insert={refuse}
                copy={refuse}
                onClose={() => {}}
              />
            </div>
          </div>
        </>,
        host.inside,
      )}
    </div>
  );
}

function Fields() {
  const [dictation] = useState(() => createStillDictation());
  useEffect(() => takeOwnership(dictation, {}), [dictation]);
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
