import {
  FloatingDelayGroup,
  FloatingPortal,
  offset,
  shift,
  useDelayGroup,
  useDismiss,
  useFloating,
  useFocus,
  useHover,
  useInteractions,
  useRole,
} from '@floating-ui/react';
import { cloneElement, type ReactElement, type ReactNode, useState } from 'react';

/** Tooltips come after this long, and at once from a neighbour left less than this ago (spec, 9). */
export const TOOLTIP_DELAY_MS = 700;
export const TOOLTIP_SKIP_DELAY_MS = 300;

/** Buttons whose tooltips know of each other. */
export function TooltipGroup({ children }: { readonly children: ReactNode }) {
  return (
    <FloatingDelayGroup
      delay={{ open: TOOLTIP_DELAY_MS, close: 0 }}
      timeoutMs={TOOLTIP_SKIP_DELAY_MS}
    >
      {children}
    </FloatingDelayGroup>
  );
}

type TooltipProps = {
  readonly label: string;
  /** One element that takes a ref and event handlers. */
  readonly children: ReactElement<Record<string, unknown>>;
};

/** Says what a button does when the pointer or the focus rests on it. */
export function Tooltip({ label, children }: TooltipProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { refs, floatingStyles, context } = useFloating({
    open: isOpen,
    onOpenChange: setIsOpen,
    placement: 'top',
    middleware: [offset(8), shift({ padding: 8 })],
  });
  const { delay } = useDelayGroup(context);
  const { getReferenceProps, getFloatingProps } = useInteractions([
    useHover(context, { delay, move: false }),
    useFocus(context),
    useDismiss(context),
    // The button has its own name: saying the same again as a description would only be noise.
    useRole(context, { role: 'tooltip', enabled: false }),
  ]);
  return (
    <>
      {cloneElement(children, { ref: refs.setReference, ...getReferenceProps(children.props) })}
      {isOpen && (
        <FloatingPortal>
          <div
            ref={refs.setFloating}
            className="tooltip"
            style={floatingStyles}
            {...getFloatingProps()}
          >
            {label}
          </div>
        </FloatingPortal>
      )}
    </>
  );
}
