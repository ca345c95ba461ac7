import { ChevronDown, Copy } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { SAMPLE_RATE_HZ } from '../core/audio/audio-format.ts';
import type { Dictation } from '../core/contracts/dictation.ts';
import {
  LEDGER_PLACES,
  type SampleLedger,
  samplesInPlaces,
} from '../core/session/sample-ledger.ts';
import { diagnosticsReport } from './diagnostics-report.ts';
import { fetchApp } from './fetch-app.ts';
import './styles/diagnostics.css';
import { useSnapshot } from '../widget/use-snapshot.ts';
import { usePageStrings } from './page-strings.ts';

/** Few open this, so it comes when it is wanted. */
const AppFacts = lazy(async () => ({ default: (await fetchApp()).AppFacts }));

type DiagnosticsProps = {
  readonly dictation: Dictation;
  /** Copies; false if it could not. */
  readonly copy: (text: string) => Promise<boolean>;
};

/** Where all recorded sound is. Closed until it is wanted, and drawn only then. */
export function Diagnostics({ dictation, copy }: DiagnosticsProps) {
  const strings = usePageStrings().diagnostics;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="disclosure" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="tool">
        {strings.title}
        <ChevronDown aria-hidden />
      </summary>
      {isOpen && <Account dictation={dictation} copy={copy} />}
    </details>
  );
}

function Account({ dictation, copy }: DiagnosticsProps) {
  const strings = usePageStrings().diagnostics;
  const ledger = useSnapshot(dictation, (snapshot) => snapshot.ledger);
  const [told, setTold] = useState('');
  const copyReport = async (): Promise<void> => {
    const isCopied = await copy(diagnosticsReport(dictation.getSnapshot()));
    setTold(isCopied ? strings.copied : strings.notCopied);
  };
  return (
    <div className="diagnostics">
      <p>{strings.about}</p>
      <LedgerTable ledger={ledger} />
      <p>{isInOrder(ledger) ? strings.inOrder : strings.notInOrder}</p>
      <Suspense>
        <AppFacts dictation={dictation} language={document.documentElement.lang} />
      </Suspense>
      <p className="diagnostics-copy">
        <button type="button" className="tool is-outlined" onClick={() => void copyReport()}>
          <Copy aria-hidden /> {strings.copy}
        </button>
        <span role="status">{told}</span>
      </p>
    </div>
  );
}

function LedgerTable({ ledger }: { readonly ledger: SampleLedger }) {
  const strings = usePageStrings().diagnostics;
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
