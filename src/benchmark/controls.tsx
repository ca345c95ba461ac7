import type { ReactNode } from 'react';

type FileButtonProps = {
  readonly label: string;
  /** As for `<input type="file">`. */
  readonly accept: string;
  readonly isMultiple?: boolean;
  /** Called with at least one file. */
  readonly onChoose: (files: readonly File[]) => void;
};

/**
 * Chooses files; a label over a hidden input, since the browser's own button speaks its own
 * language.
 */
export function FileButton({ label, accept, isMultiple = false, onChoose }: FileButtonProps) {
  return (
    <label className="button">
      <span>{label}</span>
      <input
        className="visually-hidden"
        type="file"
        accept={accept}
        multiple={isMultiple}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          // The same file chosen again is a change, too.
          target.value = '';
          if (files.length > 0) onChoose(files);
        }}
      />
    </label>
  );
}

/** Something to scroll must be reached by the keyboard; not all browsers see to that themselves. */
const REACHABLE = { role: 'region', tabIndex: 0 } as const;

type ScrollBoxProps = { readonly label: string; readonly children: ReactNode };

/** Holds what may be wider than the screen, and scrolls sideways by itself. */
export function ScrollBox({ label, children }: ScrollBoxProps) {
  return (
    <div className="scroll-box" {...REACHABLE} {...{ 'aria-label': label }}>
      {children}
    </div>
  );
}
