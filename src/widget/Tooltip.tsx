import {
  FloatingDelayGroup,
  flip,
  offset,
  shift,
  useDelayGroup,
  useDismiss,
  useFloating,
  useFocus,
  useHover,
  useInteractions,
} from '@floating-ui/react';
import { cloneElement, type ReactElement, type ReactNode, useState } from 'react';
import { showOnTop } from './top-layer.ts';

/**
 * Tooltips come after this long, and at once from a neighbour left less than this ago (spec, 9).
 */
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

/**
 * Says what a button does when the pointer or the focus rests on it. Below it, away from the line
 * being written. For the eye only: the button has its own name, and the same words again as a
 * description would be noise.
 */
export function Tooltip({ label, children }: TooltipProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { refs, floatingStyles, context } = useFloating({
    open: isOpen,
    onOpenChange: setIsOpen,
    strategy: 'fixed',
    placement: 'bottom',
    middleware: [offset(8), flip({ padding: 8 }), shift({ padding: 8 })],
  });
  const { delay } = useDelayGroup(context);
  const { getReferenceProps, getFloatingProps } = useInteractions([
    useHover(context, { delay, move: false }),
    useFocus(context),
    // A button that was pressed needs no explanation; Escape is also the toolbar's.
    useDismiss(context, { referencePress: true, bubbles: true }),
  ]);
  return (
    <>
      {cloneElement(children, { ref: refs.setReference, ...getReferenceProps(children.props) })}
      {isOpen && (
        <div
          ref={(element) => {
            refs.setFloating(element);
            showOnTop(element);
          }}
          popover="manual"
          className="tooltip"
          aria-hidden
          style={floatingStyles}
          {...getFloatingProps()}
        >
          {label}
        </div>
      )}
    </>
  );
}
