import { createDeferred } from '../core/async.ts';
import type { Dictation, StartOptions } from '../core/contracts/dictation.ts';

/** A recording that is begun before there is a field that can take its text. */
export type EarlyRecording = {
  /** Begins it, once. Never rejects: false if nothing can be heard, which the field will tell. */
  begin(): Promise<boolean>;
  /** Ends and keeps what has been begun. */
  end(): void;
};

/** Who gets its text. */
type Receiver = Pick<StartOptions, 'deliver' | 'deliverPiece'>;

/**
 * The page's dictation, whose first `start` after `begin` takes over what was begun, with the
 * receiver that it names; texts wait for that. `options` are what the field would start with.
 */
export function createEarlyRecording(
  dictation: Dictation,
  options: () => Omit<StartOptions, keyof Receiver>,
): { readonly early: EarlyRecording; readonly dictation: Dictation } {
  const receiver = createDeferred<Receiver>();
  let begun: Promise<boolean> | null = null;
  return {
    early: {
      begin() {
        begun = dictation.start({
          ...options(),
          deliver: async (...text) => (await receiver.promise).deliver?.(...text) ?? false,
          deliverPiece: async (...text) =>
            (await receiver.promise).deliverPiece?.(...text) ?? false,
        });
        return begun;
      },
      end: () => void dictation.stop(),
    },
    dictation: {
      ...dictation,
      start(given) {
        const taken = begun ?? dictation.start(given);
        if (begun) receiver.resolve(given ?? {});
        begun = null;
        return taken;
      },
    },
  };
}
