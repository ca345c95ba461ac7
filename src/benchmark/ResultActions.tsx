import { useEffect, useState } from 'react';
import { copyText } from '../field/copy-text.ts';
import { STRINGS } from './benchmark-strings.ts';
import type { BenchmarkReport } from './report.ts';

/** How long the button says that it is done (as for any copy, spec section 9). */
const COPIED_MS = 2_000;

/** Copies or saves a result as JSON. */
export function ResultActions({ report }: { readonly report: BenchmarkReport }) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);

  const text = JSON.stringify(report, null, 2);
  const copy = async () => {
    setIsCopied(await copyText(text, { clipboard: navigator.clipboard, log: console }));
  };
  return (
    <p className="benchmark-actions">
      <button type="button" className="button" disabled={isCopied} onClick={copy}>
        {isCopied ? STRINGS.copied : STRINGS.copy}
      </button>
      <button type="button" className="button" onClick={() => save(report, text)}>
        {STRINGS.save}
      </button>
    </p>
  );
}

function save({ date }: BenchmarkReport, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `diktera-${date.slice(0, 19).replaceAll(':', '')}.json`;
  link.click();
  // Not at once: the browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
