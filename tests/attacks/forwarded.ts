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

/** Finding 8. */
export const forwardedLies: Attack = {
  name: 'a client that writes other addresses into X-Forwarded-For',
  on: 'elsewhere',
  async run(field) {
    const count = SHARE + (field.isShort ? 150 : 400);
    const told = fc.sample(lies, { seed: field.seed, numRuns: count });
    const own = field.address();
    // Nothing is in it, so that each costs next to nothing and counts all the same.
    const raw = await rawForm();
    const startedMs = performance.now();
    let passed = 0;
    let next = 0;
    const lane = async () => {
      for (let index = next++; index < count; index = next++) {
        const headers = { 'x-forwarded-for': `${told[index]}, ${own}` };
        const outcome = await field.post({ raw, headers });
        if (outcome.kind === 'answered' && outcome.status !== 429) passed++;
      }
    };
    await Promise.all([lane(), lane(), lane(), lane()]);
    const allowed = SHARE + MORE_PER_S * Math.ceil((performance.now() - startedMs) / 1000) + 1;
    field.figure('let in', `${passed} of ${count}`);
    if (passed > allowed) field.fault(`${passed} were let in, ${allowed} at most may be`);
    if (passed < SHARE) field.fault(`only ${passed} were let in: the attack did not get that far`);
  },
};
