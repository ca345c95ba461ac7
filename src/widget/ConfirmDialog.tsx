import { useEffect, useId, useRef } from 'react';

type ConfirmDialogProps = {
  readonly title: string;
  readonly warning: string;
  /** What the button says that does it. */
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
