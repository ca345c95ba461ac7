import { endlessFragment, sameBytesAgain, sizesOfNoBits } from '../helpers/hostile-mp4.ts';
import { fixture } from '../helpers/running-server.ts';
import type { Attack, AttackField } from './attack.ts';
import { nameOf } from './post.ts';

/** Files that are known to have ended servers, stopped them or filled their memory. */

/** Those in the places may end, and one more each while the innocent's own two turns come. */
const SOME_WORK = 4;

/** Sends each of `files` and wants it refused for what it is. */
async function refuseEach(field: AttackField, files: readonly Uint8Array[], atOnce: number) {
  for (let at = 0; at < files.length; at += atOnce) {
    const some = files.slice(at, at + atOnce);
    const outcomes = await Promise.all(some.map((file, from) => field.post({ file, from })));
    for (const outcome of outcomes.map(nameOf))
      if (outcome !== '422 audio_corrupted') field.fault(`a hostile file got: ${outcome}`);
  }
}

/** Finding 1. */
export const endlessFragments: Attack = {
  name: 'an MP4 of 667 bytes that claims 4,294,967,295 samples',
  on: 'plain',
  lane: 'files',
  async run(field) {
    const depths = field.isShort ? [0, 9] : [0, 0, 0, 3, 5, 6, 7, 8, 9, 9, 9, 9];
    await refuseEach(
      field,
      depths.map((depth) => endlessFragment(depth)),
      1,
    );
  },
};

/** Finding 5. */
export const noBits: Attack = {
  name: 'MP4s of 631 bytes that claim sizes of no bits, eight at once',
  on: 'plain',
  lane: 'files',
  async run(field) {
    const depths = field.isShort ? [0, 9] : [...new Array(16).fill(0), ...new Array(16).fill(9)];
    await refuseEach(
      field,
      depths.map((depth) => sizesOfNoBits(depth)),
      8,
    );
  },
};

/** Finding 6. */
export const flood: Attack = {
  name: '80 of the worst files from one address',
  on: 'plain',
  lane: 'files',
  async run(field) {
    const speech = fixture('speech-en.mp4');
    const worst = [endlessFragment(9), sizesOfNoBits(9), await sameBytesAgain(speech, 130)];
    const count = field.isShort ? 8 : 80;
    const innocent = field.innocentFromNow();
    await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const outcome = nameOf(await field.post({ file: worst[index % worst.length] ?? speech }));
        if (!/^(422 audio_corrupted|429 rate_limited|503 queue_full)$/.test(outcome))
          field.fault(`a hostile file got: ${outcome}`);
      }),
    );
    const { mostWorkBetween, answers } = await innocent.seen();
    field.figure('most files done while an innocent waited', mostWorkBetween);
    field.figure('innocent answers meanwhile', answers);
    if (mostWorkBetween > SOME_WORK)
      field.fault(`an innocent waited for ${mostWorkBetween} files of somebody else`);
  },
};
