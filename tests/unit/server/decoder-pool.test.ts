import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { decodeAudio } from '../../../server/audio/decode-audio.ts';
import type { DecoderPool } from '../../../server/audio/decoder-pool.ts';
import { codeRangeBytes } from '../../../server/children/children.ts';
import { ApiError } from '../../../server/core/api-error.ts';
import { decoderPool, SOME_TURN } from '../../helpers/decoder-pool.ts';
import { endlessFragment, sameBytesAgain, sizesOfNoBits } from '../../helpers/hostile-mp4.ts';
import { fixture } from '../../helpers/running-server.ts';

describe('the pool', () => {
  let decoder: DecoderPool;
  afterEach(() => decoder?.dispose());

  const never = new AbortController().signal;
  const decode = (file: Uint8Array, signal = never) =>
    decoder.decode(file, 10_000, signal, SOME_TURN);

  /** Its demuxing takes for ever: samples without end are claimed where only the demuxer looks. */
  const endlessFile = (): Uint8Array => endlessFragment(9);

  /** Looks at the processes' memory again and again, as the system counts it. */
  function watchMemory(pool: DecoderPool) {
    let most = 0;
    const timer = setInterval(() => {
      for (const id of pool.processIds) most = Math.max(most, residentMib(id));
    }, 20);
    onTestFinished(() => clearInterval(timer));
    return { mostMib: () => most };
  }

  /** The same for their processor time, since they were started. */
  function watchProcessorTime(pool: DecoderPool) {
    let most = 0;
    const timer = setInterval(() => {
      for (const id of pool.processIds) most = Math.max(most, processorMs(id));
    }, 20);
    onTestFinished(() => clearInterval(timer));
    return { mostMs: () => most };
  }

  /** In ticks of 10 ms; the fields are counted from behind the name, which may hold anything. */
  function processorMs(id: number): number {
    try {
      const fields = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      return 10 * (Number(fields[11]) + Number(fields[12]));
    } catch {
      return 0;
    }
  }

  function residentMib(id: number): number {
    try {
      const status = readFileSync(`/proc/${id}/status`, 'utf8');
      return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
    } catch {
      return 0;
    }
  }

  /** Processor time so far, in the system's hundredths of a second. */
  const cpuTicks = (id: number) => Number(readFileSync(`/proc/${id}/stat`, 'utf8').split(' ')[13]);

  /** Waits until a process that is ready has used a tenth of a second. */
  async function untilAtWork({ processIds }: DecoderPool): Promise<void> {
    const before = new Map(processIds.map((id) => [id, cpuTicks(id)]));
    const isAtWork = () => processIds.some((id) => cpuTicks(id) > (before.get(id) ?? 0) + 10);
    await expect.poll(isAtWork, { timeout: 10_000 }).toBe(true);
  }

  function isAlive(id: number): boolean {
    try {
      return process.kill(id, 0);
    } catch {
      return false;
    }
  }

  /** Without the samples, which would fill the screen when a test fails. */
  const outcome = async (file: Uint8Array) => (await decode(file)).complete;

  test('gives the very samples that decoding in place gives, from one file to the next', async () => {
    decoder = decoderPool();
    decoder.warmUp();
    for (const name of ['speech-en.webm', 'speech-en.wav']) {
      expect(await decode(fixture(name))).toEqual(await decodeAudio(fixture(name), 10_000));
    }
  }, 60_000);

  test('refuses what decoding in place refuses, and goes on', async () => {
    decoder = decoderPool();
    await expect(decode(fixture('speech-en-aac.mp4'))).rejects.toMatchObject({
      status: 415,
      code: 'audio_unsupported',
      message: expect.stringContaining('AAC'),
    });
    await expect(outcome(fixture('speech-en.ogg'))).resolves.toBe(true);
  }, 60_000);

  test('gives up a file that takes for ever, while others are decoded and after', async () => {
    decoder = decoderPool();
    const endless = expect(outcome(endlessFile())).rejects.toMatchObject({
      code: 'audio_corrupted',
    });
    await expect(outcome(fixture('speech-en.wav'))).resolves.toBe(true);
    await endless;
    await expect(outcome(fixture('speech-en.wav'))).resolves.toBe(true);
  }, 60_000);

  test('decodes a few at once and the others in turn', async () => {
    decoder = decoderPool({ size: 1 });
    const order: string[] = [];
    const leaving = new AbortController();
    const endless = decode(endlessFile()).catch(() => order.push('endless'));
    const lost = decode(fixture('speech-en.wav'), leaving.signal);
    const waiting = decode(fixture('speech-en.wav')).then(() => order.push('waiting'));
    leaving.abort(new Error('gone'));
    await expect(lost).rejects.toThrow('gone');
    await Promise.all([endless, waiting]);
    expect(order).toEqual(['endless', 'waiting']);
  }, 60_000);

  test('stops at once when nobody wants the audio any more', async () => {
    decoder = decoderPool();
    const leaving = new AbortController();
    const lost = decode(endlessFile(), leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(lost).rejects.toThrow('gone');
    await expect(decode(fixture('speech-en.wav'), leaving.signal)).rejects.toThrow('gone');
  });

  test('ends its processes, and what they were at, when it is disposed of', async () => {
    decoder = decoderPool();
    const lost = expect(decode(endlessFile())).rejects.toThrow('process');
    await decoder.dispose();
    await lost;
  });

  const corrupted = { status: 422, code: 'audio_corrupted' };

  describe('hostile files', () => {
    const attacks = [
      ['claims samples without end', endlessFragment()],
      ['claims sizes of no bits', sizesOfNoBits()],
      ['hides a claim of samples without end', endlessFragment(9)],
      ['hides a claim of sizes of no bits', sizesOfNoBits(9)],
    ] as const;

    test.each(attacks)(
      'one that %s is refused, and its neighbour is not',
      async (_, file) => {
        decoder = decoderPool();
        const watch = watchMemory(decoder);
        for (let turn = 0; turn < 2; turn++) {
          const attack = expect(outcome(file)).rejects.toMatchObject(corrupted);
          await expect(outcome(fixture('speech-en.wav'))).resolves.toBe(true);
          await attack;
        }
        await expect(outcome(fixture('speech-en.wav'))).resolves.toBe(true);
        // A process that decodes speech has about 100.
        expect(watch.mostMib()).toBeLessThan(500);
      },
      60_000,
    );

    test('one that reads the same bytes again and again is given up, whatever it decodes to', async () => {
      decoder = decoderPool();
      const speech = fixture('speech-en.mp4');
      const once = await sameBytesAgain(speech, 1);
      await expect(outcome(once)).resolves.toBe(true);
      const again = await sameBytesAgain(speech, 130);
      const long = decoder
        .decode(again, 600_000, never, SOME_TURN)
        .then(({ complete }) => complete);
      await expect(long).rejects.toMatchObject(corrupted);
    }, 60_000);

    test('one that goes in circles has a second of processor time at most', async () => {
      decoder = decoderPool();
      await outcome(fixture('speech-en.wav'));
      let costMs = 0;
      const charge = (ms: number) => {
        costMs += ms;
      };
      const used = watchProcessorTime(decoder);
      const endless = decoder.decode(endlessFile(), 10_000, never, { ...SOME_TURN, charge });
      await expect(endless).rejects.toMatchObject(corrupted);
      // Its start and the file before it are counted, too.
      expect(used.mostMs()).toBeLessThan(3_000);
      // More than a start. Its memory may end it before its second is over.
      expect(costMs).toBeGreaterThan(300);
      // On a busy machine it lives longer, and is not charged for that.
      expect(costMs).toBeLessThan(2_000);
    }, 60_000);
  });

  describe('processes', () => {
    test('one that is ended from outside while it waits costs nobody anything', async () => {
      decoder = decoderPool({ size: 1 });
      await outcome(fixture('speech-en.wav'));
      const before = decoder.processIds;
      for (const id of before) process.kill(id, 'SIGKILL');
      await expect(outcome(fixture('speech-en.wav'))).resolves.toBe(true);
      expect(decoder.processIds.filter((id) => before.includes(id))).toEqual([]);
    }, 60_000);

    test('one that is ended from outside over a file asks to try again: the file is not to blame', async () => {
      decoder = decoderPool({ size: 1 });
      await outcome(fixture('speech-en.wav'));
      const endless = expect(outcome(endlessFile())).rejects.toMatchObject({
        status: 503,
        retryAfterS: 5,
      });
      await untilAtWork(decoder);
      for (const id of decoder.processIds) process.kill(id, 'SIGKILL');
      await endless;
    }, 60_000);

    test('one that stands still is ended at its deadline', async () => {
      decoder = decoderPool({ size: 1, timeLimitMs: 3_000 });
      await outcome(fixture('speech-en.wav'));
      const endless = expect(outcome(endlessFile())).rejects.toMatchObject(corrupted);
      await untilAtWork(decoder);
      const before = decoder.processIds;
      for (const id of before) process.kill(id, 'SIGSTOP');
      await endless;
      expect(before.filter((id) => decoder.processIds.includes(id)).length).toBeLessThan(
        before.length,
      );
      for (const id of before.filter(isAlive)) process.kill(id, 'SIGCONT');
    }, 60_000);

    test('one is replaced after its files, and at once when it ended over one', async () => {
      decoder = decoderPool({ size: 1, maxUses: 2 });
      const ids = new Set<number>();
      for (let file = 0; file < 6; file++) {
        await outcome(fixture('speech-en.wav'));
        for (const id of decoder.processIds) ids.add(id);
      }
      // One is at work and one in reserve.
      expect(ids.size).toBeGreaterThanOrEqual(4);
      expect(decoder.processIds).toHaveLength(2);
      await expect(outcome(endlessFragment(9))).rejects.toMatchObject(corrupted);
      expect(decoder.processIds).toHaveLength(2);
      expect(decoder.processIds.some((id) => !ids.has(id))).toBe(true);
    }, 60_000);

    test('none outlives the pool, and none knows a key of ours', async () => {
      process.env.OPENAI_API_KEY = 'sk-of-nobody';
      decoder = decoderPool({ size: 1 });
      await outcome(fixture('speech-en.wav'));
      delete process.env.OPENAI_API_KEY;
      const [id = 0] = decoder.processIds;
      expect(readFileSync(`/proc/${id}/environ`, 'utf8')).not.toContain('sk-of-nobody');
      await decoder.dispose();
      await expect.poll(() => isAlive(id)).toBe(false);
    }, 60_000);

    test('a client with many files does not keep another from its first', async () => {
      decoder = decoderPool({ size: 2 });
      await outcome(fixture('speech-en.wav'));
      const order: string[] = [];
      const of = (client: string) => ({ client, rank: 'final', charge: () => undefined }) as const;
      const many = [1, 2, 3].map(() =>
        decoder.decode(endlessFile(), 10_000, never, of('many')).catch(() => order.push('many')),
      );
      const one = decoder
        .decode(fixture('speech-en.wav'), 10_000, never, of('one'))
        .then(() => order.push('one'));
      await Promise.all([...many, one]);
      expect(order).toEqual(['one', 'many', 'many', 'many']);
    }, 60_000);
  });

  describe('damaged files', () => {
    const shared = decoderPool();
    afterAll(() => shared.dispose());

    test.each(['wav', 'webm', 'mp4', 'ogg'])(
      '%s with bytes changed or cut off is read or refused, never more',
      async (type) => {
        const whole = fixture(`speech-en.${type}`).slice(0, 20_000);
        const wound = fc.record({
          length: fc.oneof(fc.constant(whole.length), fc.nat({ max: whole.length })),
          // Headers are where the harm is.
          changes: fc.array(
            fc.tuple(
              fc.oneof(fc.nat({ max: 400 }), fc.nat({ max: whole.length - 1 })),
              fc.nat({ max: 255 }),
            ),
            { maxLength: 4 },
          ),
        });
        await fc.assert(
          fc.asyncProperty(wound, async ({ length, changes }) => {
            const file = whole.slice(0, length);
            for (const [at, value] of changes) file[at] = value;
            try {
              const { samples } = await shared.decode(file, 10_000, never, SOME_TURN);
              expect(samples.every((sample) => Math.abs(sample) <= 1)).toBe(true);
            } catch (error) {
              expect(error).toBeInstanceOf(ApiError);
              expect([413, 415, 422]).toContain((error as ApiError).status);
            }
          }),
          { seed: 4_711, numRuns: 50 },
        );
      },
      60_000,
    );
  });
});

describe('memory of code', () => {
  test('memory that V8 has reserved for code, where it counts as memory to be written to', () => {
    const maps = [
      '00400000-02cf9000 r-xp 00000000 fe:00 5767275    /usr/bin/node',
      '7f2000000000-7f201fdc0000 rwxp 00000000 00:00 0',
      '7f2030000000-7f2038000000 ---p 00000000 00:00 0',
    ];
    expect(codeRangeBytes(maps.join('\n'))).toBe(0x1fdc0000);
  });

  test('none where it does not count, whatever code there is', () => {
    const maps = [
      '7f2000000000-7f201fdc0000 ---p 00000000 00:00 0',
      '7f2020000000-7f2020400000 rwxp 00000000 00:00 0',
    ];
    expect(codeRangeBytes(maps.join('\n'))).toBe(0);
    expect(codeRangeBytes('')).toBe(0);
  });
});
