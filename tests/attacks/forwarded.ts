import fc from 'fast-check';
import type { Attack } from './attack.ts';
import { rawForm } from './post.ts';

/** What a client writes into X-Forwarded-For itself; the proxy's word comes after it. */
const lies = fc
  .array(
    fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.constantFrom(
        '',
        ' ',
        'unknown',
        '127.0.0.1',
        '::1',
        '_hidden',
        '"[::1]:80"',
        '10.0.0.1:99',
        'localhost',
        '0',
        '%00',
      ),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((words) => words.join(', '));

/** One address may have 600 a minute: those at once, and ten more for each second. */
const SHARE = 600;
const MORE_PER_S = 10;
const TOO_MANY = 100;
const LANES = 8;

/** Finding 8. */
export const forwardedLies: Attack = {
  name: 'a client that writes other addresses into X-Forwarded-For',
  on: 'elsewhere',
  lane: 'load',
  async run(field) {
    const told = fc.sample(lies, { seed: field.seed, numRuns: 1_000 });
    const own = field.address();
    // Nothing is in it, so that each costs next to nothing and counts all the same.
    const raw = await rawForm();
    const startedMs = performance.now();
    const allowed = () =>
      SHARE + MORE_PER_S * Math.ceil((performance.now() - startedMs) / 1000) + LANES;
    let passed = 0;
    let sent = 0;
    const lane = async () => {
      // A slow machine gives the client more time for its share, and it must send more than that.
      while (sent < allowed() + TOO_MANY) {
        const headers = { 'x-forwarded-for': `${told[sent++ % told.length]}, ${own}` };
        const outcome = await field.post({ raw, headers });
        if (outcome.kind === 'answered' && outcome.status !== 429) passed++;
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    field.figure('let in', `${passed} of ${sent}`);
    if (passed > allowed()) field.fault(`${passed} were let in, ${allowed()} at most may be`);
    if (passed < SHARE) field.fault(`only ${passed} were let in: the attack did not get that far`);
  },
};
