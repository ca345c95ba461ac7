/** The person who dictates in a tab, and their server. */
export type Owner = { readonly account: string | null; readonly address: string };

const OURS = 'https://made.example/api/asr/vad';
const THEIRS = 'https://other.example/api/asr/vad';

/** Nobody signs in, and there is one server. */
export const NOBODY: Owner = { account: null, address: OURS };

/** Those among whom a story is shared out: what one of them says is nobody else's. */
export const OWNERS: readonly (readonly Owner[])[] = [
  [NOBODY, { account: null, address: THEIRS }],
  [
    { account: 'ada', address: OURS },
    { account: 'bo', address: OURS },
  ],
  [
    { account: 'ada', address: OURS },
    { account: 'bo', address: OURS },
    { account: 'ada', address: THEIRS },
  ],
];

export function isSame(one: Owner, other: Owner): boolean {
  return one.account === other.account && one.address === other.address;
}
