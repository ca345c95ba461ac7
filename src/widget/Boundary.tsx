import { Component, type ReactNode } from 'react';

/** Long enough for another script to be done with its changes. */
const AGAIN_AFTER_MS = 1_000;

/**
 * Removes its content when that cannot be drawn, and draws it again a second later; its neighbours
 * stay. React fails where other scripts have moved its nodes.
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
