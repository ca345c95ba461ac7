import type { ReactNode } from 'react';

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
