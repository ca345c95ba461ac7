import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { STRINGS } from './strings.ts';
import { Tooltip } from './Tooltip.tsx';

/** How long a copy is confirmed and the button disabled (spec, section 9). */
export const COPY_CONFIRMATION_MS = 2_000;

type CopyButtonProps = {
  /** Copies; false if it could not. */
  readonly copy: () => Promise<boolean>;
};

export function CopyButton({ copy }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false);

  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), COPY_CONFIRMATION_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);

  return (
    <Tooltip label={STRINGS.copy}>
      <button
        type="button"
        className="tool"
        disabled={isCopied}
        onClick={() => void copy().then(setIsCopied)}
      >
        {isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
        {STRINGS.copy}
      </button>
    </Tooltip>
  );
}
