/** The owner of a dictation: stands in each of its records. */
export type Owner = {
  /** As the server tells its people apart; null where nobody signs in. */
  readonly account: string | null;
  /** Absolute address of the endpoint that it was spoken for: no other is sent it. */
  readonly address: string;
};

/** A record as it is stored. */
export type Owned<Value> = Value & { readonly owner?: Owner };

/** The owner who dictates here now. */
export type OwnerScope = ReturnType<typeof createOwnerScope>;

/** Nobody signs in, and there is one address. */
export const NO_OWNER: Owner = { account: null, address: '' };

/** `isGiven`: the page knows who it is, and is believed. */
export function createOwnerScope(given: Owner, isGiven = true) {
  let owner = given;
  return {
    get owner(): Owner {
      return owner;
    },
    /** True if a record is theirs, to be shown, sent and deleted. */
    has(record: unknown): boolean {
      const theirs = (record as Owned<object> | null | undefined)?.owner;
      // A damaged record does not say: better shown than never heard of again.
      if (!theirs) return true;
      const isUnclaimed = theirs.account === null;
      return theirs.address === owner.address && (isUnclaimed || theirs.account === owner.account);
    },
    /** The server says who it is; nothing, where the page has said so itself. */
    learn(account: string): boolean {
      if (isGiven || account === owner.account) return false;
      owner = { ...owner, account };
      return true;
    },
  };
}

/** A record without its owner. */
export function withoutOwner<Value extends object>(stored: Owned<Value>): Value {
  const { owner: _owner, ...value } = stored;
  return value as unknown as Value;
}

/**
 * True if a deletion by somebody is of the records of the owner here. A tab of an older build does
 * not say who it is: then it is not.
 */
export function isDeletedBy({ owner }: Pick<OwnerScope, 'owner'>, by: Owner | undefined): boolean {
  return by !== undefined && createOwnerScope(by).has({ owner });
}

/** A name for what those who are the same owner share, and nobody else. */
export function ownerName({ account, address }: Owner): string {
  return account === null && address === '' ? '' : ` ${address} ${account ?? ''}`.trimEnd();
}
