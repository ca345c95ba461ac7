import { Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { SAMPLE_RATE_HZ } from '../../core/audio/audio-format.ts';
import type { Dictation } from '../../core/contracts/dictation.ts';
import type { StorageFacts } from '../../core/recordings/recording.ts';
import {
  LEDGER_PLACES,
  type SampleLedger,
  type Snapshot,
  samplesInPlaces,
} from '../../core/session/snapshot.ts';
import { useSnapshot } from '../../widget/hooks.ts';
import type { InterfaceLanguage } from '../../widget/options.ts';
import { appStringsIn } from './app-strings-en.ts';
import type { AppStrings } from './app-strings-sv.ts';
import { opensOffline, pageVersion } from './installed.ts';

export type DiagnosticsAccountProps = {
  readonly dictation: Dictation;
  /** Copies; false if it could not. */
  readonly copy: (text: string) => Promise<boolean>;
  readonly language: InterfaceLanguage;
};

/** The account of all recorded sound, facts about the app, and a button that copies both. */
export function DiagnosticsAccount({ dictation, copy, language }: DiagnosticsAccountProps) {
  const { account: strings, facts } = appStringsIn(language);
  const ledger = useSnapshot(dictation, (snapshot) => snapshot.ledger);
  const [told, setTold] = useState('');
  const copyReport = async (): Promise<void> => {
    const isCopied = await copy(diagnosticsReport(dictation.getSnapshot()));
    setTold(isCopied ? strings.copied : strings.notCopied);
  };
  return (
    <div className="diagnostics">
      <p>{strings.about}</p>
      <LedgerTable ledger={ledger} strings={strings} />
      <p>{isInOrder(ledger) ? strings.inOrder : strings.notInOrder}</p>
      <AppFacts dictation={dictation} strings={facts} language={language} />
      <p className="diagnostics-copy">
        <button type="button" className="tool is-outlined" onClick={() => void copyReport()}>
          <Copy aria-hidden />
          <span>{strings.copy}</span>
        </button>
        <span role="status">{told}</span>
      </p>
    </div>
  );
}

type LedgerTableProps = {
  readonly ledger: SampleLedger;
  readonly strings: AppStrings['account'];
};

function LedgerTable({ ledger, strings }: LedgerTableProps) {
  const seconds = (samples: number): string => strings.seconds(samples / SAMPLE_RATE_HZ);
  const reasons = Object.entries(ledger.lostReasons).filter(([, samples]) => samples > 0);
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{strings.place}</th>
          <th scope="col">{strings.length}</th>
        </tr>
      </thead>
      <tbody>
        {LEDGER_PLACES.map((place) => (
          <tr key={place} data-place={place}>
            <th scope="row">{strings.places[place]}</th>
            <td>{seconds(ledger[place])}</td>
          </tr>
        ))}
        {reasons.map(([reason, samples]) => (
          <tr key={reason} className="diagnostics-reason">
            <th scope="row">{strings.lostReasons[reason as keyof SampleLedger['lostReasons']]}</th>
            <td>{seconds(samples)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{strings.captured}</th>
          <td>{seconds(ledger.capturedSamples)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

function isInOrder(ledger: SampleLedger): boolean {
  return ledger.lostSamples === 0 && samplesInPlaces(ledger) === ledger.capturedSamples;
}

type AppFactsProps = {
  readonly dictation: Dictation;
  readonly strings: AppStrings['facts'];
  /** In which figures are written. */
  readonly language: InterfaceLanguage;
};

type Facts = { readonly isKept: boolean; readonly storage: StorageFacts };

/** The page's build, if it opens without a network, and the use of storage. */
function AppFacts({ dictation, strings, language }: AppFactsProps) {
  const [facts, setFacts] = useState<Facts | null>(null);
  useEffect(() => {
    let isOver = false;
    Promise.all([opensOffline(), dictation.recordings.storage()]).then(
      ([kept, storage]) => !isOver && setFacts({ isKept: kept, storage }),
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [dictation]);
  const { usedBytes = null, quotaBytes = null, isPersisted = null } = facts?.storage ?? {};
  const rows: readonly (readonly [name: string, fact: string, key: string])[] = [
    [strings.version, pageVersion() || strings.noVersion, 'version'],
    [strings.kept, strings.isKept[answer(facts?.isKept ?? null)], 'kept'],
    [
      strings.storage,
      usedBytes === null || quotaBytes === null
        ? strings.notTold
        : strings.stored(megabytes(usedBytes, language), megabytes(quotaBytes, language)),
      'storage',
    ],
    [strings.persisted, strings.isPersisted[answer(isPersisted)], 'persisted'],
  ];
  return (
    <table className="app-facts">
      <caption className="visually-hidden">{strings.title}</caption>
      <tbody>
        {rows.map(([name, fact, key]) => (
          <tr key={key} data-fact={key}>
            <th scope="row">{name}</th>
            <td>{fact}</td>
          </tr>
        ))}
        <TellingFact strings={strings} />
      </tbody>
    </table>
  );
}

/** Notifications about texts that come while the page is closed; asked for by a press alone. */
function TellingFact({ strings }: { readonly strings: AppStrings['facts'] }) {
  const [permission, setPermission] = useState(tellingPermission);
  const ask = (): void => {
    Notification.requestPermission().then(setPermission, () => setPermission('denied'));
  };
  return (
    <tr data-fact="told">
      <th scope="row">{strings.told}</th>
      <td>
        {permission === 'default' ? (
          <button type="button" className="tool is-outlined" onClick={ask}>
            {strings.tell}
          </button>
        ) : (
          <span>{strings.isTold[permission]}</span>
        )}
      </td>
    </tr>
  );
}

/** None where no browser would call the service worker of a closed page. */
function tellingPermission(): NotificationPermission | 'none' {
  return 'SyncManager' in globalThis && 'Notification' in globalThis
    ? Notification.permission
    : 'none';
}

function answer(is: boolean | null): 'yes' | 'no' | 'unknown' {
  if (is === null) return 'unknown';
  return is ? 'yes' : 'no';
}

function megabytes(bytes: number, language: string): string {
  const unit = { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(language, unit).format(bytes / 1_000_000);
}

/**
 * A report for those who mend Diktera, as JSON: no text, no audio, no names, no
 * addresses.
 */
function diagnosticsReport({ ledger, queue, kept, engine, notices }: Snapshot): string {
  const states: Record<string, number> = {};
  for (const { state } of queue.items) states[state.kind] = (states[state.kind] ?? 0) + 1;
  const report = {
    ledger,
    queue: { states, unstoredItems: queue.unstoredItems, isUnauthorised: queue.isUnauthorised },
    keptRecordings: kept.length,
    engine: engine.kind === 'ready' ? `${engine.kind} ${engine.engine}` : engine.kind,
    // An error's message may hold an address.
    notices: notices.map(({ kind, error }) => ({ kind, code: error?.code ?? null })),
  };
  return JSON.stringify(report, null, 2);
}
