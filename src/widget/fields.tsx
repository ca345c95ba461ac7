import { useEffect, useId, useRef } from 'react';

type ChoiceProps = {
  readonly label: string;
  readonly help?: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly onChange: (value: string) => void;
};

/** One of several, in the browser's own menu: right for a keyboard, a phone and a screen reader. */
export function Choice({ label, help, value, choices, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div className="option">
      <label className="option-choice">
        <span>{label}</span>
        <select
          value={value}
          aria-describedby={help ? id : undefined}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {choices.map(([code, name]) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {help && (
        <p id={id} className="option-help">
          {help}
        </p>
      )}
    </div>
  );
}

type ConfirmDialogProps = {
  readonly title: string;
  readonly warning: string;
  /** Label of the button that does it. */
  readonly confirm: string;
  readonly cancel: string;
  readonly onConfirm: () => void;
  /** Always called when it is over, confirmed or not. */
  readonly onClose: () => void;
};

/**
 * Asks before something is gone for good. Open while it is mounted; the safe answer has the focus.
 */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, warning, confirm, cancel, onConfirm, onClose } = props;
  const dialogRef = useRef<HTMLDialogElement>(null);
  const id = useId();

  useEffect(() => {
    const dialog = dialogRef.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);

  return (
    <dialog
      ref={dialogRef}
      className="confirm"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-warning`}
      onClose={onClose}
    >
      <h2 id={`${id}-title`}>{title}</h2>
      <p id={`${id}-warning`}>{warning}</p>
      <div className="confirm-answers">
        <button type="button" className="tool" onClick={() => dialogRef.current?.close()}>
          {cancel}
        </button>
        <button
          type="button"
          className="tool is-destructive"
          onClick={() => {
            onConfirm();
            dialogRef.current?.close();
          }}
        >
          {confirm}
        </button>
      </div>
    </dialog>
  );
}
