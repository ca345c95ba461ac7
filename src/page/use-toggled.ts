import { type ComponentProps, useCallback } from 'react';

/**
 * Props for a `details` that have `told` called as it is opened and closed, also where somebody
 * opened what the build drew before the page came to life: no event tells that any more.
 */
export function useToggled(
  told: (isOpen: boolean) => void,
): Pick<ComponentProps<'details'>, 'ref' | 'onToggle'> {
  const ref = useCallback(
    (details: HTMLDetailsElement | null) => {
      if (details?.open) told(true);
    },
    [told],
  );
  return { ref, onToggle: (event) => told(event.currentTarget.open) };
}
