import { Component, type ReactNode } from 'react';

/** Long enough for whoever changes the page to be done with it. */
const AGAIN_AFTER_MS = 1_000;

/**
 * Takes away what is in it when it can't be drawn, and draws it anew a second later; what stands
 * beside it stays. React fails where others have moved nodes that it made.
 */
export class Boundary extends Component<{ readonly children: ReactNode }> {
  override state = { isOut: false };
  #timer: ReturnType<typeof setTimeout> | undefined;

  static getDerivedStateFromError() {
    return { isOut: true };
  }

  override componentDidCatch() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.setState({ isOut: false }), AGAIN_AFTER_MS);
  }

  override componentWillUnmount() {
    clearTimeout(this.#timer);
  }

  override render() {
    return !this.state.isOut && this.props.children;
  }
}
