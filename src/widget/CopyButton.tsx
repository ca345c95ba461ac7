import { Check, Copy } from 'lucide-react';
import { memo, useEffect, useState } from 'react';
import { useStrings } from './strings.ts';
import { Tooltip } from './Tooltip.tsx';

/** How long a copy is confirmed and the button disabled (spec, section 9). */
export const COPY_CONFIRMATION_MS = 2_000;

type CopyButtonProps = {
  /** Copies; false if it could not. */
  readonly copy: () => Promise<boolean>;
};

/** Copies the field's text. While it is disabled its toolbar keeps the keyboard's focus for it. */
export const CopyButton = memo(function CopyButton({ copy }: CopyButtonProps) {
  const strings = useStrings();
  const [isCopied, setIsCopied] = useState(false);

  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), COPY_CONFIRMATION_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);

  return (
    <>
      <Tooltip label={strings.copy}>
        <button
          type="button"
          className={`tool ${isCopied ? 'is-done' : ''}`}
          disabled={isCopied}
          onClick={() => void copy().then(setIsCopied)}
        >
          {isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
          <span>{strings.copy}</span>
        </button>
      </Tooltip>
      <span className="visually-hidden" role="status">
        {isCopied ? strings.copied : ''}
      </span>
    </>
  );
});
