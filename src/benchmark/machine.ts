import type { Machine } from './report.ts';

/** What is known of this browser and computer. */
export function thisMachine(): Machine {
  return {
    browser: browserName(navigator.userAgent),
    cores: navigator.hardwareConcurrency,
    isIsolated: globalThis.crossOriginIsolated,
  };
}

/** Name and version out of the user agent's words; the words themselves if they are strange. */
export function browserName(userAgent: string): string {
  const known = [
    ['Edge', /Edg\/([\d.]+)/],
    ['Firefox', /Firefox\/([\d.]+)/],
    ['Chrome', /(?:Chrome|HeadlessChrome)\/([\d.]+)/],
    ['Safari', /Version\/([\d.]+).*Safari/],
  ] as const;
  for (const [name, pattern] of known) {
    const version = pattern.exec(userAgent)?.[1];
    if (version) return `${name} ${version.split('.')[0]}`;
  }
  return userAgent;
}

/**
 * The smallest step of the browser's clock, in microseconds: browsers make it coarse on purpose.
 */
export function clockTickUs(nowMs: () => number = () => performance.now()): number {
  let smallestMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 20; tries++) {
    const before = nowMs();
    let after = before;
    while (after === before) after = nowMs();
    smallestMs = Math.min(smallestMs, after - before);
  }
  return smallestMs * 1_000;
}
