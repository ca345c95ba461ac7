import type { VadOptions } from '../speech/vad-options.ts';
import type { SessionOptions } from './dictation-options.ts';

/** Options of a recording as they are given: all may be left out, those of the speech gate one by one. */
export type GivenSessionOptions = Partial<Omit<SessionOptions, 'vad'>> & {
  readonly vad?: Partial<VadOptions>;
};

/** What is given over what is in `base`; undefined counts as left out, as in `checkVadOptions`. */
export function completeOptions(given: GivenSessionOptions, base: SessionOptions): SessionOptions {
  const { vad, ...others } = given;
  return { ...base, ...withoutUndefined(others), vad: { ...base.vad, ...withoutUndefined(vad) } };
}

/** A caller in JavaScript may name an option and give nothing. */
function withoutUndefined<Values extends object>(values: Values | undefined): Partial<Values> {
  const named = Object.entries(values ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named) as Partial<Values>;
}
