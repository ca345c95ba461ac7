/**
 * Ends a switch over a tagged union: does not compile when a case is missing, and throws if a value
 * from outside the types gets here.
 */
export function assertNever(value: never): never {
  throw new Error(`Unexpected case: ${JSON.stringify(value)}`);
}
